// The dialog that creates a SCIM token. The answer with the secret is dropped when the dialog closes.
import { Text, TextInput } from '@mantine/core'
import { api, unwrap } from '../../api.ts'
import { Copy } from '../../ui/command.tsx'
import { DraftForm } from '../../ui/draft-form.tsx'
import { getDayEnd } from '../../ui/local-time.ts'
import { useDraft } from '../../ui/use-draft.ts'
import { Actions, ExpiryField, KeyDialog, NEVER, SecretDialog } from './key-dialog.tsx'
import { provisioningTexts as texts } from './texts-provisioning.ts'

export function CreateScimToken({ org, onClose }: { org: string; onClose: () => void }) {
  const { form, answer, ...draft } = useDraft({
    initial: { description: '', expires_at: '' },
    required: ['description'],
    send: ({ description, expires_at }) =>
      unwrap(
        api.POST('/scim-tokens/{org}', {
          params: { path: { org } },
          body: { description, expires_at: getDayEnd(expires_at) ?? NEVER },
        }),
      ),
  })
  if (answer) {
    const { token, address } = answer
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
      <DraftForm
        draft={draft}
        actions={<Actions action={texts.scim.submit} isPending={draft.isPending} onClose={onClose} />}
      >
        <TextInput
          label={texts.scim.identityProvider}
          maxLength={256}
          required
          data-autofocus
          {...form.getInputProps('description')}
        />
        <ExpiryField
          label={texts.scim.expiresOn}
          description={texts.scim.expiresHelp}
          {...form.getInputProps('expires_at')}
        />
      </DraftForm>
    </KeyDialog>
  )
}
