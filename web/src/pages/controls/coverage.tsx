// The environments that require a control, and the policies that do so.
import { Badge, Group, Progress, Select, Stack, Text } from '@mantine/core'
import { useQuery } from '@tanstack/react-query'
import { useNavigate, useSearch } from '@tanstack/react-router'
import { PolicyLinks } from '../../parts/link-lists.tsx'
import { EnvironmentLink } from '../../parts/links.tsx'
import type { Schemas } from '../../parts/schemas.ts'
import { DataTable } from '../../ui/data-table.tsx'
import { TextFilter } from '../../ui/filters.tsx'
import { Pager } from '../../ui/pager.tsx'
import type { Patch } from '../../ui/search-params.ts'
import type { Column } from '../../ui/sort-rows.ts'
import { Empty, ErrorAlert, Loading } from '../../ui/states.tsx'
import { coverageQuery } from './queries.ts'
import { type ControlSearch, parseControlSearch } from './search.ts'
import { controlTexts as texts } from './texts.ts'

type CoveredEnvironment = Schemas['CoveredEnvironment']

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
        <DataTable
          caption={texts.coverage.caption}
          columns={listColumns(org)}
          rows={environments}
          getKey={({ name }) => name}
          isPart={coverage.data.total_pages > 1}
        />
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

const listColumns = (org: string): Column<CoveredEnvironment>[] => [
  {
    title: texts.coverage.environment,
    sortBy: ({ name }) => name,
    render: ({ name }) => <EnvironmentLink org={org} environment={name} />,
  },
  { title: texts.coverage.type, sortBy: ({ type }) => type, render: ({ type }) => type },
  {
    title: texts.coverage.coverage,
    sortBy: ({ covered }) => describeCoverage(covered),
    render: ({ covered }) => (
      <Badge miw="max-content" color={covered ? 'green' : 'gray'} variant="light">
        {describeCoverage(covered)}
      </Badge>
    ),
  },
  {
    title: texts.coverage.requiredBy,
    first: 'descending',
    sortBy: ({ policies }) => policies.length,
    render: ({ policies }) => <PolicyLinks org={org} names={policies} />,
  },
]

const describeCoverage = (covered: boolean) => (covered ? texts.coverage.covered : texts.coverage.notCovered)
