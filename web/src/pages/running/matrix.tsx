// Which artifacts run where: artifacts as rows, environments as columns, versions in the cells.
import { Button, Group, Stack, Text, Title } from '@mantine/core'
import { IconDownload } from '@tabler/icons-react'
import { useQuery } from '@tanstack/react-query'
import { useNavigate, useParams, useSearch } from '@tanstack/react-router'
import { NoSuchPage, Pager } from '../../ui/pager.tsx'
import { Empty, ErrorAlert, Loading } from '../../ui/states.tsx'
import { MatrixFilters } from './matrix-filters.tsx'
import { MatrixTable } from './matrix-table.tsx'
import { buildCsvUrl, type Matrix, runningMatrixQuery } from './queries.ts'
import { parseRunningSearch, type RunningSearch } from './search.ts'
import { runningTexts as texts } from './texts.ts'

export function RunningPage() {
  const { org } = useParams({ from: '/$org/running' })
  const search = useSearch({ from: '/$org/running' })
  return (
    <Stack>
      <Group justify="space-between">
        <Title order={1}>{texts.title}</Title>
        <Button
          component="a"
          href={buildCsvUrl(org, search)}
          download
          variant="default"
          size="xs"
          leftSection={<IconDownload size={14} aria-hidden />}
        >
          {texts.download}
        </Button>
      </Group>
      <Text>{texts.intro}</Text>
      <Running org={org} search={search} />
    </Stack>
  )
}

function Running({ org, search }: { org: string; search: RunningSearch }) {
  const navigate = useNavigate({ from: '/$org/running' })
  const matrix = useQuery(runningMatrixQuery(org, search))
  const change = (part: { [K in keyof RunningSearch]?: RunningSearch[K] | undefined }) =>
    void navigate({
      search: parseRunningSearch({ ...search, ...part }),
      replace: true,
      resetScroll: false,
    })
  return (
    <>
      <MatrixFilters
        search={search}
        onChange={part => change({ page: undefined, columns: undefined, ...part })}
        onClear={() => void navigate({ search: {}, replace: true })}
      />
      {matrix.isPending && <Loading />}
      {matrix.error && <ErrorAlert error={matrix.error} />}
      {matrix.data && <Found org={org} search={search} matrix={matrix.data} onChange={change} />}
    </>
  )
}

interface FoundProps {
  org: string
  search: RunningSearch
  matrix: Matrix
  onChange: (part: { page?: number; columns?: number }) => void
}

function Found({ org, search, matrix, onChange }: FoundProps) {
  const { page, columns, ...filter } = search
  const isFiltered = Object.keys(filter).length > 0
  if (matrix.total_count === 0)
    return (
      <Empty title={isFiltered ? texts.noMatch : texts.none}>
        {isFiltered ? texts.noMatchHint : texts.noneHint}
      </Empty>
    )
  if (matrix.artifacts.length === 0) return <NoSuchPage onPage={first => onChange({ page: first })} />
  if (matrix.environments.length === 0) return <NoSuchPage onPage={first => onChange({ columns: first })} />
  return (
    <>
      <MatrixTable org={org} matrix={matrix} />
      <Pager
        page={matrix.page}
        page_count={matrix.total_pages}
        total={matrix.total_count}
        noun="artifact"
        onChange={next => onChange({ page: next })}
      />
      <Pager
        page={matrix.environment_page}
        page_count={matrix.environment_total_pages}
        total={matrix.environment_total_count}
        noun="environment"
        onChange={next => onChange({ columns: next })}
      />
    </>
  )
}
