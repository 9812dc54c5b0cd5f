// The dialog that claims a mail domain. Its DNS record is then shown on the page.
import { Stack, TextInput } from '@mantine/core'
import { useState } from 'react'
import { api, unwrap } from '../../api.ts'
import { readFieldErrors } from '../../ui/field-errors.ts'
import { ErrorAlert } from '../../ui/states.tsx'
import { useChange } from '../../ui/use-change.ts'
import { Actions, KeyDialog } from './key-dialog.tsx'
import { provisioningTexts as texts } from './texts-provisioning.ts'

const MAX_DOMAIN = 253

export function ClaimMailDomain({ org, onClose }: { org: string; onClose: () => void }) {
  const [domain, setDomain] = useState('')
  const claim = useChange(
    () =>
      unwrap(api.PUT('/mail-domains/{org}/{domain}', { params: { path: { org, domain: domain.trim() } } })),
    { onDone: onClose, notice: claimed => texts.mailDomains.claimed(claimed.domain) },
  )
  return (
    <KeyDialog title={texts.mailDomains.claimTitle} onClose={onClose}>
      <form
        onSubmit={event => {
          event.preventDefault()
          claim.mutate(undefined)
        }}
      >
        <Stack>
          <TextInput
            label={texts.mailDomains.domain}
            description={texts.mailDomains.domainHelp}
            placeholder={texts.mailDomains.domainExample}
            value={domain}
            error={readFieldErrors(claim.error).domain}
            maxLength={MAX_DOMAIN}
            required
            autoComplete="off"
            data-autofocus
            onChange={({ currentTarget }) => setDomain(currentTarget.value)}
          />
          {claim.error && <ErrorAlert error={claim.error} />}
          <Actions action={texts.mailDomains.submit} isPending={claim.isPending} onClose={onClose} />
        </Stack>
      </form>
    </KeyDialog>
  )
}
