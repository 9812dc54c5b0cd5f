// The environments that require a control, and the policies that do so.
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
import { type ControlSearch, parseControlSearch } from './search.ts'
import { controlTexts as texts } from './texts.ts'

const STATES = [
  { value: 'true', label: texts.coverage.covered },
  { value: 'false', label: texts.coverage.notCovered },
]

export function Coverage({ org, identifier }: { org: string; identifier: string }) {
  const search = useSearch({ from: '/$org/controls/$identifier' })
  const navigate = useNavigate({ from: '/$org/controls/$identifier' })
  const coverage = useQuery(coverageQuery(org, identifier, search))
  const change = (part: Patch<ControlSearch>) =>
    void navigate({
      search: parseControlSearch({ ...search, page: undefined, ...part }),
      replace: true,
      resetScroll: false,
    })
  if (coverage.isPending) return <Loading />
  if (coverage.error) return <ErrorAlert error={coverage.error} />
  const { total, covered, coverage_percent, environments } = coverage.data
  return (
    <Stack>
      <div>
        <Text>{texts.coverage.summary(coverage_percent, covered, total)}</Text>
        <Progress value={coverage_percent} aria-label={texts.coverage.percentage} mt={4} />
      </div>
      <Group align="end">
        <TextFilter
          label={texts.coverage.environment}
          placeholder={texts.coverage.environmentPlaceholder}
          value={search.search}
          onChange={text => change({ search: text })}
        />
        <Select
          label={texts.coverage.coverage}
          placeholder={texts.coverage.any}
          data={STATES}
          value={search.covered === undefined ? null : String(search.covered)}
          clearable
          w={160}
          onChange={chosen => change({ covered: chosen === null ? undefined : chosen === 'true' })}
        />
      </Group>
      {environments.length === 0 ? (
        <Empty title={texts.coverage.noMatch}>{texts.coverage.noMatchHint}</Empty>
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
            <Table.Th>{texts.coverage.environment}</Table.Th>
            <Table.Th>{texts.coverage.type}</Table.Th>
            <Table.Th>{texts.coverage.coverage}</Table.Th>
            <Table.Th>{texts.coverage.requiredBy}</Table.Th>
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
                  {covered ? texts.coverage.covered : texts.coverage.notCovered}
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
