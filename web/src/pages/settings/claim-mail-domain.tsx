// Claiming a mail domain. What has to be put into DNS is shown on the page afterwards.
import { Stack, TextInput } from '@mantine/core'
import { useState } from 'react'
import { answered, api } from '../../api.ts'
import { fieldErrorsOf } from '../../ui/field-errors.ts'
import { Failed } from '../../ui/states.tsx'
import { useChange } from '../../ui/use-change.ts'
import { Actions, KeyDialog } from './key-dialog.tsx'

const MAX_DOMAIN = 253

export function ClaimMailDomain({ org, onClose }: { org: string; onClose: () => void }) {
  const [domain, setDomain] = useState('')
  const claim = useChange(
    () =>
      answered(api.PUT('/mail-domains/{org}/{domain}', { params: { path: { org, domain: domain.trim() } } })),
    { done: onClose, said: made => `Claimed ${made.domain}. Create its DNS record next.` },
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
            error={fieldErrorsOf(claim.error).domain}
            maxLength={MAX_DOMAIN}
            required
            autoComplete="off"
            data-autofocus
            onChange={({ currentTarget }) => setDomain(currentTarget.value)}
          />
          {claim.error && <Failed error={claim.error} />}
          <Actions action="Claim the domain" isPending={claim.isPending} onClose={onClose} />
        </Stack>
      </form>
    </KeyDialog>
  )
}
