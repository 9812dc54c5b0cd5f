// A button that asks once more before it does something that is felt at once.
import { Button, Group, Modal, Stack, Text } from '@mantine/core'
import { useDisclosure } from '@mantine/hooks'
import type { ReactNode } from 'react'

interface ConfirmButtonProps {
  label: string
  /** For those who hear the button without its row. */
  description: string
  question: ReactNode
  isBusy: boolean
  onConfirm: () => void
}

export function ConfirmButton({ label, description, question, isBusy, onConfirm }: ConfirmButtonProps) {
  const [opened, { open, close }] = useDisclosure(false)
  return (
    <>
      <Button
        size="compact-sm"
        variant="light"
        color="red"
        loading={isBusy}
        aria-label={description}
        onClick={open}
      >
        {label}
      </Button>
      <Modal opened={opened} onClose={close} title={description} closeButtonProps={{ 'aria-label': 'Close' }}>
        <Stack>
          <Text>{question}</Text>
          <Group justify="end">
            <Button variant="default" onClick={close}>
              Cancel
            </Button>
            <Button
              color="red"
              onClick={() => {
                close()
                onConfirm()
              }}
            >
              {label}
            </Button>
          </Group>
        </Stack>
      </Modal>
    </>
  )
}
