// A button that asks for the name of what is about to be gone before it goes.
import { Button, Stack, Text, TextInput } from '@mantine/core'
import { useState } from 'react'
import { ConfirmActions, type ConfirmProps, DialogButton } from './confirm-button.tsx'
import { ErrorAlert } from './states.tsx'

type TypingProps<Input> = ConfirmProps<Input> & {
  /** What has to be typed. */
  name: string
}

export function ConfirmByTyping<Input>(props: TypingProps<Input>) {
  return <DialogButton {...props}>{close => <Question {...props} onClose={close} />}</DialogButton>
}

function Question<Input>(props: TypingProps<Input> & { onClose: () => void }) {
  const { label, name, question, change, input, onClose } = props
  const [typed, setTyped] = useState('')
  return (
    <form
      onSubmit={event => {
        event.preventDefault()
        if (typed === name) change.mutate(input, { onSuccess: onClose })
      }}
    >
      <Stack>
        <Text>{question}</Text>
        <TextInput
          label={`Type ${name} to confirm`}
          value={typed}
          autoComplete="off"
          data-autofocus
          onChange={({ currentTarget }) => setTyped(currentTarget.value)}
        />
        {change.error && <ErrorAlert error={change.error} />}
        <ConfirmActions onCancel={onClose}>
          <Button type="submit" color="red" disabled={typed !== name} loading={change.isPending}>
            {label}
          </Button>
        </ConfirmActions>
      </Stack>
    </form>
  )
}
