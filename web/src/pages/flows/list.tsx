// All flows of an organization, with the state of the latest trail of each.
import { Group, Stack, Text, Title } from '@mantine/core'
import { useQuery } from '@tanstack/react-query'
import { useNavigate, useParams, useSearch } from '@tanstack/react-router'
import { ArchivedSwitch, buildListTitle } from '../../parts/archived.tsx'
import { buildApiPath, buildCurl } from '../../parts/curl.ts'
import { FlowLink } from '../../parts/links.tsx'
import type { Schemas } from '../../parts/schemas.ts'
import { StateBadge } from '../../parts/state-badge.tsx'
import { TagList } from '../../parts/tags.tsx'
import { RelativeTime } from '../../parts/time.tsx'
import { useRole } from '../../parts/use-role.ts'
import { DataTable } from '../../ui/data-table.tsx'
import { TextFilter } from '../../ui/filters.tsx'
import { ButtonLink } from '../../ui/page-link.tsx'
import { NoSuchPage, Pager } from '../../ui/pager.tsx'
import { dropUndefined, pickOne, readSwitch } from '../../ui/search-params.ts'
import type { Column, Sort } from '../../ui/sort-rows.ts'
import { Empty, ErrorAlert, Loading } from '../../ui/states.tsx'
import { flowsQuery } from './queries.ts'
import { FLOW_ORDERS, type FlowsSearch } from './search.ts'
import { flowTexts as texts } from './texts.ts'

export function FlowsPage() {
  const { org } = useParams({ from: '/$org/flows' })
  const search = useSearch({ from: '/$org/flows' })
  const { isMember } = useRole(org)
  const navigate = useNavigate({ from: '/$org/flows' })
  const show = (next: FlowsSearch) => void navigate({ search: next, replace: true })
  return (
    <Stack>
      <Group justify="space-between">
        <Title order={1}>{buildListTitle(texts.title, search.archived)}</Title>
        {isMember && (
          <ButtonLink to="/$org/new-flow" params={{ org }}>
            {texts.create.title}
          </ButtonLink>
        )}
      </Group>
      <Group align="end">
        <TextFilter
          label={texts.list.nameContains}
          value={search.name}
          onChange={name => show(dropUndefined({ ...search, page: undefined, name }))}
        />
        <TextFilter
          label={texts.list.tag}
          placeholder={texts.list.tagPlaceholder}
          value={search.tag}
          onChange={tag => show(dropUndefined({ ...search, page: undefined, tag }))}
        />
      </Group>
      <Flows
        org={org}
        search={search}
        onPage={page => void navigate({ search: { ...search, page } })}
        onSort={({ key, order }) =>
          show(
            dropUndefined({
              ...search,
              page: undefined,
              sort: pickOne(key, FLOW_ORDERS),
              descending: readSwitch(order === 'descending'),
            }),
          )
        }
      />
    </Stack>
  )
}

interface FlowsProps {
  org: string
  search: FlowsSearch
  onPage: (page: number) => void
  onSort: (sort: Sort) => void
}

function Flows({ org, search, onPage, onSort }: FlowsProps) {
  const flows = useQuery(flowsQuery(org, search))
  if (flows.isPending) return <Loading />
  if (flows.error) return <ErrorAlert error={flows.error} />
  const { data, pagination, archived_count } = flows.data
  return (
    <Stack>
      <ArchivedSwitch
        list="/$org/flows"
        org={org}
        noun="flow"
        search={search}
        archived_count={archived_count}
      />
      {pagination.total === 0 ? (
        <NoFlows org={org} search={search} archived_count={archived_count} />
      ) : data.length === 0 ? (
        <NoSuchPage onPage={onPage} />
      ) : (
        <FlowTable org={org} flows={data} search={search} onSort={onSort} />
      )}
      {pagination.total > 0 && <Pager {...pagination} noun="flow" onChange={onPage} />}
    </Stack>
  )
}

interface TableProps {
  org: string
  flows: readonly Schemas['Flow'][]
  search: FlowsSearch
  onSort: (sort: Sort) => void
}

function FlowTable({ org, flows, search: { sort = 'name', descending }, onSort }: TableProps) {
  return (
    <DataTable
      caption={texts.title}
      columns={listColumns(org)}
      rows={flows}
      getKey={({ id }) => id}
      server={{ sort: { key: sort, order: descending ? 'descending' : 'ascending' }, onSort }}
    />
  )
}

const listColumns = (org: string): Column<Schemas['Flow']>[] => [
  {
    title: texts.list.name,
    key: 'name',
    render: ({ name, description }) => (
      <>
        <FlowLink org={org} flow={name} />
        <Text size="sm" c="dimmed" lineClamp={2}>
          {description}
        </Text>
      </>
    ),
  },
  {
    title: texts.list.latestTrail,
    render: ({ latest_state }) =>
      latest_state === null ? texts.list.noTrail : <StateBadge by="template" state={latest_state} />,
  },
  { title: texts.list.tags, render: ({ tags }) => <TagList tags={tags} /> },
  {
    title: texts.list.lastActivity,
    key: 'latest_activity',
    first: 'descending',
    render: ({ latest_activity_at }) => <RelativeTime at={latest_activity_at} />,
  },
  {
    title: texts.list.lastDeployment,
    render: ({ last_deployment_at }) => <RelativeTime at={last_deployment_at} />,
  },
]

interface NoneProps {
  org: string
  search: FlowsSearch
  archived_count: number
}

function NoFlows({ org, search, archived_count }: NoneProps) {
  const { name, tag, archived } = search
  if (name !== undefined || tag !== undefined)
    return <Empty title={archived ? texts.list.noArchivedMatch : texts.list.noMatch} />
  if (archived) return <Empty title={texts.list.noneArchived} />
  if (archived_count > 0) return <Empty title={texts.list.allArchived} />
  const body = { name: 'backend', description: 'Builds and tests the backend' }
  return (
    <Empty title={texts.list.none} command={buildCurl('PUT', buildApiPath('flows', org), body)}>
      {texts.list.noneHint}
    </Empty>
  )
}
