// The dialogs that rotate and revoke a key. The answer with the secret is dropped when the dialog closes.
import { NumberInput, Stack, Text } from '@mantine/core'
import { useState } from 'react'
import { RelativeTime } from '../../parts/time.tsx'
import { ConfirmButton } from '../../ui/confirm-button.tsx'
import { readFieldErrors } from '../../ui/field-errors.ts'
import { getDayEnd } from '../../ui/local-time.ts'
import { ErrorAlert } from '../../ui/states.tsx'
import { useChange } from '../../ui/use-change.ts'
import { Actions, ExpiryField, KeyDialog, NEVER, SecretDialog } from './key-dialog.tsx'
import type { ApiKey, KeyOwner } from './key-owners.ts'
import { LastUse } from './last-use.tsx'
import { accountsTexts as texts } from './texts-accounts.ts'

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
      <SecretDialog
        title={texts.keyDialog.createdTitle}
        secret={rotate.data.key}
        note={
          <>
            {texts.keyDialog.oldKeyBefore} <RelativeTime at={rotate.data.grace_period_expires_at} />
            {texts.keyDialog.oldKeyAfter}
          </>
        }
        onClose={onClose}
      />
    )
  }
  return (
    <KeyDialog title={texts.keyDialog.rotateTitle(apiKey.description)} onClose={onClose}>
      <form
        onSubmit={event => {
          event.preventDefault()
          rotate.mutate(undefined)
        }}
      >
        <Stack>
          <NumberInput
            label={texts.keyDialog.graceHours}
            value={hours}
            error={errors.grace_period_hours}
            min={1}
            max={MAX_GRACE_HOURS}
            allowDecimal={false}
            required
            data-autofocus
            onChange={setHours}
          />
          <ExpiryField
            label={texts.keyDialog.newExpiresOn}
            description={texts.keyDialog.newExpiresHelp}
            day={day}
            error={errors.expires_at}
            onChange={setDay}
          />
          <Text size="sm" c="dimmed">
            {texts.keyDialog.rotateHelp}
          </Text>
          {rotate.error && <ErrorAlert error={rotate.error} />}
          <Actions action={texts.keyDialog.rotate} isPending={rotate.isPending} onClose={onClose} />
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
  const revoke = useChange(() => owner.revoke(id), { notice: texts.keys.revoked(description) })
  return (
    <ConfirmButton
      label={texts.keys.revoke}
      about={about}
      question={
        <>
          {texts.keys.revokeQuestion(hint)}{' '}
          {last_used_at === 0 ? (
            texts.keys.neverUsed
          ) : (
            <>
              {texts.keys.lastUsedBefore}{' '}
              <LastUse last_used_at={last_used_at} last_used_from={last_used_from} />
              {texts.keys.lastUsedAfter}
            </>
          )}
        </>
      }
      change={revoke}
      input={undefined}
    />
  )
}
