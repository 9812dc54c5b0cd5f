// All environments of an org: what is red first.
import { Group, Select, Stack, Table, Text, TextInput, Title } from '@mantine/core'
import { useQuery } from '@tanstack/react-query'
import { useNavigate, useParams, useSearch } from '@tanstack/react-router'
import { apiPath, curl } from '../../parts/curl.ts'
import { PolicyLinks } from '../../parts/link-lists.tsx'
import { EnvironmentLink } from '../../parts/links.tsx'
import { Moment } from '../../parts/moment.tsx'
import { environmentsQuery } from '../../parts/queries.ts'
import { StateBadge, stateOf, urgency } from '../../parts/state-badge.tsx'
import { type Changed, defined, oneOf, textOf } from '../../ui/search-params.ts'
import { Empty, Failed, Loading } from '../../ui/states.tsx'
import type { Environment } from './answers.ts'
import { type EnvironmentListSearch, STATES } from './routes.ts'

export function EnvironmentsPage() {
  const { org } = useParams({ from: '/$org/environments' })
  const search = useSearch({ from: '/$org/environments' })
  return (
    <Stack>
      <Title order={1}>Environments</Title>
      <ListFilters search={search} />
      <EnvironmentTable org={org} search={search} />
    </Stack>
  )
}

function ListFilters({ search }: { search: EnvironmentListSearch }) {
  const navigate = useNavigate({ from: '/$org/environments' })
  const change = (changed: Changed<EnvironmentListSearch>) =>
    void navigate({ search: defined({ ...search, ...changed }), replace: true })
  return (
    <Group>
      <TextInput
        aria-label="Filter by name"
        placeholder="Filter by name"
        value={search.name ?? ''}
        onChange={({ currentTarget }) => change({ name: textOf(currentTarget.value) })}
      />
      <Select
        aria-label="Filter by compliance"
        placeholder="Any compliance"
        data={STATES.map(state => ({ value: state, label: state.toUpperCase() }))}
        value={search.state ?? null}
        onChange={state => change({ state: oneOf(state, STATES) })}
        clearable
      />
    </Group>
  )
}

const isSought = (each: Environment, { name = '', state }: EnvironmentListSearch) =>
  each.name.toLowerCase().includes(name.toLowerCase()) &&
  (state === undefined || stateOf(each.state).toLowerCase() === state)

export function EnvironmentTable({ org, search = {} }: { org: string; search?: EnvironmentListSearch }) {
  const environments = useQuery(environmentsQuery(org))
  if (environments.isPending) return <Loading />
  if (environments.error) return <Failed error={environments.error} />
  const shown = environments.data
    .filter(each => isSought(each, search))
    .sort((a, b) => urgency(a.state) - urgency(b.state) || a.name.localeCompare(b.name))
  if (environments.data.length === 0) return <NoEnvironments org={org} />
  if (shown.length === 0) return <Empty title="No environment fits the filters" />
  return (
    <Table.ScrollContainer minWidth={480}>
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
          {shown.map(each => (
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
