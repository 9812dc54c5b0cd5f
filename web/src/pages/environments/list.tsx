// All environments of an organization, non-compliant ones first.
import { Group, Stack, Text, Title } from '@mantine/core'
import { keepPreviousData, useQuery } from '@tanstack/react-query'
import { useNavigate, useParams, useSearch } from '@tanstack/react-router'
import { ArchivedSwitch, buildListTitle } from '../../parts/archived.tsx'
import { buildApiPath, buildCurl } from '../../parts/curl.ts'
import { PolicyLinks } from '../../parts/link-lists.tsx'
import { EnvironmentLink } from '../../parts/links.tsx'
import { PER_PAGE } from '../../parts/schemas.ts'
import { computeStates, StateBadges } from '../../parts/state-badge.tsx'
import { TagList } from '../../parts/tags.tsx'
import { RelativeTime } from '../../parts/time.tsx'
import { UnknownNotice } from '../../parts/unknown-notice.tsx'
import { useRole } from '../../parts/use-role.ts'
import { useStaleness } from '../../parts/use-staleness.ts'
import { DataTable } from '../../ui/data-table.tsx'
import { ButtonLink } from '../../ui/page-link.tsx'
import { NoSuchPage, Pager } from '../../ui/pager.tsx'
import { dropUndefined, pickOne, readPage, readSwitch } from '../../ui/search-params.ts'
import type { Column, Sort } from '../../ui/sort-rows.ts'
import { Empty, ErrorAlert, Loading } from '../../ui/states.tsx'
import type { Environment } from './answers.ts'
import { ListFilters } from './list-filters.tsx'
import { PartialNotice } from './partial-notice.tsx'
import { environmentPageQuery } from './queries.ts'
import { type EnvironmentListSearch, LIST_ORDERS } from './search.ts'
import { StaleNotice } from './stale-notice.tsx'
import { environmentTexts as texts } from './texts.ts'

export function EnvironmentsPage() {
  const { org } = useParams({ from: '/$org/environments' })
  const search = useSearch({ from: '/$org/environments' })
  const { isSnapshotter } = useRole(org)
  return (
    <Stack>
      <Group justify="space-between">
        <Title order={1}>{buildListTitle(texts.title, search.archived)}</Title>
        {isSnapshotter && (
          <ButtonLink to="/$org/new-environment" params={{ org }}>
            {texts.create.title}
          </ButtonLink>
        )}
      </Group>
      <ListFilters search={search} />
      <Environments org={org} search={search} />
    </Stack>
  )
}

function Environments({ org, search }: { org: string; search: EnvironmentListSearch }) {
  const navigate = useNavigate({ from: '/$org/environments' })
  const show = (chosen: number) =>
    void navigate({ search: dropUndefined({ ...search, page: readPage(chosen) }) })
  const sortBy = ({ key, order }: Sort) =>
    void navigate({
      search: dropUndefined({
        ...search,
        page: undefined,
        sort: pickOne(key, LIST_ORDERS),
        descending: readSwitch(order === 'descending'),
      }),
      replace: true,
    })
  const { page = 1 } = search
  const found = useQuery({
    ...environmentPageQuery(org, search, PER_PAGE),
    placeholderData: keepPreviousData,
  })
  if (found.isPending) return <Loading />
  if (found.error) return <ErrorAlert error={found.error} />
  const { environments, total_pages, total_count, archived_count } = found.data
  return (
    <>
      <ArchivedSwitch
        list="/$org/environments"
        org={org}
        noun="environment"
        search={search}
        archived_count={archived_count}
      />
      {total_count === 0 ? (
        <NoEnvironments org={org} search={search} archived_count={archived_count} />
      ) : environments.length === 0 ? (
        <NoSuchPage onPage={show} />
      ) : (
        <EnvironmentTable org={org} search={search} environments={environments} onSort={sortBy} />
      )}
      {total_count > 0 && (
        <Pager page={page} page_count={total_pages} total={total_count} noun="environment" onChange={show} />
      )}
    </>
  )
}

interface TableProps {
  org: string
  search: EnvironmentListSearch
  environments: readonly Environment[]
  onSort: (sort: Sort) => void
}

function EnvironmentTable({ org, search, environments, onSort }: TableProps) {
  const now = useStaleness(environments)
  return (
    <DataTable
      caption={texts.title}
      columns={listColumns(org, now)}
      rows={now}
      getKey={({ name }) => name}
      server={{ sort: readSort(search), onSort }}
    />
  )
}

/** The default order is the most urgent first. */
const readSort = ({ sort = 'compliance', descending }: EnvironmentListSearch): Sort => ({
  key: sort,
  order: descending ? 'descending' : 'ascending',
})

const listColumns = (org: string, beside: readonly Environment[]): Column<Environment>[] => [
  {
    title: texts.list.name,
    key: 'name',
    render: environment => (
      <>
        <EnvironmentLink org={org} environment={environment.name} />
        <Text size="xs" c="dimmed" lineClamp={1}>
          {environment.description}
        </Text>
        <TagList tags={environment.tags} />
      </>
    ),
  },
  {
    title: texts.list.compliance,
    key: 'compliance',
    render: environment => (
      <>
        <StateBadges by="policies" states={computeStates(environment)} />
        <PartialNotice environment={environment} />
        <UnknownNotice environment={environment} />
      </>
    ),
  },
  { title: texts.list.type, render: ({ neutral_type }) => neutral_type },
  { title: texts.list.policies, render: ({ policies }) => <PolicyLinks org={org} names={policies} /> },
  {
    title: texts.list.lastChange,
    key: 'last_changed_at',
    first: 'descending',
    render: ({ last_changed_at }) => <RelativeTime at={last_changed_at} />,
  },
  {
    title: texts.list.lastReport,
    render: environment => (
      <>
        {environment.type === 'logical' ? (
          texts.list.combined
        ) : (
          <RelativeTime at={environment.last_reported_at} />
        )}
        <div>
          <StaleNotice environment={environment} beside={beside} />
        </div>
      </>
    ),
  },
]

interface NoneProps {
  org: string
  search: EnvironmentListSearch
  archived_count: number
}

function NoEnvironments({ org, search, archived_count }: NoneProps) {
  const { name, type, tag, state, archived } = search
  if (name || type || tag || state)
    return <Empty title={archived ? texts.list.noArchivedMatch : texts.list.noMatch} />
  if (archived) return <Empty title={texts.list.noneArchived} />
  if (archived_count > 0) return <Empty title={texts.list.allArchived} />
  const body = { name: 'production', type: 'K8S', description: '' }
  return (
    <Empty title={texts.list.none} command={buildCurl('PUT', buildApiPath('environments', org), body)}>
      {texts.list.noneHint}
    </Empty>
  )
}
