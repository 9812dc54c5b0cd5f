// Who is told before an API key ends: the people the key is about, or targets that were set.
import { Alert, Button, Card, Group, Stack, Text } from '@mantine/core'
import { useDisclosure } from '@mantine/hooks'
import { useQuery } from '@tanstack/react-query'
import { useState } from 'react'
import { api, unwrap } from '../../api.ts'
import type { Schemas } from '../../parts/schemas.ts'
import { RelativeTime } from '../../parts/time.tsx'
import { useRole } from '../../parts/use-role.ts'
import { ConfirmButton } from '../../ui/confirm-button.tsx'
import { readFieldErrors } from '../../ui/field-errors.ts'
import { ErrorAlert, Loading } from '../../ui/states.tsx'
import { useChange } from '../../ui/use-change.ts'
import { draftOfTarget, emptyTarget, type TargetDraft, targetInput } from './draft.ts'
import { keyExpiryQuery } from './queries.ts'
import { SendTestButton, SentTest, useSendTest } from './send-test.tsx'
import { TargetList } from './target-fields.tsx'
import { TargetLines } from './target-line.tsx'
import type { Target } from './words.ts'

type Config = Schemas['NotificationConfigResponse']

const pathOf = (org: string) => ({ org, notification_type: 'api_key_expiry' as const })

export function KeyExpiryNotices({ org }: { org: string }) {
  const { isAdmin } = useRole(org)
  const config = useQuery(keyExpiryQuery(org))
  const [isEditing, { open, close }] = useDisclosure()
  if (config.isPending) return <Loading rows={2} />
  if (config.error) return <ErrorAlert error={config.error} />
  return (
    <Card withBorder>
      <Stack gap="sm">
        <Text size="sm">{whenTold(config.data)}</Text>
        <Text size="sm">
          Last sent: <RelativeTime at={config.data.last_notified_at} />
        </Text>
        {config.data.last_failure && (
          <Alert color="red" title="The last message did not arrive">
            {config.data.last_failure.error} (<RelativeTime at={config.data.last_failure.failed_at} />)
          </Alert>
        )}
        {!isAdmin ? (
          <>
            <TargetLines targets={config.data.targets} />
            <Text size="sm" c="dimmed">
              Only admins set who is told.
            </Text>
          </>
        ) : isEditing ? (
          <EditTargets org={org} targets={config.data.targets} onClose={close} />
        ) : (
          <ShownTargets org={org} targets={config.data.targets} onEdit={open} />
        )}
      </Stack>
    </Card>
  )
}

function whenTold({ detection, targets }: Config): string {
  const { first_notice_days, last_notice_days } = detection
  const whom = targets.length === 0 ? 'the admins and whoever made the key, by mail' : 'the targets below'
  return `${first_notice_days} days and again ${last_notice_days} days before a key ends, we tell ${whom}.`
}

interface TargetsProps {
  org: string
  targets: Target[]
}

function ShownTargets({ org, targets, onEdit }: TargetsProps & { onEdit: () => void }) {
  const path = pathOf(org)
  const restore = useChange(
    () => unwrap(api.DELETE('/notification-config/{org}/{notification_type}', { params: { path } })),
    { notice: 'The defaults are restored' },
  )
  const test = useSendTest(() =>
    unwrap(api.POST('/notification-config/{org}/{notification_type}/test', { params: { path } })),
  )
  return (
    <>
      <TargetLines targets={targets} />
      <Group gap="xs">
        <Button size="xs" variant="default" onClick={onEdit}>
          {targets.length === 0 ? 'Set targets' : 'Change the targets'}
        </Button>
        {targets.length > 0 && (
          <>
            <SendTestButton test={test} name="keys that end" />
            <ConfirmButton
              label="Restore the defaults"
              about="of the notices about keys"
              question="The targets are removed. From now on we tell the admins and whoever made the key, by mail."
              change={restore}
              input={undefined}
            />
          </>
        )}
      </Group>
      <SentTest org={org} test={test} filter={{ notification_type: 'api_key_expiry' }} />
    </>
  )
}

function EditTargets({ org, targets, onClose }: TargetsProps & { onClose: () => void }) {
  const [drafts, setDrafts] = useState<TargetDraft[]>(() =>
    targets.length === 0 ? [emptyTarget('EMAIL')] : targets.map(draftOfTarget),
  )
  const [sent, setSent] = useState(drafts)
  const save = useChange(
    () =>
      unwrap(
        api.PUT('/notification-config/{org}/{notification_type}', {
          params: { path: pathOf(org) },
          body: { targets: drafts.map(targetInput) },
        }),
      ),
    { notice: 'Saved' },
  )
  return (
    <form
      noValidate
      onSubmit={event => {
        event.preventDefault()
        setSent(drafts)
        save.mutate(undefined, { onSuccess: onClose })
      }}
    >
      <Stack>
        <TargetList targets={drafts} sent={sent} errors={readFieldErrors(save.error)} onChange={setDrafts} />
        {save.error && <ErrorAlert error={save.error} />}
        <Group justify="flex-end">
          <Button variant="default" onClick={onClose}>
            Cancel
          </Button>
          <Button type="submit" loading={save.isPending}>
            Save the targets
          </Button>
        </Group>
      </Stack>
    </form>
  )
}
