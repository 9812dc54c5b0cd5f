// Where controls are met: controls as rows, environments as columns, and in each cell a state that links to
// its evidence.
import { Group, Stack, Text, Title } from '@mantine/core'
import { useQuery } from '@tanstack/react-query'
import { useNavigate, useParams, useSearch } from '@tanstack/react-router'
import { Crumbs } from '../../ui/crumbs.tsx'
import { ClearFilters, TextFilter } from '../../ui/filters.tsx'
import { PageLink } from '../../ui/page-link.tsx'
import { NoSuchPage, Pager } from '../../ui/pager.tsx'
import { Empty, ErrorAlert, Loading } from '../../ui/states.tsx'
import { MatrixTable } from './matrix-table.tsx'
import { type MatrixSearch, parseMatrixSearch } from './search.ts'
import { type StateMatrix, stateMatrixQuery } from './state-queries.ts'
import { stateTexts as texts } from './texts-states.ts'
import { WithControls } from './with-controls.tsx'

const FROM = '/$org/control-coverage'

export function ControlMatrixPage() {
  const { org } = useParams({ from: FROM })
  return (
    <Stack>
      <Crumbs here={texts.matrix.title}>
        <PageLink to="/$org/controls" params={{ org }}>
          {texts.controls}
        </PageLink>
      </Crumbs>
      <Title order={1}>{texts.matrix.title}</Title>
      <Text>{texts.matrix.intro}</Text>
      <WithControls org={org}>
        <States org={org} />
      </WithControls>
    </Stack>
  )
}

type Change = (part: { [K in keyof MatrixSearch]?: MatrixSearch[K] | undefined }) => void

function States({ org }: { org: string }) {
  const search = useSearch({ from: FROM })
  const navigate = useNavigate({ from: FROM })
  const matrix = useQuery(stateMatrixQuery(org, search))
  const change: Change = part =>
    void navigate({ search: parseMatrixSearch({ ...search, ...part }), replace: true, resetScroll: false })
  const { page, columns, ...filters } = search
  const isFiltered = Object.keys(filters).length > 0
  const filter: Change = part => change({ page: undefined, columns: undefined, ...part })
  return (
    <>
      <Group align="end" gap="xs">
        <TextFilter
          label={texts.matrix.search}
          value={search.search}
          onChange={text => filter({ search: text })}
        />
        <TextFilter
          label={texts.matrix.environment}
          value={search.environment}
          onChange={text => filter({ environment: text })}
        />
        <TextFilter
          label={texts.matrix.tag}
          placeholder={texts.matrix.tagPlaceholder}
          value={search.tag?.join(' ')}
          onChange={typed => filter({ tag: typed?.split(/\s+/).filter(Boolean) })}
        />
        {isFiltered && <ClearFilters onClear={() => void navigate({ search: {}, replace: true })} />}
      </Group>
      {matrix.isPending && <Loading />}
      {matrix.error && <ErrorAlert error={matrix.error} />}
      {matrix.data && <Found org={org} search={search} matrix={matrix.data} onChange={change} />}
    </>
  )
}

interface FoundProps {
  org: string
  search: MatrixSearch
  matrix: StateMatrix
  onChange: Change
}

function Found({ org, search, matrix, onChange }: FoundProps) {
  if (matrix.total_count === 0) return <NoControls org={org} isFiltered={search.search !== undefined} />
  if (matrix.environment_total_count === 0)
    return search.environment === undefined && search.tag === undefined ? (
      <Empty title={texts.matrix.noEnvironments}>{texts.matrix.noEnvironmentsHint}</Empty>
    ) : (
      <Empty title={texts.matrix.noEnvironmentMatches}>{texts.matrix.noMatchHint}</Empty>
    )
  if (matrix.controls.length === 0) return <NoSuchPage onPage={first => onChange({ page: first })} />
  if (matrix.environments.length === 0) return <NoSuchPage onPage={first => onChange({ columns: first })} />
  return (
    <>
      <MatrixTable org={org} matrix={matrix} />
      <Pager
        page={matrix.page}
        page_count={matrix.total_pages}
        total={matrix.total_count}
        noun="control"
        onChange={page => onChange({ page })}
      />
      <Pager
        page={matrix.environment_page}
        page_count={matrix.environment_total_pages}
        total={matrix.environment_total_count}
        noun="environment"
        onChange={columns => onChange({ columns })}
      />
    </>
  )
}

function NoControls({ org, isFiltered }: { org: string; isFiltered: boolean }) {
  if (isFiltered) return <Empty title={texts.matrix.noMatch}>{texts.matrix.noMatchHint}</Empty>
  return (
    <Empty title={texts.matrix.none}>
      {texts.matrix.noneHint}{' '}
      <PageLink to="/$org/controls" params={{ org }}>
        {texts.matrix.controlsPage}
      </PageLink>
      .
    </Empty>
  )
}
