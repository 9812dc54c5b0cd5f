// Who is told of what: the notifications about environments and flows, and those about keys that end.
import { Alert, Group, Stack, Text, Title } from '@mantine/core'
import { useQuery } from '@tanstack/react-query'
import { useNavigate, useParams, useSearch } from '@tanstack/react-router'
import { Fragment } from 'react'
import { buildApiPath, buildCurl } from '../../parts/curl.ts'
import { useRole } from '../../parts/use-role.ts'
import { Crumbs } from '../../ui/crumbs.tsx'
import { ButtonLink, PageLink } from '../../ui/page-link.tsx'
import { NoSuchPage, Pager } from '../../ui/pager.tsx'
import { dropUndefined, readPage } from '../../ui/search-params.ts'
import { Empty, ErrorAlert, Loading } from '../../ui/states.tsx'
import { ABOUT, type About, exampleOf, KINDS_OF_NOTIFICATION } from './about.ts'
import { KeyExpiryNotices } from './key-expiry-notices.tsx'
import { NotificationCard } from './notification-card.tsx'
import { notificationPageQuery } from './queries.ts'
import type { Notification } from './words.ts'

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
      {KINDS_OF_NOTIFICATION.map(about => (
        <Fragment key={about}>
          <Title order={2}>About {about}</Title>
          <NotificationList org={org} about={about} />
        </Fragment>
      ))}
      <Title order={2}>About keys that end</Title>
      <KeyExpiryNotices org={org} />
    </Stack>
  )
}

function NotificationList({ org, about }: { org: string; about: About }) {
  const pages = useSearch({ from: '/$org/settings/notifications' })
  const navigate = useNavigate({ from: '/$org/settings/notifications' })
  const notifications = useQuery(notificationPageQuery(org, about, pages[about] ?? 1))
  if (notifications.isPending) return <Loading />
  if (notifications.error) return <ErrorAlert error={notifications.error} />
  const { data, pagination } = notifications.data
  const onPage = (chosen: number) =>
    void navigate({ search: dropUndefined({ ...pages, [about]: readPage(chosen) }) })
  if (pagination.total === 0) {
    const path = buildApiPath('organizations', org, `${about}_notifications`)
    return (
      <Empty title={`Nobody is told about ${about} yet`} command={buildCurl('PUT', path, exampleOf(about))}>
        {ABOUT[about].tells}
      </Empty>
    )
  }
  return (
    <>
      {data.length === 0 && <NoSuchPage onPage={onPage} />}
      <Failing notifications={data} isAll={pagination.page_count === 1} />
      {data.map(notification => (
        <NotificationCard key={notification.number} org={org} notification={notification} />
      ))}
      <Pager {...pagination} noun={`${ABOUT[about].noun} notification`} onChange={onPage} />
    </>
  )
}

function Failing({ notifications, isAll }: { notifications: readonly Notification[]; isAll: boolean }) {
  const failing = notifications.filter(({ is_failing }) => is_failing)
  if (failing.length === 0) return null
  return (
    <Alert color="red" title="Not everything arrives">
      {isAll ? 'Failing' : 'Failing on this page'}: {failing.map(({ name }) => name).join(', ')}
    </Alert>
  )
}
