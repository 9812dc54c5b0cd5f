// All environments of an org: what is red first.
import { Stack, Table, Text, Title } from '@mantine/core'
import { keepPreviousData, useQuery } from '@tanstack/react-query'
import { useNavigate, useParams, useSearch } from '@tanstack/react-router'
import { apiPath, curl } from '../../parts/curl.ts'
import { PolicyLinks } from '../../parts/link-lists.tsx'
import { EnvironmentLink } from '../../parts/links.tsx'
import { Moment } from '../../parts/moment.tsx'
import { PER_PAGE } from '../../parts/schemas.ts'
import { StateBadge, stateOf, urgency } from '../../parts/state-badge.tsx'
import { TagList } from '../../parts/tags.tsx'
import { Pager } from '../../ui/pager.tsx'
import { defined, pageOf } from '../../ui/search-params.ts'
import { Empty, Failed, Loading } from '../../ui/states.tsx'
import type { Environment } from './answers.ts'
import { ListFilters } from './list-filters.tsx'
import { foundEnvironmentsQuery } from './queries.ts'
import type { EnvironmentListSearch } from './routes.ts'
import { Silence } from './silence.tsx'

export function EnvironmentsPage() {
  const { org } = useParams({ from: '/$org/environments' })
  const search = useSearch({ from: '/$org/environments' })
  return (
    <Stack>
      <Title order={1}>Environments</Title>
      <ListFilters search={search} />
      <Environments org={org} search={search} />
    </Stack>
  )
}

/**
 * The server finds by name, type and tag. It knows neither the filter by compliance nor the order that puts what is red
 * first, so both are made here, of all that it found.
 */
function Environments({ org, search }: { org: string; search: EnvironmentListSearch }) {
  const navigate = useNavigate({ from: '/$org/environments' })
  const { name, type, tag, state, page = 1 } = search
  const found = useQuery({
    ...foundEnvironmentsQuery(org, defined({ name, type, tag })),
    placeholderData: keepPreviousData,
  })
  if (found.isPending) return <Loading />
  if (found.error) return <Failed error={found.error} />
  const ordered = found.data
    .filter(each => state === undefined || stateOf(each.state).toLowerCase() === state)
    .sort((a, b) => urgency(a.state) - urgency(b.state) || a.name.localeCompare(b.name))
  if (ordered.length === 0)
    return name || type || tag || state ? (
      <Empty title="No environment fits the filters" />
    ) : (
      <NoEnvironments org={org} />
    )
  return (
    <>
      <EnvironmentTable org={org} environments={ordered.slice((page - 1) * PER_PAGE, page * PER_PAGE)} />
      <Pager
        page={page}
        page_count={Math.ceil(ordered.length / PER_PAGE)}
        total={ordered.length}
        noun="environment"
        onChange={chosen => void navigate({ search: defined({ ...search, page: pageOf(chosen) }) })}
      />
    </>
  )
}

function EnvironmentTable({ org, environments }: { org: string; environments: readonly Environment[] }) {
  return (
    <Table.ScrollContainer minWidth={640}>
      <Table highlightOnHover>
        <Table.Thead>
          <Table.Tr>
            <Table.Th>Name</Table.Th>
            <Table.Th>Compliance</Table.Th>
            <Table.Th>Type</Table.Th>
            <Table.Th>Policies</Table.Th>
            <Table.Th>Last change</Table.Th>
            <Table.Th>Last report</Table.Th>
          </Table.Tr>
        </Table.Thead>
        <Table.Tbody>
          {environments.map(each => (
            <EnvironmentRow key={each.name} org={org} environment={each} />
          ))}
        </Table.Tbody>
      </Table>
    </Table.ScrollContainer>
  )
}

function EnvironmentRow({ org, environment }: { org: string; environment: Environment }) {
  return (
    <Table.Tr>
      <Table.Td>
        <EnvironmentLink org={org} environment={environment.name} />
        <Text size="xs" c="dimmed" lineClamp={1}>
          {environment.description}
        </Text>
        <TagList tags={environment.tags} />
      </Table.Td>
      <Table.Td>
        <StateBadge state={stateOf(environment.state)} />
      </Table.Td>
      <Table.Td>{environment.type}</Table.Td>
      <Table.Td>
        <PolicyLinks org={org} names={environment.policies} />
      </Table.Td>
      <Table.Td>
        <Moment at={environment.last_changed_at} />
      </Table.Td>
      <Table.Td>
        {environment.type === 'logical' ? 'combined' : <Moment at={environment.last_reported_at} />}
        <div>
          <Silence environment={environment} />
        </div>
      </Table.Td>
    </Table.Tr>
  )
}

function NoEnvironments({ org }: { org: string }) {
  const body = { name: 'production', type: 'K8S', description: '' }
  return (
    <Empty title="No environments yet" command={curl('PUT', apiPath('environments', org), body)}>
      An environment is a place where artifacts run.
    </Empty>
  )
}
