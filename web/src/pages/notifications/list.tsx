// Who is told of what: the notifications about environments, and those about keys that end.
import { Alert, Button, Group, Stack, Title } from '@mantine/core'
import { useQuery } from '@tanstack/react-query'
import { Link, useParams } from '@tanstack/react-router'
import { Empty, Failed, Loading } from '../../ui/states.tsx'
import { PagePath } from '../settings/page-path.tsx'
import { KeyExpiryNotices } from './key-expiry-notices.tsx'
import { NotificationCard } from './notification-card.tsx'
import { notificationsQuery } from './queries.ts'

export function NotificationsPage() {
  const { org } = useParams({ from: '/$org/settings/notifications' })
  return (
    <Stack>
      <PagePath org={org} here="Notifications" />
      <Group justify="space-between">
        <Title order={1}>Notifications</Title>
        <Group>
          <Button
            variant="default"
            renderRoot={props => (
              <Link to="/$org/settings/notifications/deliveries" params={{ org }} {...props} />
            )}
          >
            What was sent
          </Button>
          <Button
            renderRoot={props => <Link to="/$org/settings/notifications/new" params={{ org }} {...props} />}
          >
            New notification
          </Button>
        </Group>
      </Group>
      <Title order={2}>About environments</Title>
      <EnvironmentNotifications org={org} />
      <Title order={2}>About keys that end</Title>
      <KeyExpiryNotices org={org} />
    </Stack>
  )
}

const EXAMPLE = JSON.stringify({
  name: 'Production turns red',
  environments: ['production'],
  triggers: ['ON_NON_COMPLIANT_ENV'],
  targets: [{ type: 'EMAIL', emails: ['on-call@example.com'] }],
})

function EnvironmentNotifications({ org }: { org: string }) {
  const notifications = useQuery(notificationsQuery(org))
  if (notifications.isPending) return <Loading />
  if (notifications.error) return <Failed error={notifications.error} />
  if (notifications.data.length === 0) {
    const address = `${window.location.origin}/api/v2/organizations/${org}/environments_notifications`
    return (
      <Empty
        title="Nobody is told yet"
        command={`curl -X PUT ${address} -H "Authorization: Bearer $API_KEY" -H 'Content-Type: application/json' -d '${EXAMPLE}'`}
      >
        A notification tells people, a chat or a program when something happens in an environment.
      </Empty>
    )
  }
  const failing = notifications.data.filter(({ is_failing }) => is_failing)
  return (
    <>
      {failing.length > 0 && (
        <Alert color="red" title="Not everything arrives">
          Failing: {failing.map(({ name }) => name).join(', ')}
        </Alert>
      )}
      {notifications.data.map(notification => (
        <NotificationCard key={notification.number} org={org} notification={notification} />
      ))}
    </>
  )
}
