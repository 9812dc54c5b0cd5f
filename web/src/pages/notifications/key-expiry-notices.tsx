// Notices about expiring API keys: who receives them, and the form that changes it.
import { Alert, Button, Card, Group, Stack, Text } from '@mantine/core'
import { useDisclosure } from '@mantine/hooks'
import { useQuery } from '@tanstack/react-query'
import { useState } from 'react'
import { api, unwrap } from '../../api.ts'
import type { Schemas } from '../../parts/schemas.ts'
import { RelativeTime } from '../../parts/time.tsx'
import { useRole } from '../../parts/use-role.ts'
import { ConfirmButton } from '../../ui/confirm-button.tsx'
import { DraftForm } from '../../ui/draft-form.tsx'
import { ErrorAlert, Loading } from '../../ui/states.tsx'
import { useChange } from '../../ui/use-change.ts'
import { useDraft } from '../../ui/use-draft.ts'
import type { Target } from './codes.ts'
import { createTarget, toTargetDraft, toTargetInput } from './draft.ts'
import { keyExpiryQuery } from './queries.ts'
import { SendTestButton, SentTest, useSendTest } from './send-test.tsx'
import { TargetList } from './target-fields.tsx'
import { TargetLines } from './target-line.tsx'
import { notificationsTexts as texts } from './texts.ts'

type Config = Schemas['NotificationConfigResponse']

const buildPath = (org: string) => ({ org, notification_type: 'api_key_expiry' as const })

export function KeyExpiryNotices({ org }: { org: string }) {
  const { isAdmin } = useRole(org)
  const config = useQuery(keyExpiryQuery(org))
  const [isEditing, { open, close }] = useDisclosure()
  if (config.isPending) return <Loading rows={2} />
  if (config.error) return <ErrorAlert error={config.error} />
  return (
    <Card withBorder>
      <Stack gap="sm">
        <Text size="sm">{describeSchedule(config.data)}</Text>
        <Text size="sm">
          {texts.keyExpiry.lastSent} <RelativeTime at={config.data.last_notified_at} />
        </Text>
        {config.data.last_failure && (
          <Alert color="red" title={texts.keyExpiry.failed}>
            {config.data.last_failure.error} (<RelativeTime at={config.data.last_failure.failed_at} />)
          </Alert>
        )}
        {!isAdmin ? (
          <>
            <TargetLines targets={config.data.targets} />
            <Text size="sm" c="dimmed">
              {texts.keyExpiry.readOnly}
            </Text>
          </>
        ) : isEditing ? (
          <TargetEditor org={org} targets={config.data.targets} onClose={close} />
        ) : (
          <TargetSummary org={org} targets={config.data.targets} onEdit={open} />
        )}
      </Stack>
    </Card>
  )
}

function describeSchedule({ detection, targets }: Config): string {
  const { first_notice_days, last_notice_days } = detection
  const describe = targets.length === 0 ? texts.keyExpiry.toAdmins : texts.keyExpiry.toTargets
  return describe(Number(first_notice_days), Number(last_notice_days))
}

interface TargetsProps {
  org: string
  targets: Target[]
}

function TargetSummary({ org, targets, onEdit }: TargetsProps & { onEdit: () => void }) {
  const path = buildPath(org)
  const restore = useChange(
    () => unwrap(api.DELETE('/notification-config/{org}/{notification_type}', { params: { path } })),
    { notice: texts.keyExpiry.restored },
  )
  const test = useSendTest(() =>
    unwrap(api.POST('/notification-config/{org}/{notification_type}/test', { params: { path } })),
  )
  return (
    <>
      <TargetLines targets={targets} />
      <Group gap="xs">
        <Button size="xs" variant="default" onClick={onEdit}>
          {targets.length === 0 ? texts.keyExpiry.setTargets : texts.keyExpiry.editTargets}
        </Button>
        {targets.length > 0 && (
          <>
            <SendTestButton test={test} name={texts.keyExpiry.name} />
            <ConfirmButton
              label={texts.keyExpiry.restore}
              about={texts.keyExpiry.restoreAbout}
              question={texts.keyExpiry.restoreQuestion}
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

function TargetEditor({ org, targets, onClose }: TargetsProps & { onClose: () => void }) {
  const [initial] = useState(() =>
    targets.length === 0 ? [createTarget('EMAIL')] : targets.map(toTargetDraft),
  )
  const { form, ...draft } = useDraft({
    initial: { targets: initial },
    send: values =>
      unwrap(
        api.PUT('/notification-config/{org}/{notification_type}', {
          params: { path: buildPath(org) },
          body: { targets: values.targets.map(toTargetInput) },
        }),
      ),
    notice: texts.keyExpiry.saved,
    onDone: onClose,
  })
  return (
    <DraftForm
      draft={draft}
      actions={
        <Group justify="flex-end">
          <Button variant="default" onClick={onClose}>
            {texts.keyExpiry.cancel}
          </Button>
          <Button type="submit" loading={draft.isPending}>
            {texts.keyExpiry.save}
          </Button>
        </Group>
      }
    >
      <TargetList form={form} />
    </DraftForm>
  )
}
