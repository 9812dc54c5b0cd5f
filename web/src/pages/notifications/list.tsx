// Who is told of what: the notifications about environments, and those about keys that end.
import { Alert, Group, Stack, Text, Title } from '@mantine/core'
import { useQuery } from '@tanstack/react-query'
import { useParams } from '@tanstack/react-router'
import { apiPath, curl } from '../../parts/curl.ts'
import { useRole } from '../../parts/use-role.ts'
import { Crumbs } from '../../ui/crumbs.tsx'
import { ButtonLink, PageLink } from '../../ui/page-link.tsx'
import { Empty, Failed, Loading } from '../../ui/states.tsx'
import { KeyExpiryNotices } from './key-expiry-notices.tsx'
import { NotificationCard } from './notification-card.tsx'
import { notificationsQuery } from './queries.ts'

export function NotificationsPage() {
  const { org } = useParams({ from: '/$org/settings/notifications' })
  const { isMember } = useRole(org)
  return (
    <Stack>
      <Crumbs here="Notifications">
        <PageLink to="/$org/settings" params={{ org }}>
          Settings
        </PageLink>
      </Crumbs>
      <Group justify="space-between">
        <Title order={1}>Notifications</Title>
        <Group>
          <ButtonLink variant="default" to="/$org/settings/notifications/deliveries" params={{ org }}>
            What was sent
          </ButtonLink>
          {isMember && (
            <ButtonLink to="/$org/settings/notifications/new" params={{ org }}>
              New notification
            </ButtonLink>
          )}
        </Group>
      </Group>
      {!isMember && <Text c="dimmed">Only members and admins change notifications.</Text>}
      <Title order={2}>About environments</Title>
      <EnvironmentNotifications org={org} />
      <Title order={2}>About keys that end</Title>
      <KeyExpiryNotices org={org} />
    </Stack>
  )
}

const EXAMPLE = {
  name: 'Production turns red',
  environments: ['production'],
  triggers: ['ON_NON_COMPLIANT_ENV'],
  targets: [{ type: 'EMAIL', emails: ['on-call@example.com'] }],
}

function EnvironmentNotifications({ org }: { org: string }) {
  const notifications = useQuery(notificationsQuery(org))
  if (notifications.isPending) return <Loading />
  if (notifications.error) return <Failed error={notifications.error} />
  if (notifications.data.length === 0) {
    const path = apiPath('organizations', org, 'environments_notifications')
    return (
      <Empty title="Nobody is told yet" command={curl('PUT', path, EXAMPLE)}>
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
