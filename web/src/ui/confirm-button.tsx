// A button that asks for confirmation in a dialog. The dialog closes on success and stays open with the server's
// message on failure.
import { Button, Group, Modal, Stack, Text } from '@mantine/core'
import { useDisclosure } from '@mantine/hooks'
import type { ReactNode } from 'react'
import { ErrorAlert } from './states.tsx'
import { uiTexts as texts } from './texts.ts'
import type { Change } from './use-change.ts'

export interface ConfirmProps<Input> {
  /** The text of the button, and of the button that confirms. */
  label: string
  /** The object of the action, for screen readers and the dialog title. */
  about: string
  question: ReactNode
  change: Change<Input>
  input: Input
  disabled?: boolean
  /** Red by default, because most of these actions remove something. */
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
  const name = texts.dialog.action(label, about)
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
      <Modal
        opened={opened}
        onClose={close}
        title={texts.dialog.title(name)}
        closeButtonProps={{ 'aria-label': texts.dialog.close }}
      >
        {children(close)}
      </Modal>
    </>
  )
}

interface ActionsProps {
  /** Whether Cancel has the focus; false when the dialog has a text field. */
  isCancelFirst?: boolean
  onCancel: () => void
  children: ReactNode
}

export function ConfirmActions({ isCancelFirst, onCancel, children }: ActionsProps) {
  return (
    <Group justify="flex-end">
      <Button variant="default" data-autofocus={isCancelFirst} onClick={onCancel}>
        {texts.dialog.cancel}
      </Button>
      {children}
    </Group>
  )
}
