// A confirmation button that also asks the user to type the name of what will be deleted.
import { Button, Stack, Text, TextInput } from '@mantine/core'
import { useState } from 'react'
import { ConfirmActions, type ConfirmProps, DialogButton } from './confirm-button.tsx'
import { ErrorAlert } from './states.tsx'
import { uiTexts as texts } from './texts.ts'

type TypingProps<Input> = ConfirmProps<Input> & {
  /** The text to type. */
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
          label={texts.dialog.typeToConfirm(name)}
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
