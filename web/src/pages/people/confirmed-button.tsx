// A button for what cannot be undone: it asks first, and stays open with the sentence of the server when that refuses.
import { Button, Group, Modal, Stack, Text } from '@mantine/core'
import { useDisclosure } from '@mantine/hooks'
import { Failed } from '../../ui/states.tsx'

interface Props {
  /** What the button says, and the one that confirms. */
  deed: string
  /** What the deed is about, for those who hear one button at a time. */
  about: string
  question: string
  mutation: {
    mutate(input: string, options: { onSuccess(): void }): void
    isPending: boolean
    error: Error | null
    reset(): void
  }
  input: string
}

export function ConfirmedButton({ deed, about, question, mutation, input }: Props) {
  const [opened, { open, close }] = useDisclosure()
  return (
    <>
      <Button
        variant="subtle"
        color="red"
        size="compact-sm"
        aria-label={`${deed} ${about}`}
        onClick={() => {
          mutation.reset()
          open()
        }}
      >
        {deed}
      </Button>
      <Modal opened={opened} onClose={close} title={`${deed} ${about}?`} centered>
        <Stack>
          <Text>{question}</Text>
          {mutation.error && <Failed error={mutation.error} />}
          <Group justify="flex-end">
            <Button variant="default" onClick={close} data-autofocus>
              Cancel
            </Button>
            <Button
              color="red"
              loading={mutation.isPending}
              onClick={() => mutation.mutate(input, { onSuccess: close })}
            >
              {deed}
            </Button>
          </Group>
        </Stack>
      </Modal>
    </>
  )
}
