// Rotating and revoking a key. What the server answers with the secret is dropped when the dialog closes.
import { NumberInput, Stack, Text } from '@mantine/core'
import { useState } from 'react'
import { RelativeTime } from '../../parts/time.tsx'
import { ConfirmButton } from '../../ui/confirm-button.tsx'
import { readFieldErrors } from '../../ui/field-errors.ts'
import { getDayEnd } from '../../ui/local-time.ts'
import { SecretOnce } from '../../ui/secret-once.tsx'
import { ErrorAlert } from '../../ui/states.tsx'
import { useChange } from '../../ui/use-change.ts'
import { Actions, Done, KeyDialog, LastDay, NEVER } from './key-dialog.tsx'
import type { ApiKey, KeyOwner } from './key-owners.ts'
import { LastUse } from './last-use.tsx'

const DEFAULT_GRACE_HOURS = 24
const MAX_GRACE_HOURS = 720

interface DialogProps {
  owner: KeyOwner
  onClose: () => void
}

export function RotateKey({ owner, apiKey, onClose }: DialogProps & { apiKey: ApiKey }) {
  const [hours, setHours] = useState<number | string>(DEFAULT_GRACE_HOURS)
  const [day, setDay] = useState('')
  const rotate = useChange(() =>
    owner.rotate(apiKey.id, {
      grace_period_hours: Number(hours),
      ...(day !== '' && { expires_at: getDayEnd(day) ?? NEVER }),
    }),
  )
  const errors = readFieldErrors(rotate.error)
  if (rotate.data) {
    return (
      <KeyDialog title="The new key" onClose={onClose}>
        <SecretOnce secret={rotate.data.key}>
          The old key stops working <RelativeTime at={rotate.data.grace_period_expires_at} />.
        </SecretOnce>
        <Done onClose={onClose} />
      </KeyDialog>
    )
  }
  return (
    <KeyDialog title={`Rotate ${apiKey.description}`} onClose={onClose}>
      <form
        onSubmit={event => {
          event.preventDefault()
          rotate.mutate(undefined)
        }}
      >
        <Stack>
          <NumberInput
            label="Hours for which the old key goes on working"
            value={hours}
            error={errors.grace_period_hours}
            min={1}
            max={MAX_GRACE_HOURS}
            allowDecimal={false}
            required
            data-autofocus
            onChange={setHours}
          />
          <LastDay
            label="Last day of the new key"
            description="Empty: when the old one would have ended"
            day={day}
            error={errors.expires_at}
            onChange={setDay}
          />
          <Text size="sm" c="dimmed">
            A key that was rotated already ends by itself: it cannot be rotated once more.
          </Text>
          {rotate.error && <ErrorAlert error={rotate.error} />}
          <Actions action="Rotate the key" isPending={rotate.isPending} onClose={onClose} />
        </Stack>
      </form>
    </KeyDialog>
  )
}

interface RevokeProps {
  owner: KeyOwner
  apiKey: ApiKey
  about: string
}

export function RevokeKey({ owner, apiKey, about }: RevokeProps) {
  const { id, description, hint, last_used_at, last_used_from } = apiKey
  const revoke = useChange(() => owner.revoke(id), { notice: `${description} is revoked` })
  return (
    <ConfirmButton
      label="Revoke"
      about={about}
      question={
        <>
          Whatever uses the key {hint}… is refused from now on.{' '}
          {last_used_at === 0 ? (
            'It was never used.'
          ) : (
            <>
              It was last used <LastUse last_used_at={last_used_at} last_used_from={last_used_from} />.
            </>
          )}
        </>
      }
      change={revoke}
      input={undefined}
    />
  )
}
