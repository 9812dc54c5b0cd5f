// One delivery with all its attempts, and a button that resends it. The address says which delivery is open.
import { Button, Card, Code, Drawer, Group, Stack, Text, Title } from '@mantine/core'
import { useQuery } from '@tanstack/react-query'
import { api, unwrap } from '../../api.ts'
import type { Schemas } from '../../parts/schemas.ts'
import { RelativeTime } from '../../parts/time.tsx'
import { useRole } from '../../parts/use-role.ts'
import { ErrorAlert, Loading } from '../../ui/states.tsx'
import { useChange } from '../../ui/use-change.ts'
import { EVENTS, KINDS } from './codes.ts'
import { PausedNote } from './paused-note.tsx'
import { deliveryQuery } from './queries.ts'
import { StatusBadge } from './status-badge.tsx'
import { deliveriesTexts as texts } from './texts-deliveries.ts'

type DeliveryDetail = Schemas['NotificationDeliveryWithAttempts']
type Attempt = Schemas['DeliveryAttempt']

interface DeliveryDrawerProps {
  org: string
  delivery_id: string | undefined
  onClose: () => void
}

export function DeliveryDrawer({ org, delivery_id, onClose }: DeliveryDrawerProps) {
  return (
    <Drawer
      opened={delivery_id !== undefined}
      onClose={onClose}
      position="right"
      size="lg"
      title={texts.delivery.title}
      closeButtonProps={{ 'aria-label': texts.delivery.close }}
    >
      {delivery_id !== undefined && <LoadedDelivery org={org} delivery_id={delivery_id} />}
    </Drawer>
  )
}

function LoadedDelivery({ org, delivery_id }: { org: string; delivery_id: string }) {
  const delivery = useQuery(deliveryQuery(org, delivery_id))
  if (delivery.isPending) return <Loading />
  if (delivery.error) return <ErrorAlert error={delivery.error} />
  return <DeliveryContent org={org} delivery={delivery.data} />
}

function DeliveryContent({ org, delivery }: { org: string; delivery: DeliveryDetail }) {
  const { id, description, event_type, notification, target, status, created_at, attempt_log } = delivery
  const { isMember } = useRole(org)
  return (
    <Stack>
      <Title order={3} className="long-name">
        {description}
      </Title>
      <Group>
        <StatusBadge status={status} />
        <Text size="sm">
          {texts.delivery.created(EVENTS[event_type])} <RelativeTime at={created_at} />
        </Text>
      </Group>
      <Text size="sm" className="fingerprint">
        {KINDS[target.type]}: {target.shown}
      </Text>
      {notification && (
        <Text size="sm">{texts.delivery.notification(notification.name, notification.number)}</Text>
      )}
      <Text size="sm" className="fingerprint">
        {texts.delivery.id(id)}
      </Text>
      {delivery.next_attempt_at !== null && (
        <Text size="sm">
          {texts.delivery.nextAttempt} <RelativeTime at={delivery.next_attempt_at} />
        </Text>
      )}
      {status === 'pending' && <PausedNote target={target} />}
      {delivery.suppressed !== null && (
        <Text size="sm">{texts.delivery.suppressed[delivery.suppressed]}</Text>
      )}
      {isMember ? (
        <Resend org={org} delivery_id={id} />
      ) : (
        <Text size="sm" c="dimmed">
          {texts.delivery.readOnly}
        </Text>
      )}
      <Title order={4}>{texts.delivery.attempts}</Title>
      {attempt_log.length === 0 && <Text>{texts.delivery.noAttempts}</Text>}
      {attempt_log.map(attempt => (
        <AttemptCard key={attempt.attempted_at} attempt={attempt} />
      ))}
    </Stack>
  )
}

function Resend({ org, delivery_id }: { org: string; delivery_id: string }) {
  const replay = useChange(
    () =>
      unwrap(
        api.POST('/notification-deliveries/{org}/{delivery_id}/replay', {
          params: { path: { org, delivery_id } },
        }),
      ),
    { notice: texts.delivery.resent },
  )
  return (
    <Stack gap="xs">
      <Group>
        <Button variant="default" loading={replay.isPending} onClick={() => replay.mutate(undefined)}>
          {texts.delivery.resend}
        </Button>
      </Group>
      {replay.error && <ErrorAlert error={replay.error} />}
    </Stack>
  )
}

function AttemptCard({ attempt }: { attempt: Attempt }) {
  const { attempted_at, error, answer } = attempt
  return (
    <Card withBorder padding="sm">
      <Text size="sm" fw={600}>
        {error === null ? texts.delivery.delivered : texts.delivery.failed} <RelativeTime at={attempted_at} />
      </Text>
      <Text size="sm">{describeAnswer(attempt)}</Text>
      {error !== null && <Text size="sm">{error}</Text>}
      {answer !== null && (
        <Code block mt="xs" aria-label={texts.delivery.answerLabel}>
          {answer}
        </Code>
      )}
    </Card>
  )
}

/** A mail server answers without a status. */
function describeAnswer({ status, error, duration_ms }: Attempt): string {
  if (status !== null) return texts.delivery.answered(status, duration_ms)
  return error === null ? texts.delivery.accepted(duration_ms) : texts.delivery.noAnswer(duration_ms)
}
