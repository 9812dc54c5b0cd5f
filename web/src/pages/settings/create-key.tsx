// The dialog that creates a key. The answer with the secret is dropped when the dialog closes.
import { Stack, TextInput } from '@mantine/core'
import { useQuery } from '@tanstack/react-query'
import { useState } from 'react'
import { organizationQuery } from '../../parts/queries.ts'
import { readFieldErrors } from '../../ui/field-errors.ts'
import { formatFutureDay, getDayEnd } from '../../ui/local-time.ts'
import { ErrorAlert } from '../../ui/states.tsx'
import { useChange } from '../../ui/use-change.ts'
import { Actions, ExpiryField, KeyDialog, NEVER, SecretDialog } from './key-dialog.tsx'
import { KeyLimits, NO_LIMITS, toSentLimits } from './key-limits.tsx'
import type { KeyOwner } from './key-owners.ts'
import { accountsTexts as texts } from './texts-accounts.ts'

const DEFAULT_LIFE_DAYS = 365
const MAX_DESCRIPTION = 256

export function CreateKey({ owner, onClose }: { owner: KeyOwner; onClose: () => void }) {
  const [description, setDescription] = useState('')
  const [limits, setLimits] = useState(NO_LIMITS)
  const expiry = useExpiry(owner)
  const create = useChange(owner.create)
  const errors = readFieldErrors(create.error)
  if (create.data)
    return <SecretDialog title={texts.keyDialog.createdTitle} secret={create.data.key} onClose={onClose} />
  return (
    <KeyDialog title={texts.keyDialog.createTitle} onClose={onClose}>
      <form
        onSubmit={event => {
          event.preventDefault()
          create.mutate({ description, expires_at: getDayEnd(expiry.day) ?? NEVER, ...toSentLimits(limits) })
        }}
      >
        <Stack>
          <TextInput
            label={texts.keyDialog.description}
            value={description}
            error={errors.description}
            maxLength={MAX_DESCRIPTION}
            required
            data-autofocus
            onChange={({ currentTarget }) => setDescription(currentTarget.value)}
          />
          <ExpiryField label={texts.keyDialog.expiresOn} error={errors.expires_at} {...expiry} />
          <KeyLimits org={owner.org} limits={limits} errors={errors} onChange={setLimits} />
          {create.error && <ErrorAlert error={create.error} />}
          <Actions action={texts.keyDialog.submit} isPending={create.isPending} onClose={onClose} />
        </Stack>
      </form>
    </KeyDialog>
  )
}

/** A year from now by default, or the latest day that the organization allows. */
export function useExpiry({ org }: KeyOwner) {
  const [chosen, onChange] = useState<string>()
  const organization = useQuery({ ...organizationQuery(org ?? ''), enabled: org !== undefined })
  const maxDays = organization.data?.settings?.max_key_lifetime_days ?? undefined
  // A day less, because the key works until the end of its last day.
  const lastOffset = maxDays === undefined ? undefined : maxDays - 1
  const defaultDay = formatFutureDay(Math.min(DEFAULT_LIFE_DAYS, lastOffset ?? DEFAULT_LIFE_DAYS))
  return {
    day: chosen ?? defaultDay,
    onChange,
    description: describeLimit(org, maxDays),
    ...(lastOffset !== undefined && { latest: formatFutureDay(lastOffset) }),
  }
}

function describeLimit(org: string | undefined, maxDays: number | undefined): string {
  if (maxDays !== undefined) return texts.keyDialog.expiresHelpLimited(maxDays)
  return org === undefined ? texts.keyDialog.expiresHelpPersonal : texts.keyDialog.expiresHelp
}
