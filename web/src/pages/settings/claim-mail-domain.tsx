// Claiming a mail domain. What has to be put into DNS is shown on the page afterwards.
import { Stack, TextInput } from '@mantine/core'
import { useState } from 'react'
import { api, unwrap } from '../../api.ts'
import { readFieldErrors } from '../../ui/field-errors.ts'
import { ErrorAlert } from '../../ui/states.tsx'
import { useChange } from '../../ui/use-change.ts'
import { Actions, KeyDialog } from './key-dialog.tsx'

const MAX_DOMAIN = 253

export function ClaimMailDomain({ org, onClose }: { org: string; onClose: () => void }) {
  const [domain, setDomain] = useState('')
  const claim = useChange(
    () =>
      unwrap(api.PUT('/mail-domains/{org}/{domain}', { params: { path: { org, domain: domain.trim() } } })),
    { onDone: onClose, notice: made => `Claimed ${made.domain}. Create its DNS record next.` },
  )
  return (
    <KeyDialog title="Claim a mail domain" onClose={onClose}>
      <form
        onSubmit={event => {
          event.preventDefault()
          claim.mutate(undefined)
        }}
      >
        <Stack>
          <TextInput
            label="Domain"
            description="The part of mail addresses after the @, such as example.com. A subdomain is a domain of its own."
            placeholder="example.com"
            value={domain}
            error={readFieldErrors(claim.error).domain}
            maxLength={MAX_DOMAIN}
            required
            autoComplete="off"
            data-autofocus
            onChange={({ currentTarget }) => setDomain(currentTarget.value)}
          />
          {claim.error && <ErrorAlert error={claim.error} />}
          <Actions action="Claim the domain" isPending={claim.isPending} onClose={onClose} />
        </Stack>
      </form>
    </KeyDialog>
  )
}
