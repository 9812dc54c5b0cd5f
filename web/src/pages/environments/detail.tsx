// The page of an environment, now or at an earlier snapshot: its state and its tabs.
import { Badge, Group, Stack, Tabs, Text, Title } from '@mantine/core'
import { useQuery } from '@tanstack/react-query'
import { Outlet } from '@tanstack/react-router'
import { lazy, Suspense } from 'react'
import { loadLater } from '../../live/load-later.ts'
import { ArchivedNotice } from '../../parts/archived.tsx'
import { EnvironmentLinks } from '../../parts/link-lists.tsx'
import { computeStates, StateBadges } from '../../parts/state-badge.tsx'
import { TagList } from '../../parts/tags.tsx'
import { RelativeTime } from '../../parts/time.tsx'
import { UnknownNotice } from '../../parts/unknown-notice.tsx'
import { useCurrentName } from '../../parts/use-current-name.ts'
import { useStalenessOf } from '../../parts/use-staleness.ts'
import { Crumbs } from '../../ui/crumbs.tsx'
import { PageLink } from '../../ui/page-link.tsx'
import { pickOne } from '../../ui/search-params.ts'
import { ErrorAlert, Loading } from '../../ui/states.tsx'
import { AllowListTab } from './allow-list.tsx'
import type { Environment } from './answers.ts'
import { CompareTab } from './compare.tsx'
import { LogTab } from './log.tsx'
import { PartialNotice } from './partial-notice.tsx'
import { type Place, useChangeSearch, usePlace } from './place.ts'
import { PoliciesTab } from './policies.tsx'
import { environmentQuery } from './queries.ts'
import { TABS, type Tab } from './search.ts'
import { SettingsTab } from './settings.tsx'
import { SnapshotTab } from './snapshot.tsx'
import { SnapshotsTab } from './snapshots.tsx'
import { StaleNotice } from './stale-notice.tsx'
import { environmentTexts as texts } from './texts.ts'

/** Its charts are loaded when they are shown. */
const EnvironmentTrends = lazy(() =>
  loadLater(() => import('./trends/trends.tsx')).then(({ EnvironmentTrends: found }) => ({ default: found })),
)

export function EnvironmentPage() {
  const place = usePlace()
  const environment = useQuery(environmentQuery(place.org, place.environment))
  return (
    <Stack>
      <Crumbs here={place.environment}>
        <PageLink to="/$org/environments" params={{ org: place.org }}>
          {texts.title}
        </PageLink>
      </Crumbs>
      {environment.isPending ? (
        <Loading />
      ) : environment.error ? (
        <>
          <Title order={1} className="long-name">
            {place.environment}
          </Title>
          <ErrorAlert error={environment.error} />
          <Text>
            <PageLink to="/$org/environments" params={{ org: place.org }}>
              {texts.header.seeAll}
            </PageLink>
          </Text>
        </>
      ) : (
        <Loaded place={place} loaded={environment.data} />
      )}
      <Outlet />
    </Stack>
  )
}

function Loaded({ place, loaded }: { place: Place; loaded: Environment }) {
  const environment = useStalenessOf(loaded)
  useCurrentName('environment', environment.name)
  return (
    <>
      <Header environment={environment} isPast={place.expression !== null} />
      {environment.archived && <ArchivedNotice org={place.org} kind="environment" name={environment.name} />}
      <EnvironmentTabs place={place} environment={environment} />
    </>
  )
}

function Header({ environment, isPast }: { environment: Environment; isPast: boolean }) {
  return (
    <Stack gap={4}>
      <Group>
        <Title order={1} className="long-name">
          {environment.name}
        </Title>
        <Group gap="xs" wrap="nowrap">
          {isPast && <Text size="sm">{texts.header.now}</Text>}
          <StateBadges by="policies" states={computeStates(environment)} />
        </Group>
        <Badge variant="outline" color="gray">
          {environment.neutral_type}
        </Badge>
      </Group>
      <StaleNotice environment={environment} />
      <PartialNotice environment={environment} />
      <UnknownNotice environment={environment} />
      {environment.description !== '' && <Text>{environment.description}</Text>}
      <Text size="sm" c="dimmed">
        {environment.type !== 'logical' && (
          <>
            {texts.header.lastReported} <RelativeTime at={environment.last_reported_at} />
            {environment.reporter !== null &&
              ` ${texts.header.reportedWith(environment.reporter.name, environment.reporter.version ?? '')}`}
            .{' '}
          </>
        )}
        {texts.header.lastChanged} <RelativeTime at={environment.last_changed_at} />.
      </Text>
      {environment.included_environments !== null && (
        <Group gap="xs" fz="sm">
          {texts.header.combines}{' '}
          <EnvironmentLinks org={environment.org} names={environment.included_environments} />
        </Group>
      )}
      {Object.keys(environment.tags).length > 0 && <TagList tags={environment.tags} />}
    </Stack>
  )
}

function EnvironmentTabs({ place, environment }: { place: Place; environment: Environment }) {
  const change = useChangeSearch()
  // An archived environment has no settings.
  const tabs = environment.archived ? TABS.filter(tab => tab !== 'settings') : TABS
  const shown = pickOne(place.search.tab, tabs) ?? 'now'
  return (
    <Tabs
      value={shown}
      keepMounted={false}
      onChange={tab => change({ tab: tab === 'now' ? undefined : pickOne(tab, TABS) })}
    >
      <Tabs.List mb="md">
        {tabs.map(tab => (
          <Tabs.Tab key={tab} value={tab}>
            {tab === 'now' && place.expression !== null ? texts.snapshotTab : texts.tabs[tab]}
          </Tabs.Tab>
        ))}
      </Tabs.List>
      <Tabs.Panel value={shown}>
        <TabContent tab={shown} place={place} environment={environment} />
      </Tabs.Panel>
    </Tabs>
  )
}

function TabContent({ tab, place, environment }: { tab: Tab; place: Place; environment: Environment }) {
  switch (tab) {
    case 'now':
      return <SnapshotTab place={place} environment={environment} />
    case 'timeline':
      return <SnapshotsTab place={place} environment={environment} />
    case 'trends':
      return (
        <Suspense fallback={<Loading />}>
          <EnvironmentTrends place={place} />
        </Suspense>
      )
    case 'log':
      return <LogTab place={place} />
    case 'compare':
      return <CompareTab place={place} latest={environment.latest_snapshot_index} />
    case 'allow-list':
      return <AllowListTab place={place} environment={environment} />
    case 'policies':
      return <PoliciesTab place={place} environment={environment} />
    case 'settings':
      return <SettingsTab key={environment.name} place={place} environment={environment} />
  }
}
