// The dialog that creates a service account and its key. It offers the role that the commands need, and says why.

import { NativeSelect, Stack, TextInput } from '@mantine/core'
import { useState } from 'react'
import { api, unwrap } from '../../../api.ts'
import type { Schemas } from '../../../parts/schemas.ts'
import { explainRoles } from '../../../parts/use-role.ts'
import { getDayEnd } from '../../../ui/local-time.ts'
import { ErrorAlert } from '../../../ui/states.tsx'
import { useDraft } from '../../../ui/use-draft.ts'
import { useExpiry } from '../../settings/create-key.tsx'
import { Actions, ExpiryField, KeyDialog, NEVER, SecretDialog } from '../../settings/key-dialog.tsx'
import { buildServiceAccountKeys } from '../../settings/key-owners.ts'
import { accountsTexts } from '../../settings/texts-accounts.ts'
import { NEEDED_ROLE } from './progress.ts'
import { startTexts as texts } from './texts.ts'

const MAX_NAME = 64
type Role = Extract<Schemas['ServiceAccount']['privilege'], 'member' | 'admin'>
const INITIAL: { name: string; privilege: Role } = { name: 'pipeline', privilege: NEEDED_ROLE }

export function FirstKey({ org, onClose }: { org: string; onClose: () => void }) {
  const [secret, setSecret] = useState<string>()
  const expiry = useExpiry(buildServiceAccountKeys(org, ''))
  const draft = useDraft({
    initial: INITIAL,
    validate: ({ name }) => (name === '' ? { name: texts.key.accountMissing } : {}),
    send: values => createAccountWithKey(org, values, getDayEnd(expiry.day) ?? NEVER),
    onDone: ({ key }) => setSecret(key),
  })
  if (secret !== undefined)
    return <SecretDialog title={texts.key.createdTitle} secret={secret} onClose={onClose} />
  const { form } = draft
  return (
    <KeyDialog title={texts.key.dialogTitle} onClose={onClose}>
      <form onSubmit={draft.submit} noValidate>
        <Stack>
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
          <ExpiryField label={accountsTexts.keyDialog.expiresOn} error={undefined} {...expiry} />
          {draft.error && <ErrorAlert error={draft.error} />}
          <Actions action={texts.key.submit} isPending={draft.isPending} onClose={onClose} />
        </Stack>
      </form>
    </KeyDialog>
  )
}

/** An account that there is already gets another key, if its role suffices: a first attempt may have failed in between. */
async function createAccountWithKey(org: string, { name, privilege }: typeof INITIAL, expires_at: number) {
  const { data } = await api.GET('/service-accounts/{org}/{name}', { params: { path: { org, name } } })
  if (data?.privilege !== privilege)
    await unwrap(
      api.POST('/service-accounts/{org}', { params: { path: { org } }, body: { name, privilege } }),
    )
  return buildServiceAccountKeys(org, name).create({ description: texts.key.description, expires_at })
}
