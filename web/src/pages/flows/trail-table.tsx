// The trails of a flow, newest first, with filters kept in the URL.
import { Group, Select, Stack, Text } from '@mantine/core'
import { useQuery } from '@tanstack/react-query'
import { buildApiPath, buildCurl } from '../../parts/curl.ts'
import { CommitLink, TrailLink } from '../../parts/links.tsx'
import type { Schemas } from '../../parts/schemas.ts'
import { formatState, StateBadge } from '../../parts/state-badge.tsx'
import { RelativeTime } from '../../parts/time.tsx'
import { DataTable } from '../../ui/data-table.tsx'
import { TextFilter } from '../../ui/filters.tsx'
import { NoSuchPage, Pager } from '../../ui/pager.tsx'
import { dropUndefined, pickOne } from '../../ui/search-params.ts'
import type { Column } from '../../ui/sort-rows.ts'
import { Empty, ErrorAlert, Loading } from '../../ui/states.tsx'
import { trailsQuery } from './queries.ts'
import { type FlowSearch, TRAIL_STATES } from './search.ts'
import { flowTexts as texts } from './texts.ts'

interface TrailTableProps {
  org: string
  flow: Pick<Schemas['Flow'], 'name' | 'archived'>
  search: FlowSearch
  onChange: (next: FlowSearch, options: { replace: boolean }) => void
}

export function TrailTable({ org, flow, search, onChange }: TrailTableProps) {
  const { page: _, ...rest } = search
  const show = (next: FlowSearch) => onChange(next, { replace: true })
  return (
    <Stack>
      <Group align="end">
        <TextFilter
          label={texts.trails.nameContains}
          placeholder={texts.trails.namePlaceholder}
          value={search.name}
          onChange={name => show(dropUndefined({ ...rest, name }))}
        />
        <TextFilter
          label={texts.trails.fingerprint}
          placeholder={texts.trails.fingerprintPlaceholder}
          value={search.fingerprint}
          onChange={fingerprint => show(dropUndefined({ ...rest, fingerprint }))}
        />
        <Select
          label={texts.trails.state}
          placeholder={texts.trails.anyState}
          data={TRAIL_STATES.map(each => ({ value: each, label: formatState(each) }))}
          value={search.state ?? null}
          onChange={chosen => show(dropUndefined({ ...rest, state: pickOne(chosen, TRAIL_STATES) }))}
          clearable
          clearButtonProps={{ 'aria-label': texts.trails.anyState }}
        />
      </Group>
      <Trails
        org={org}
        flow={flow}
        search={search}
        onPage={page => onChange({ ...search, page }, { replace: false })}
      />
    </Stack>
  )
}

const FINGERPRINT_PREFIX = /^[a-f0-9]{5,64}$/

interface TrailsProps extends Omit<TrailTableProps, 'onChange'> {
  onPage: (page: number) => void
}

function Trails(props: TrailsProps) {
  const { fingerprint } = props.search
  if (fingerprint !== undefined && !FINGERPRINT_PREFIX.test(fingerprint))
    return <Empty title={texts.trails.badFingerprint} />
  return <FoundTrails {...props} />
}

function FoundTrails({ org, flow, search, onPage }: TrailsProps) {
  const { name, fingerprint, state, page } = search
  const trails = useQuery(
    trailsQuery(org, {
      flow: flow.name,
      archived: flow.archived,
      ...dropUndefined({ search_by_name: name, fingerprint, state, page }),
    }),
  )
  if (trails.isPending) return <Loading />
  if (trails.error) return <ErrorAlert error={trails.error} />
  const { data, pagination } = trails.data
  if (pagination.total === 0) return <NoTrails org={org} flow={flow} search={search} />
  return (
    <Stack>
      {data.length === 0 ? (
        <NoSuchPage onPage={onPage} />
      ) : (
        <TrailRows org={org} trails={data} isPart={pagination.page_count > 1} />
      )}
      <Pager {...pagination} noun="trail" onChange={onPage} />
    </Stack>
  )
}

interface TrailRowsProps {
  org: string
  trails: readonly Schemas['TrailSummary'][]
  isPart: boolean
}

function TrailRows({ org, trails, isPart }: TrailRowsProps) {
  return (
    <DataTable
      caption={texts.trails.caption}
      columns={listColumns(org)}
      rows={trails}
      getKey={({ id }) => id}
      isPart={isPart}
    />
  )
}

const listColumns = (org: string): Column<Schemas['TrailSummary']>[] => [
  {
    title: texts.trails.trail,
    sortBy: ({ name }) => name,
    render: trail => (
      <>
        <TrailLink org={org} flow={trail.flow_name} trail={trail.name} />
        <Text size="sm" c="dimmed" lineClamp={1}>
          {trail.description}
        </Text>
      </>
    ),
  },
  {
    title: texts.trails.state,
    sortBy: ({ compliance_state }) => compliance_state,
    render: ({ compliance_state }) => <StateBadge by="template" state={compliance_state} />,
  },
  {
    title: texts.trails.commit,
    render: ({ git_commit_info }) => <CommitLink sha={git_commit_info?.sha1} url={git_commit_info?.url} />,
  },
  { title: texts.trails.author, sortBy: getAuthor, render: getAuthor },
  {
    title: texts.trails.lastChange,
    first: 'descending',
    sortBy: ({ last_modified_at }) => last_modified_at,
    render: ({ last_modified_at }) => <RelativeTime at={last_modified_at} />,
  },
]

const getAuthor = (trail: Schemas['TrailSummary']) => trail.git_commit_info?.author ?? trail.created_by

function NoTrails({ org, flow, search }: Omit<TrailTableProps, 'onChange'>) {
  if (search.name || search.fingerprint || search.state) return <Empty title={texts.trails.noMatch} />
  if (flow.archived) return <Empty title={texts.trails.noneEver} />
  const command = buildCurl('PUT', buildApiPath('trails', org, flow.name), {
    name: 'release-1',
    description: '',
  })
  return (
    <Empty title={texts.trails.none} command={command}>
      {texts.trails.noneHint}
    </Empty>
  )
}
