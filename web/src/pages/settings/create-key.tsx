// Creating a key. What the server answers with the secret is dropped when the dialog closes.
import { Stack, TextInput } from '@mantine/core'
import { useQuery } from '@tanstack/react-query'
import { useState } from 'react'
import { organizationQuery } from '../../parts/queries.ts'
import { readFieldErrors } from '../../ui/field-errors.ts'
import { formatFutureDay, getDayEnd } from '../../ui/local-time.ts'
import { SecretOnce } from '../../ui/secret-once.tsx'
import { ErrorAlert } from '../../ui/states.tsx'
import { useChange } from '../../ui/use-change.ts'
import { Actions, Done, KeyDialog, LastDay, NEVER } from './key-dialog.tsx'
import { KeyLimits, NO_LIMITS, sentLimits } from './key-limits.tsx'
import type { KeyOwner } from './key-owners.ts'

const DEFAULT_LIFE_DAYS = 365
const MAX_DESCRIPTION = 256

export function CreateKey({ owner, onClose }: { owner: KeyOwner; onClose: () => void }) {
  const [description, setDescription] = useState('')
  const [limits, setLimits] = useState(NO_LIMITS)
  const lastDay = useLastDay(owner)
  const create = useChange(owner.create)
  const errors = readFieldErrors(create.error)
  if (create.data) {
    return (
      <KeyDialog title="The new key" onClose={onClose}>
        <SecretOnce secret={create.data.key} />
        <Done onClose={onClose} />
      </KeyDialog>
    )
  }
  return (
    <KeyDialog title="New API key" onClose={onClose}>
      <form
        onSubmit={event => {
          event.preventDefault()
          create.mutate({ description, expires_at: getDayEnd(lastDay.day) ?? NEVER, ...sentLimits(limits) })
        }}
      >
        <Stack>
          <TextInput
            label="What it is for"
            value={description}
            error={errors.description}
            maxLength={MAX_DESCRIPTION}
            required
            data-autofocus
            onChange={({ currentTarget }) => setDescription(currentTarget.value)}
          />
          <LastDay label="Last day" error={errors.expires_at} {...lastDay} />
          <KeyLimits org={owner.org} limits={limits} errors={errors} onChange={setLimits} />
          {create.error && <ErrorAlert error={create.error} />}
          <Actions action="Create the key" isPending={create.isPending} onClose={onClose} />
        </Stack>
      </form>
    </KeyDialog>
  )
}

/** A year from now unless somebody chooses, or as late as the organization allows. */
function useLastDay({ org }: KeyOwner) {
  const [chosen, onChange] = useState<string>()
  const organization = useQuery({ ...organizationQuery(org ?? ''), enabled: org !== undefined })
  const longest = organization.data?.settings?.max_key_lifetime_days ?? undefined
  // A day less, because the last day counts until its end.
  const most = longest === undefined ? undefined : longest - 1
  const usual = formatFutureDay(Math.min(DEFAULT_LIFE_DAYS, most ?? DEFAULT_LIFE_DAYS))
  return {
    day: chosen ?? usual,
    onChange,
    description: explained(org, longest),
    ...(most !== undefined && { latest: formatFutureDay(most) }),
  }
}

function explained(org: string | undefined, longest: number | undefined): string {
  if (longest !== undefined) return `At most ${longest} days from now. Empty: as long as possible`
  return org === undefined
    ? 'Empty: it never ends. Organizations may accept it for a shorter time.'
    : 'Empty: it never ends'
}
