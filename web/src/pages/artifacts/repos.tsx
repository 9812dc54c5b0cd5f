// All repositories named in reports, with the state of the newest trail and of the running artifacts.
import { Group, Stack, Text, Title } from '@mantine/core'
import { useQuery } from '@tanstack/react-query'
import { useNavigate, useParams, useSearch } from '@tanstack/react-router'
import { buildApiPath, buildCurl } from '../../parts/curl.ts'
import { RepoLink, TrailLink } from '../../parts/links.tsx'
import type { Schemas } from '../../parts/schemas.ts'
import { type State, StateBadge } from '../../parts/state-badge.tsx'
import { TagList } from '../../parts/tags.tsx'
import { RelativeTime } from '../../parts/time.tsx'
import { DataTable } from '../../ui/data-table.tsx'
import { ExternalLink } from '../../ui/external-link.tsx'
import { TextFilter } from '../../ui/filters.tsx'
import { Pager } from '../../ui/pager.tsx'
import { dropUndefined } from '../../ui/search-params.ts'
import type { Column } from '../../ui/sort-rows.ts'
import { Empty, ErrorAlert, Loading } from '../../ui/states.tsx'
import { reposQuery } from './queries.ts'
import type { ReposSearch } from './search.ts'
import { repoTexts as texts } from './texts-repos.ts'

type ListedRepo = Schemas['ListedRepo']

export function ReposPage() {
  const { org } = useParams({ from: '/$org/repos/' })
  const search = useSearch({ from: '/$org/repos/' })
  const navigate = useNavigate({ from: '/$org/repos/' })
  return (
    <Stack>
      <Title order={1}>{texts.title}</Title>
      <TextFilter
        label={texts.list.nameContains}
        value={search.name}
        onChange={name => void navigate({ search: dropUndefined({ name }), replace: true })}
      />
      <RepoTable org={org} search={search} onPage={page => void navigate({ search: { ...search, page } })} />
    </Stack>
  )
}

interface RepoTableProps {
  org: string
  search: ReposSearch
  onPage: (page: number) => void
}

function RepoTable({ org, search, onPage }: RepoTableProps) {
  const repos = useQuery(reposQuery(org, search))
  if (repos.isPending) return <Loading />
  if (repos.error) return <ErrorAlert error={repos.error} />
  const { repos: shown, page, total_pages, total_count } = repos.data
  if (total_count === 0) return <NoRepos org={org} isFiltered={search.name !== undefined} />
  return (
    <Stack>
      <DataTable
        caption={texts.title}
        columns={listColumns(org)}
        rows={shown}
        getKey={({ id }) => id}
        isPart={total_pages > 1}
        isWide
      />
      <Pager page={page} page_count={total_pages} total={total_count} noun="repository" onChange={onPage} />
    </Stack>
  )
}

const listColumns = (org: string): Column<ListedRepo>[] => [
  {
    title: texts.list.name,
    sortBy: ({ name }) => name,
    render: ({ name, url }) => (
      <>
        <RepoLink org={org} repo={name} />
        <Text size="sm" c="dimmed">
          <ExternalLink href={url} />
        </Text>
      </>
    ),
  },
  {
    title: texts.list.latestTrail,
    sortBy: ({ latest_trail }) => latest_trail?.state ?? '',
    render: ({ latest_trail: trail }) =>
      trail === null ? (
        texts.list.noTrail
      ) : (
        <>
          <StateBadge by="template" state={trail.state} />
          <Text size="sm">
            <TrailLink org={org} flow={trail.flow_name} trail={trail.trail_name} />
          </Text>
        </>
      ),
  },
  {
    title: texts.list.running,
    sortBy: ({ running }) => running.non_compliant,
    first: 'descending',
    render: ({ running }) => <Running running={running} />,
  },
  {
    title: texts.list.lastActivity,
    sortBy: ({ latest_trail }) => latest_trail?.last_modified_at ?? 0,
    first: 'descending',
    render: ({ latest_trail, last_modified_at }) => (
      <RelativeTime at={latest_trail?.last_modified_at ?? last_modified_at} />
    ),
  },
  { title: texts.list.tags, render: ({ tags }) => <TagList tags={tags} /> },
  {
    title: texts.list.host,
    sortBy: ({ provider }) => provider,
    render: ({ provider }) => provider || texts.list.unknownHost,
  },
]

/** The worst first. */
const STATES: readonly [keyof ListedRepo['running'], State][] = [
  ['non_compliant', 'NON-COMPLIANT'],
  ['stale', 'STALE'],
  ['unknown', 'UNKNOWN'],
  ['compliant', 'COMPLIANT'],
]

function Running({ running }: { running: ListedRepo['running'] }) {
  if (running.environments === 0) return texts.list.notRunning
  return (
    <>
      <Group gap={4} title={texts.list.byPolicies}>
        {STATES.filter(([key]) => running[key] > 0).map(([key, state]) => (
          <StateBadge key={key} by="policies" state={state} count={running[key]} />
        ))}
      </Group>
      <Text size="sm" c="dimmed">
        {texts.list.inEnvironments(running.environments)}
      </Text>
    </>
  )
}

function NoRepos({ org, isFiltered }: { org: string; isFiltered: boolean }) {
  const repo_info = { id: '311', name: 'owner/name', url: 'https://git.example/owner/name' }
  return (
    <Empty
      title={isFiltered ? texts.list.noMatch : texts.list.none}
      command={buildCurl('PUT', buildApiPath('trails', org, 'FLOW'), { name: 'release-1', repo_info })}
    >
      {texts.list.noneHint}
    </Empty>
  )
}
