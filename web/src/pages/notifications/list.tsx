// The notifications about environments, flows and expiring API keys.
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
import { type About, buildExample, KINDS_OF_NOTIFICATION } from './about.ts'
import type { Notification } from './codes.ts'
import { KeyExpiryNotices } from './key-expiry-notices.tsx'
import { NotificationCard } from './notification-card.tsx'
import { notificationPageQuery } from './queries.ts'
import { notificationsTexts as texts } from './texts.ts'

export function NotificationsPage() {
  const { org } = useParams({ from: '/$org/settings/notifications' })
  const { isMember } = useRole(org)
  return (
    <Stack>
      <Crumbs here={texts.list.title}>
        <PageLink to="/$org/settings" params={{ org }}>
          {texts.crumbs.settings}
        </PageLink>
      </Crumbs>
      <Group justify="space-between">
        <Title order={1}>{texts.list.title}</Title>
        <Group>
          <ButtonLink variant="default" to="/$org/settings/notifications/deliveries" params={{ org }}>
            {texts.list.deliveries}
          </ButtonLink>
          {isMember && (
            <ButtonLink to="/$org/settings/notifications/new" params={{ org }}>
              {texts.list.create}
            </ButtonLink>
          )}
        </Group>
      </Group>
      {!isMember && <Text c="dimmed">{texts.list.readOnly}</Text>}
      {KINDS_OF_NOTIFICATION.map(about => (
        <Fragment key={about}>
          <Title order={2}>{texts.list[about]}</Title>
          <NotificationList org={org} about={about} />
        </Fragment>
      ))}
      <Title order={2}>{texts.list.keys}</Title>
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
      <Empty title={texts[about].empty} command={buildCurl('PUT', path, buildExample(about))}>
        {texts[about].emptyHelp}
      </Empty>
    )
  }
  return (
    <>
      {data.length === 0 && <NoSuchPage onPage={onPage} />}
      <FailingAlert notifications={data} isAll={pagination.page_count === 1} />
      {data.map(notification => (
        <NotificationCard key={notification.number} org={org} notification={notification} />
      ))}
      <Pager {...pagination} noun={texts[about].pagerNoun} onChange={onPage} />
    </>
  )
}

function FailingAlert({ notifications, isAll }: { notifications: readonly Notification[]; isAll: boolean }) {
  const failing = notifications.filter(({ is_failing }) => is_failing)
  if (failing.length === 0) return null
  const names = failing.map(({ name }) => name).join(', ')
  return (
    <Alert color="red" title={texts.list.failing}>
      {isAll ? texts.list.failingNames(names) : texts.list.failingOnPage(names)}
    </Alert>
  )
}
