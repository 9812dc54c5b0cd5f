// One delivery with each attempt, and the way to send it again. The address says which one is open.
import { Button, Card, Code, Drawer, Group, Stack, Text, Title } from '@mantine/core'
import { useQuery } from '@tanstack/react-query'
import { api, unwrap } from '../../api.ts'
import type { Schemas } from '../../parts/schemas.ts'
import { RelativeTime } from '../../parts/time.tsx'
import { useRole } from '../../parts/use-role.ts'
import { ErrorAlert, Loading } from '../../ui/states.tsx'
import { useChange } from '../../ui/use-change.ts'
import { deliveryQuery } from './queries.ts'
import { StatusBadge } from './status-badge.tsx'
import { EVENTS, KINDS } from './words.ts'

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
      title="A message and its attempts"
      closeButtonProps={{ 'aria-label': 'Close' }}
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
          {EVENTS[event_type]}, made <RelativeTime at={created_at} />
        </Text>
      </Group>
      <Text size="sm" className="fingerprint">
        {KINDS[target.type]}: {target.shown}
      </Text>
      {notification && (
        <Text size="sm">
          Asked for by {notification.name} ({notification.number})
        </Text>
      )}
      <Text size="sm" className="fingerprint">
        Id: {id}
      </Text>
      {delivery.next_attempt_at !== null && (
        <Text size="sm">
          Next attempt: <RelativeTime at={delivery.next_attempt_at} />
        </Text>
      )}
      {isMember ? (
        <Replay org={org} delivery_id={id} />
      ) : (
        <Text size="sm" c="dimmed">
          Only members and admins send it again.
        </Text>
      )}
      <Title order={4}>Attempts</Title>
      {attempt_log.length === 0 && <Text>It was not tried yet.</Text>}
      {attempt_log.map(attempt => (
        <AttemptCard key={attempt.attempted_at} attempt={attempt} />
      ))}
    </Stack>
  )
}

function Replay({ org, delivery_id }: { org: string; delivery_id: string }) {
  const replay = useChange(
    () =>
      unwrap(
        api.POST('/notification-deliveries/{org}/{delivery_id}/replay', {
          params: { path: { org, delivery_id } },
        }),
      ),
    { notice: 'It is sent again' },
  )
  return (
    <Stack gap="xs">
      <Group>
        <Button variant="default" loading={replay.isPending} onClick={() => replay.mutate(undefined)}>
          Send it again
        </Button>
      </Group>
      {replay.error && <ErrorAlert error={replay.error} />}
    </Stack>
  )
}

function AttemptCard({ attempt }: { attempt: Attempt }) {
  const { attempted_at, duration_ms, status, error, answer } = attempt
  return (
    <Card withBorder padding="sm">
      <Text size="sm" fw={600}>
        {error === null ? 'Delivered' : 'Failed'} <RelativeTime at={attempted_at} />
      </Text>
      <Text size="sm">
        {status === null ? 'No answer' : `Answered ${status}`} after {duration_ms} ms
      </Text>
      {error !== null && <Text size="sm">{error}</Text>}
      {answer !== null && (
        <Code block mt="xs" aria-label="How the answer began">
          {answer}
        </Code>
      )}
    </Card>
  )
}
