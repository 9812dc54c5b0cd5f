// The dialog that creates a key. The answer with the secret is dropped when the dialog closes.
import { TextInput } from '@mantine/core'
import { useQuery } from '@tanstack/react-query'
import { organizationQuery } from '../../parts/queries.ts'
import { DraftForm } from '../../ui/draft-form.tsx'
import { formatFutureDay, getDayEnd } from '../../ui/local-time.ts'
import { useDraft } from '../../ui/use-draft.ts'
import { Actions, ExpiryField, KeyDialog, NEVER, SecretDialog } from './key-dialog.tsx'
import { KeyLimits } from './key-limits.tsx'
import { type KeyDraft, NO_LIMITS, toSentLimits } from './key-limits-draft.ts'
import type { KeyOwner } from './key-owners.ts'
import { accountsTexts as texts } from './texts-accounts.ts'

const DEFAULT_LIFE_DAYS = 365
const MAX_DESCRIPTION = 256
const INITIAL: KeyDraft = { description: '', expires_at: null, ...NO_LIMITS }

export function CreateKey({ owner, onClose }: { owner: KeyOwner; onClose: () => void }) {
  const expiry = useExpiry(owner)
  const draft = useDraft({
    initial: INITIAL,
    required: ['description'],
    send: ({ description, expires_at, ...limits }) =>
      owner.create({
        description,
        expires_at: getDayEnd(expires_at ?? expiry.defaultDay) ?? NEVER,
        ...toSentLimits(limits),
      }),
  })
  if (draft.answer)
    return <SecretDialog title={texts.keyDialog.createdTitle} secret={draft.answer.key} onClose={onClose} />
  const { form } = draft
  return (
    <KeyDialog title={texts.keyDialog.createTitle} onClose={onClose}>
      <DraftForm
        draft={draft}
        actions={<Actions action={texts.keyDialog.submit} isPending={draft.isPending} onClose={onClose} />}
      >
        <TextInput
          label={texts.keyDialog.description}
          maxLength={MAX_DESCRIPTION}
          required
          data-autofocus
          {...form.getInputProps('description')}
        />
        <ExpiryField label={texts.keyDialog.expiresOn} {...expiry} {...form.getInputProps('expires_at')} />
        <KeyLimits org={owner.org} form={form} />
      </DraftForm>
    </KeyDialog>
  )
}

/** A year from now by default, or the latest day that the organization allows. */
export function useExpiry({ org }: KeyOwner) {
  const organization = useQuery({ ...organizationQuery(org ?? ''), enabled: org !== undefined })
  const maxDays = organization.data?.settings?.max_key_lifetime_days ?? undefined
  // A day less, because the key works until the end of its last day.
  const lastOffset = maxDays === undefined ? undefined : maxDays - 1
  const defaultDay = formatFutureDay(Math.min(DEFAULT_LIFE_DAYS, lastOffset ?? DEFAULT_LIFE_DAYS))
  return {
    defaultDay,
    description: describeLimit(org, maxDays),
    ...(lastOffset !== undefined && { latest: formatFutureDay(lastOffset) }),
  }
}

function describeLimit(org: string | undefined, maxDays: number | undefined): string {
  if (maxDays !== undefined) return texts.keyDialog.expiresHelpLimited(maxDays)
  return org === undefined ? texts.keyDialog.expiresHelpPersonal : texts.keyDialog.expiresHelp
}
