// All flows of an organization, with the state of the latest trail of each.
import { Group, NativeSelect, Stack, Table, Text, Title } from '@mantine/core'
import { useQuery } from '@tanstack/react-query'
import { useNavigate, useParams, useSearch } from '@tanstack/react-router'
import { ArchivedSwitch, buildListTitle } from '../../parts/archived.tsx'
import { buildApiPath, buildCurl } from '../../parts/curl.ts'
import { FlowLink } from '../../parts/links.tsx'
import type { Schemas } from '../../parts/schemas.ts'
import { StateBadge } from '../../parts/state-badge.tsx'
import { TagList } from '../../parts/tags.tsx'
import { RelativeTime } from '../../parts/time.tsx'
import { TextFilter } from '../../ui/filters.tsx'
import { NoSuchPage, Pager } from '../../ui/pager.tsx'
import { dropUndefined, pickOne } from '../../ui/search-params.ts'
import { Empty, ErrorAlert, Loading } from '../../ui/states.tsx'
import { flowsQuery } from './queries.ts'
import { FLOW_ORDERS, type FlowsSearch } from './search.ts'
import { flowTexts as texts } from './texts.ts'

export function FlowsPage() {
  const { org } = useParams({ from: '/$org/flows' })
  const search = useSearch({ from: '/$org/flows' })
  const navigate = useNavigate({ from: '/$org/flows' })
  const show = (next: FlowsSearch) => void navigate({ search: next, replace: true })
  return (
    <Stack>
      <Title order={1}>{buildListTitle(texts.title, search.archived)}</Title>
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
        <NativeSelect
          label={texts.list.order}
          value={search.sort ?? 'name'}
          data={[
            { value: 'name', label: texts.list.byName },
            { value: 'latest_activity', label: texts.list.byActivity },
          ]}
          onChange={({ currentTarget }) =>
            show(
              dropUndefined({ ...search, page: undefined, sort: pickOne(currentTarget.value, FLOW_ORDERS) }),
            )
          }
        />
      </Group>
      <Flows org={org} search={search} onPage={page => void navigate({ search: { ...search, page } })} />
    </Stack>
  )
}

interface FlowsProps {
  org: string
  search: FlowsSearch
  onPage: (page: number) => void
}

function Flows({ org, search, onPage }: FlowsProps) {
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
        <FlowTable org={org} flows={data} />
      )}
      {pagination.total > 0 && <Pager {...pagination} noun="flow" onChange={onPage} />}
    </Stack>
  )
}

function FlowTable({ org, flows }: { org: string; flows: readonly Schemas['Flow'][] }) {
  return (
    <Table.ScrollContainer minWidth={640}>
      <Table highlightOnHover>
        <Table.Thead>
          <Table.Tr>
            <Table.Th>{texts.list.name}</Table.Th>
            <Table.Th>{texts.list.latestTrail}</Table.Th>
            <Table.Th>{texts.list.tags}</Table.Th>
            <Table.Th>{texts.list.lastActivity}</Table.Th>
            <Table.Th>{texts.list.lastDeployment}</Table.Th>
          </Table.Tr>
        </Table.Thead>
        <Table.Tbody>
          {flows.map(flow => (
            <FlowRow key={flow.id} org={org} flow={flow} />
          ))}
        </Table.Tbody>
      </Table>
    </Table.ScrollContainer>
  )
}

function FlowRow({ org, flow }: { org: string; flow: Schemas['Flow'] }) {
  return (
    <Table.Tr>
      <Table.Td>
        <FlowLink org={org} flow={flow.name} />
        <Text size="sm" c="dimmed" lineClamp={2}>
          {flow.description}
        </Text>
      </Table.Td>
      <Table.Td>
        {flow.latest_state === null ? (
          texts.list.noTrail
        ) : (
          <StateBadge by="template" state={flow.latest_state} />
        )}
      </Table.Td>
      <Table.Td>
        <TagList tags={flow.tags} />
      </Table.Td>
      <Table.Td>
        <RelativeTime at={flow.latest_activity_at} />
      </Table.Td>
      <Table.Td>
        <RelativeTime at={flow.last_deployment_at} />
      </Table.Td>
    </Table.Tr>
  )
}

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
