// The dialogs that rotate and revoke a key. The answer with the secret is dropped when the dialog closes.
import { NumberInput, Text } from '@mantine/core'
import { RelativeTime } from '../../parts/time.tsx'
import { ConfirmButton } from '../../ui/confirm-button.tsx'
import { DraftForm } from '../../ui/draft-form.tsx'
import { getDayEnd } from '../../ui/local-time.ts'
import { useChange } from '../../ui/use-change.ts'
import { useDraft } from '../../ui/use-draft.ts'
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
  const draft = useDraft({
    initial: { grace_period_hours: DEFAULT_GRACE_HOURS, expires_at: '' },
    required: ['grace_period_hours'],
    send: ({ grace_period_hours, expires_at }) =>
      owner.rotate(apiKey.id, {
        grace_period_hours: Number(grace_period_hours),
        ...(expires_at !== '' && { expires_at: getDayEnd(expires_at) ?? NEVER }),
      }),
  })
  const { form, answer } = draft
  if (answer) {
    return (
      <SecretDialog
        title={texts.keyDialog.createdTitle}
        secret={answer.key}
        note={
          <>
            {texts.keyDialog.oldKeyBefore} <RelativeTime at={answer.grace_period_expires_at} />
            {texts.keyDialog.oldKeyAfter}
          </>
        }
        onClose={onClose}
      />
    )
  }
  return (
    <KeyDialog title={texts.keyDialog.rotateTitle(apiKey.description)} onClose={onClose}>
      <DraftForm
        draft={draft}
        actions={<Actions action={texts.keyDialog.rotate} isPending={draft.isPending} onClose={onClose} />}
      >
        <NumberInput
          label={texts.keyDialog.graceHours}
          min={1}
          max={MAX_GRACE_HOURS}
          allowDecimal={false}
          required
          data-autofocus
          {...form.getInputProps('grace_period_hours')}
        />
        <ExpiryField
          label={texts.keyDialog.newExpiresOn}
          description={texts.keyDialog.newExpiresHelp}
          {...form.getInputProps('expires_at')}
        />
        <Text size="sm" c="dimmed">
          {texts.keyDialog.rotateHelp}
        </Text>
      </DraftForm>
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
