// The page of a flow: its trails, its template and its settings.
import { Group, Stack, Tabs, Text, Title } from '@mantine/core'
import { useQuery } from '@tanstack/react-query'
import { useNavigate, useParams, useSearch } from '@tanstack/react-router'
import { lazy, Suspense } from 'react'
import { loadLater } from '../../live/load-later.ts'
import { ArchivedNotice } from '../../parts/archived.tsx'
import type { Schemas } from '../../parts/schemas.ts'
import { StateBadge } from '../../parts/state-badge.tsx'
import { TagList } from '../../parts/tags.tsx'
import { RelativeTime } from '../../parts/time.tsx'
import { useCurrentName } from '../../parts/use-current-name.ts'
import { useRole } from '../../parts/use-role.ts'
import { Crumbs } from '../../ui/crumbs.tsx'
import { PageLink } from '../../ui/page-link.tsx'
import { dropUndefined, pickOne } from '../../ui/search-params.ts'
import { ErrorAlert, Loading } from '../../ui/states.tsx'
import { parseTrendsSearch } from '../trends/search.ts'
import { FlowSettings } from './flow-settings.tsx'
import { FlowTemplate } from './flow-template.tsx'
import { flowQuery } from './queries.ts'
import { FLOW_TABS } from './search.ts'
import { flowTexts as texts } from './texts.ts'
import { TrailTable } from './trail-table.tsx'

/** Its charts are loaded when they are shown. */
const DeploymentTrendsView = lazy(() =>
  loadLater(() => import('../trends/deployment-trends.tsx')).then(loaded => ({
    default: loaded.DeploymentTrendsView,
  })),
)

export function FlowPage() {
  const { org, flow: name } = useParams({ from: '/$org/flows/$flow' })
  const flow = useQuery(flowQuery(org, name))
  return (
    <Stack>
      <Crumbs here={name}>
        <PageLink to="/$org/flows" params={{ org }}>
          {texts.title}
        </PageLink>
      </Crumbs>
      <Title order={1} className="fingerprint">
        {name}
      </Title>
      {flow.isPending ? (
        <Loading />
      ) : flow.error ? (
        <ErrorAlert error={flow.error} />
      ) : (
        <Content org={org} flow={flow.data} />
      )}
    </Stack>
  )
}

function Content({ org, flow }: { org: string; flow: Schemas['Flow'] }) {
  const search = useSearch({ from: '/$org/flows/$flow' })
  const { isMember } = useRole(org)
  useCurrentName('flow', flow.name)
  const canChange = isMember && !flow.archived
  const tab = search.tab === 'settings' && !canChange ? 'trails' : (search.tab ?? 'trails')
  const navigate = useNavigate({ from: '/$org/flows/$flow' })
  return (
    <>
      {flow.archived && <ArchivedNotice org={org} kind="flow" name={flow.name} />}
      {flow.description !== '' && <Text>{flow.description}</Text>}
      <Group gap="md">
        <StateBadge by="template" state={flow.latest_state} />
        <Text size="sm" c="dimmed">
          {texts.detail.lastActivity} <RelativeTime at={flow.latest_activity_at} />
          {texts.detail.lastDeployment} <RelativeTime at={flow.last_deployment_at} />
        </Text>
        <TagList tags={flow.tags} />
      </Group>
      <Tabs
        value={tab}
        keepMounted={false}
        onChange={next => void navigate({ search: dropUndefined({ tab: pickOne(next, FLOW_TABS) }) })}
      >
        <Tabs.List mb="md">
          <Tabs.Tab value="trails">{texts.detail.trails}</Tabs.Tab>
          <Tabs.Tab value="trends">{texts.detail.trends}</Tabs.Tab>
          <Tabs.Tab value="template">{texts.detail.template}</Tabs.Tab>
          {canChange && <Tabs.Tab value="settings">{texts.detail.settings}</Tabs.Tab>}
        </Tabs.List>
        <Tabs.Panel value="trails">
          <TrailTable
            org={org}
            flow={flow}
            search={search}
            onChange={(next, options) => void navigate({ search: next, ...options })}
          />
        </Tabs.Panel>
        <Tabs.Panel value="trends">
          <Suspense fallback={<Loading />}>
            <DeploymentTrendsView
              org={org}
              flow={flow.name}
              search={parseTrendsSearch({ ...search })}
              onChange={next => void navigate({ search: { tab: 'trends', ...next }, replace: true })}
            />
          </Suspense>
        </Tabs.Panel>
        <Tabs.Panel value="template">
          <FlowTemplate org={org} flow={flow} />
        </Tabs.Panel>
        <Tabs.Panel value="settings">
          <FlowSettings key={flow.name} org={org} flow={flow} />
        </Tabs.Panel>
      </Tabs>
    </>
  )
}
