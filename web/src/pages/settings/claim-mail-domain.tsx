// The dialog that claims a mail domain. Its DNS record is then shown on the page.
import { TextInput } from '@mantine/core'
import { api, unwrap } from '../../api.ts'
import { DraftForm } from '../../ui/draft-form.tsx'
import { useDraft } from '../../ui/use-draft.ts'
import { Actions, KeyDialog } from './key-dialog.tsx'
import { provisioningTexts as texts } from './texts-provisioning.ts'

const MAX_DOMAIN = 253

export function ClaimMailDomain({ org, onClose }: { org: string; onClose: () => void }) {
  const draft = useDraft({
    initial: { domain: '' },
    required: ['domain'],
    send: ({ domain }) =>
      unwrap(api.PUT('/mail-domains/{org}/{domain}', { params: { path: { org, domain: domain.trim() } } })),
    notice: claimed => texts.mailDomains.claimed(claimed.domain),
    onDone: onClose,
  })
  return (
    <KeyDialog title={texts.mailDomains.claimTitle} onClose={onClose}>
      <DraftForm
        draft={draft}
        actions={<Actions action={texts.mailDomains.submit} isPending={draft.isPending} onClose={onClose} />}
      >
        <TextInput
          label={texts.mailDomains.domain}
          description={texts.mailDomains.domainHelp}
          placeholder={texts.mailDomains.domainExample}
          maxLength={MAX_DOMAIN}
          required
          autoComplete="off"
          data-autofocus
          {...draft.form.getInputProps('domain')}
        />
      </DraftForm>
    </KeyDialog>
  )
}
