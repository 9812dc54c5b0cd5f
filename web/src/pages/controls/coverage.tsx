// Where a control is asked for: how many environments, which, and by which policies.
import { Badge, Group, Progress, Select, Stack, Table, Text } from '@mantine/core'
import { useQuery } from '@tanstack/react-query'
import { useNavigate, useSearch } from '@tanstack/react-router'
import { PolicyLinks } from '../../parts/link-lists.tsx'
import { EnvironmentLink } from '../../parts/links.tsx'
import type { Schemas } from '../../parts/schemas.ts'
import { TextFilter } from '../../ui/filters.tsx'
import { Pager } from '../../ui/pager.tsx'
import type { Patch } from '../../ui/search-params.ts'
import { Empty, ErrorAlert, Loading } from '../../ui/states.tsx'
import { coverageQuery } from './queries.ts'
import { type ControlSearch, controlSearch } from './routes.ts'

const STATES = [
  { value: 'true', label: 'Covered' },
  { value: 'false', label: 'Not covered' },
]

export function Coverage({ org, identifier }: { org: string; identifier: string }) {
  const search = useSearch({ from: '/$org/controls/$identifier' })
  const navigate = useNavigate({ from: '/$org/controls/$identifier' })
  const coverage = useQuery(coverageQuery(org, identifier, search))
  const change = (part: Patch<ControlSearch>) =>
    void navigate({
      search: controlSearch({ ...search, page: undefined, ...part }),
      replace: true,
      resetScroll: false,
    })
  if (coverage.isPending) return <Loading />
  if (coverage.error) return <ErrorAlert error={coverage.error} />
  const { total, covered, coverage_percent, environments } = coverage.data
  return (
    <Stack>
      <div>
        <Text>
          {coverage_percent}%: a policy asks for it in {covered} of {total} environments
        </Text>
        <Progress value={coverage_percent} aria-label="Covered environments in percent" mt={4} />
      </div>
      <Group align="end">
        <TextFilter
          label="Environment"
          placeholder="Part of its name"
          value={search.search}
          onChange={text => change({ search: text })}
        />
        <Select
          label="Coverage"
          placeholder="Any"
          data={STATES}
          value={search.covered === undefined ? null : String(search.covered)}
          clearable
          w={160}
          onChange={chosen => change({ covered: chosen === null ? undefined : chosen === 'true' })}
        />
      </Group>
      {environments.length === 0 ? (
        <Empty title="No environment is like that">Take a filter away.</Empty>
      ) : (
        <Environments org={org} environments={environments} />
      )}
      <Pager
        page={coverage.data.page}
        page_count={coverage.data.total_pages}
        total={coverage.data.total_count}
        noun="environment"
        onChange={page => change({ page })}
      />
    </Stack>
  )
}

type CoveredEnvironment = Schemas['CoveredEnvironment']

function Environments({ org, environments }: { org: string; environments: CoveredEnvironment[] }) {
  return (
    <Table.ScrollContainer minWidth={480}>
      <Table>
        <Table.Thead>
          <Table.Tr>
            <Table.Th>Environment</Table.Th>
            <Table.Th>Type</Table.Th>
            <Table.Th>Coverage</Table.Th>
            <Table.Th>Policies that ask for it</Table.Th>
          </Table.Tr>
        </Table.Thead>
        <Table.Tbody>
          {environments.map(({ name, type, covered, policies }) => (
            <Table.Tr key={name}>
              <Table.Td>
                <EnvironmentLink org={org} environment={name} />
              </Table.Td>
              <Table.Td>{type}</Table.Td>
              <Table.Td>
                <Badge color={covered ? 'green' : 'gray'} variant="light">
                  {covered ? 'COVERED' : 'NOT COVERED'}
                </Badge>
              </Table.Td>
              <Table.Td>
                <PolicyLinks org={org} names={policies} />
              </Table.Td>
            </Table.Tr>
          ))}
        </Table.Tbody>
      </Table>
    </Table.ScrollContainer>
  )
}
