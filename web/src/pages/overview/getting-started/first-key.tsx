// The dialog that creates a service account and its key. It offers the role that the commands need, and
// explains why.

import { NativeSelect, TextInput } from '@mantine/core'
import { api, unwrap } from '../../../api.ts'
import type { Schemas } from '../../../parts/schemas.ts'
import { explainRoles } from '../../../parts/use-role.ts'
import { DraftForm } from '../../../ui/draft-form.tsx'
import { getDayEnd } from '../../../ui/local-time.ts'
import { useDraft } from '../../../ui/use-draft.ts'
import { useExpiry } from '../../settings/create-key.tsx'
import { Actions, ExpiryField, KeyDialog, NEVER, SecretDialog } from '../../settings/key-dialog.tsx'
import { buildServiceAccountKeys } from '../../settings/key-owners.ts'
import { accountsTexts } from '../../settings/texts-accounts.ts'
import { NEEDED_ROLE } from './progress.ts'
import { startTexts as texts } from './texts.ts'

const MAX_NAME = 64
type Role = Extract<Schemas['ServiceAccount']['privilege'], 'member' | 'admin'>
const INITIAL: { name: string; privilege: Role; expires_at: string | null } = {
  name: 'pipeline',
  privilege: NEEDED_ROLE,
  expires_at: null,
}

export function FirstKey({ org, onClose }: { org: string; onClose: () => void }) {
  const expiry = useExpiry(buildServiceAccountKeys(org, ''))
  const draft = useDraft({
    initial: INITIAL,
    validate: ({ name }) => (name === '' ? { name: texts.key.accountMissing } : {}),
    send: ({ expires_at, ...account }) =>
      createAccountWithKey(org, account, getDayEnd(expires_at ?? expiry.defaultDay) ?? NEVER),
  })
  if (draft.answer)
    return <SecretDialog title={texts.key.createdTitle} secret={draft.answer.key} onClose={onClose} />
  const { form } = draft
  return (
    <KeyDialog title={texts.key.dialogTitle} onClose={onClose}>
      <DraftForm
        draft={draft}
        actions={<Actions action={texts.key.submit} isPending={draft.isPending} onClose={onClose} />}
      >
        <TextInput
          label={texts.key.account}
          description={texts.key.accountHint}
          required
          maxLength={MAX_NAME}
          data-autofocus
          {...form.getInputProps('name')}
        />
        <NativeSelect
          label={texts.key.role}
          description={texts.key.roleHint}
          data={explainRoles(['member', 'admin'])}
          {...form.getInputProps('privilege')}
        />
        <ExpiryField
          label={accountsTexts.keyDialog.expiresOn}
          {...expiry}
          {...form.getInputProps('expires_at')}
        />
      </DraftForm>
    </KeyDialog>
  )
}

/** An existing account gets another key if its role suffices: an earlier attempt may have failed halfway. */
async function createAccountWithKey(
  org: string,
  { name, privilege }: { name: string; privilege: Role },
  expires_at: number,
) {
  const { data } = await api.GET('/service-accounts/{org}/{name}', { params: { path: { org, name } } })
  if (data?.privilege !== privilege)
    await unwrap(
      api.POST('/service-accounts/{org}', { params: { path: { org } }, body: { name, privilege } }),
    )
  return buildServiceAccountKeys(org, name).create({ description: texts.key.description, expires_at })
}
