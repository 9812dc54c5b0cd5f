// Making a token for an identity provider. What the server answers with the secret is dropped when the dialog closes.
import { Stack, Text, TextInput } from '@mantine/core'
import { useState } from 'react'
import { api, unwrap } from '../../api.ts'
import { Copy } from '../../ui/command.tsx'
import { readFieldErrors } from '../../ui/field-errors.ts'
import { getDayEnd } from '../../ui/local-time.ts'
import { SecretOnce } from '../../ui/secret-once.tsx'
import { ErrorAlert } from '../../ui/states.tsx'
import { useChange } from '../../ui/use-change.ts'
import { Actions, Done, KeyDialog, LastDay, NEVER } from './key-dialog.tsx'

export function CreateScimToken({ org, onClose }: { org: string; onClose: () => void }) {
  const [description, setDescription] = useState('')
  const [day, setDay] = useState('')
  const create = useChange((body: { description: string; expires_at: number }) =>
    unwrap(api.POST('/scim-tokens/{org}', { params: { path: { org } }, body })),
  )
  const errors = readFieldErrors(create.error)
  if (create.data) {
    const { token, address } = create.data
    return (
      <KeyDialog title="The new token" onClose={onClose}>
        <SecretOnce secret={token} />
        <Text size="sm" className="fingerprint">
          Address for the identity provider: {address} <Copy value={address} what="the address" />
        </Text>
        <Done onClose={onClose} />
      </KeyDialog>
    )
  }
  return (
    <KeyDialog title="New token" onClose={onClose}>
      <form
        onSubmit={event => {
          event.preventDefault()
          create.mutate({ description, expires_at: getDayEnd(day) ?? NEVER })
        }}
      >
        <Stack>
          <TextInput
            label="Which identity provider it is for"
            value={description}
            error={errors.description}
            maxLength={256}
            required
            data-autofocus
            onChange={({ currentTarget }) => setDescription(currentTarget.value)}
          />
          <LastDay
            label="Last day"
            description="Empty: it never ends"
            day={day}
            error={errors.expires_at}
            onChange={setDay}
          />
          {create.error && <ErrorAlert error={create.error} />}
          <Actions action="Create the token" isPending={create.isPending} onClose={onClose} />
        </Stack>
      </form>
    </KeyDialog>
  )
}
