// Asks for the name of what is about to be gone before it goes.
import { Button, Group, Modal, Stack, Text, TextInput } from '@mantine/core'
import { type ReactNode, useState } from 'react'
import { Failed } from '../../ui/states.tsx'

interface ConfirmByTypingProps {
  opened: boolean
  title: string
  name: string
  action: string
  isPending: boolean
  error: Error | null
  onClose: () => void
  onConfirm: () => void
  children: ReactNode
}

export function ConfirmByTyping(props: ConfirmByTypingProps) {
  const { opened, title, onClose } = props
  return (
    <Modal opened={opened} onClose={onClose} title={title} closeButtonProps={{ 'aria-label': 'Close' }}>
      <Question {...props} />
    </Modal>
  )
}

function Question({ name, action, isPending, error, onClose, onConfirm, children }: ConfirmByTypingProps) {
  const [typed, setTyped] = useState('')
  return (
    <form
      onSubmit={event => {
        event.preventDefault()
        if (typed === name) onConfirm()
      }}
    >
      <Stack>
        <Text>{children}</Text>
        <TextInput
          label={`Type ${name} to confirm`}
          value={typed}
          autoComplete="off"
          data-autofocus
          onChange={({ currentTarget }) => setTyped(currentTarget.value)}
        />
        {error && <Failed error={error} />}
        <Group justify="flex-end">
          <Button variant="default" onClick={onClose}>
            Cancel
          </Button>
          <Button type="submit" color="red" disabled={typed !== name} loading={isPending}>
            {action}
          </Button>
        </Group>
      </Stack>
    </form>
  )
}
