// A button for what is felt at once: it asks first, stays open with the sentence of the server when that refuses, and
// closes when it is done.
import { Button, Group, Modal, Stack, Text } from '@mantine/core'
import { useDisclosure } from '@mantine/hooks'
import type { ReactNode } from 'react'
import { ErrorAlert } from './states.tsx'
import type { Change } from './use-change.ts'

export interface ConfirmProps<Input> {
  /** What the button says, and the one that confirms. */
  label: string
  /** What it is about, for those who hear one button at a time. */
  about: string
  question: ReactNode
  change: Change<Input>
  input: Input
  disabled?: boolean
  /** Red unless told: most of what is asked about takes something away. */
  color?: string
}

export function ConfirmButton<Input>(props: ConfirmProps<Input>) {
  const { label, question, change, input, color = 'red' } = props
  return (
    <DialogButton {...props}>
      {close => (
        <Stack>
          <Text component="div">{question}</Text>
          {change.error && <ErrorAlert error={change.error} />}
          <ConfirmActions isCancelFirst onCancel={close}>
            <Button
              color={color}
              loading={change.isPending}
              onClick={() => change.mutate(input, { onSuccess: close })}
            >
              {label}
            </Button>
          </ConfirmActions>
        </Stack>
      )}
    </DialogButton>
  )
}

type DialogButtonProps<Input> = Omit<ConfirmProps<Input>, 'question' | 'input'> & {
  children: (close: () => void) => ReactNode
}

/** The button and the dialog that it opens. */
export function DialogButton<Input>(props: DialogButtonProps<Input>) {
  const { label, about, change, disabled = false, color = 'red', children } = props
  const [opened, { open, close }] = useDisclosure()
  const name = `${label} ${about}`
  return (
    <>
      <Button
        size="compact-sm"
        variant="light"
        color={color}
        aria-label={name}
        disabled={disabled}
        onClick={() => {
          change.reset()
          open()
        }}
      >
        {label}
      </Button>
      <Modal opened={opened} onClose={close} title={`${name}?`} closeButtonProps={{ 'aria-label': 'Close' }}>
        {children(close)}
      </Modal>
    </>
  )
}

interface ActionsProps {
  /** Whether the way back has the focus: not where something has to be typed. */
  isCancelFirst?: boolean
  onCancel: () => void
  children: ReactNode
}

export function ConfirmActions({ isCancelFirst, onCancel, children }: ActionsProps) {
  return (
    <Group justify="flex-end">
      <Button variant="default" data-autofocus={isCancelFirst} onClick={onCancel}>
        Cancel
      </Button>
      {children}
    </Group>
  )
}
