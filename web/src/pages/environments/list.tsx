// All environments of an org: what is red first.
import { Group, Select, Stack, Table, Text, TextInput, Title } from '@mantine/core'
import { useQuery } from '@tanstack/react-query'
import { useNavigate, useParams, useSearch } from '@tanstack/react-router'
import { ComplianceBadge } from '../../parts/compliance-badge.tsx'
import { Moment } from '../../parts/moment.tsx'
import { Empty, Failed, Loading } from '../../ui/states.tsx'
import type { Environment } from './answers.ts'
import { PageLink, pathOf } from './links.tsx'
import { environmentsQuery } from './queries.ts'
import { type EnvironmentListSearch, STATES } from './routes.ts'

/** Red, then unknown, then green; by name among equals. */
const rank = (state: boolean | null) => (state === false ? 0 : state === null ? 1 : 2)

const stateName = (state: boolean | null) =>
  state === null ? 'unknown' : state ? 'compliant' : 'non-compliant'

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
  const change = (field: keyof EnvironmentListSearch, value: string | null) => {
    const { [field]: _, ...others } = search
    const next = value === null || value === '' ? others : { ...others, [field]: value }
    void navigate({ search: next as EnvironmentListSearch, replace: true })
  }
  return (
    <Group>
      <TextInput
        aria-label="Filter by name"
        placeholder="Filter by name"
        value={search.name ?? ''}
        onChange={({ currentTarget }) => change('name', currentTarget.value)}
      />
      <Select
        aria-label="Filter by compliance"
        placeholder="Any compliance"
        data={STATES.map(state => ({ value: state, label: state.toUpperCase() }))}
        value={search.state ?? null}
        onChange={state => change('state', state)}
        clearable
      />
    </Group>
  )
}

const isSought = (each: Environment, { name = '', state }: EnvironmentListSearch) =>
  each.name.toLowerCase().includes(name.toLowerCase()) &&
  (state === undefined || stateName(each.state) === state)

export function EnvironmentTable({ org, search = {} }: { org: string; search?: EnvironmentListSearch }) {
  const environments = useQuery(environmentsQuery(org))
  if (environments.isPending) return <Loading />
  if (environments.error) return <Failed error={environments.error} />
  const shown = environments.data
    .filter(each => isSought(each, search))
    .sort((a, b) => rank(a.state) - rank(b.state) || a.name.localeCompare(b.name))
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
        <PageLink to={pathOf(org, 'environments', environment.name)}>{environment.name}</PageLink>
        <Text size="xs" c="dimmed" lineClamp={1}>
          {environment.description}
        </Text>
      </Table.Td>
      <Table.Td>
        <ComplianceBadge compliant={environment.state} />
      </Table.Td>
      <Table.Td>{environment.type}</Table.Td>
      <Table.Td>{environment.policies.join(', ')}</Table.Td>
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
  const body = '{"name": "production", "type": "K8S", "description": ""}'
  const address = `${window.location.origin}/api/v2/environments/${encodeURIComponent(org)}`
  return (
    <Empty
      title="No environments yet"
      command={`curl -X PUT ${address} -H "Authorization: Bearer $API_KEY" -H 'Content-Type: application/json' -d '${body}'`}
    >
      An environment is a place where artifacts run.
    </Empty>
  )
}
