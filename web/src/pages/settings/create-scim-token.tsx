// The dialog that creates a SCIM token. The answer with the secret is dropped when the dialog closes.
import { Stack, Text, TextInput } from '@mantine/core'
import { useState } from 'react'
import { api, unwrap } from '../../api.ts'
import { Copy } from '../../ui/command.tsx'
import { readFieldErrors } from '../../ui/field-errors.ts'
import { getDayEnd } from '../../ui/local-time.ts'
import { ErrorAlert } from '../../ui/states.tsx'
import { useChange } from '../../ui/use-change.ts'
import { Actions, ExpiryField, KeyDialog, NEVER, SecretDialog } from './key-dialog.tsx'
import { provisioningTexts as texts } from './texts-provisioning.ts'

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
      <SecretDialog title={texts.scim.createdTitle} secret={token} onClose={onClose}>
        <Text size="sm" className="fingerprint">
          {texts.scim.url(address)} <Copy value={address} what={texts.scim.copyUrl} />
        </Text>
      </SecretDialog>
    )
  }
  return (
    <KeyDialog title={texts.scim.newTitle} onClose={onClose}>
      <form
        onSubmit={event => {
          event.preventDefault()
          create.mutate({ description, expires_at: getDayEnd(day) ?? NEVER })
        }}
      >
        <Stack>
          <TextInput
            label={texts.scim.identityProvider}
            value={description}
            error={errors.description}
            maxLength={256}
            required
            data-autofocus
            onChange={({ currentTarget }) => setDescription(currentTarget.value)}
          />
          <ExpiryField
            label={texts.scim.expiresOn}
            description={texts.scim.expiresHelp}
            day={day}
            error={errors.expires_at}
            onChange={setDay}
          />
          {create.error && <ErrorAlert error={create.error} />}
          <Actions action={texts.scim.submit} isPending={create.isPending} onClose={onClose} />
        </Stack>
      </form>
    </KeyDialog>
  )
}
