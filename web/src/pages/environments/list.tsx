// All environments of an organization, non-compliant ones first.
import { Stack, Table, Text, Title } from '@mantine/core'
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
import { useStaleness } from '../../parts/use-staleness.ts'
import { NoSuchPage, Pager } from '../../ui/pager.tsx'
import { dropUndefined, readPage } from '../../ui/search-params.ts'
import { Empty, ErrorAlert, Loading } from '../../ui/states.tsx'
import type { Environment } from './answers.ts'
import { ListFilters } from './list-filters.tsx'
import { environmentPageQuery } from './queries.ts'
import type { EnvironmentListSearch } from './search.ts'
import { StaleNotice } from './stale-notice.tsx'
import { environmentTexts as texts } from './texts.ts'

export function EnvironmentsPage() {
  const { org } = useParams({ from: '/$org/environments' })
  const search = useSearch({ from: '/$org/environments' })
  return (
    <Stack>
      <Title order={1}>{buildListTitle(texts.title, search.archived)}</Title>
      <ListFilters search={search} />
      <Environments org={org} search={search} />
    </Stack>
  )
}

function Environments({ org, search }: { org: string; search: EnvironmentListSearch }) {
  const navigate = useNavigate({ from: '/$org/environments' })
  const show = (chosen: number) =>
    void navigate({ search: dropUndefined({ ...search, page: readPage(chosen) }) })
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
        <EnvironmentTable org={org} environments={environments} />
      )}
      {total_count > 0 && (
        <Pager page={page} page_count={total_pages} total={total_count} noun="environment" onChange={show} />
      )}
    </>
  )
}

function EnvironmentTable({ org, environments }: { org: string; environments: readonly Environment[] }) {
  const now = useStaleness(environments)
  return (
    <Table.ScrollContainer minWidth={640}>
      <Table highlightOnHover>
        <Table.Thead>
          <Table.Tr>
            <Table.Th>{texts.list.name}</Table.Th>
            <Table.Th>{texts.list.compliance}</Table.Th>
            <Table.Th>{texts.list.type}</Table.Th>
            <Table.Th>{texts.list.policies}</Table.Th>
            <Table.Th>{texts.list.lastChange}</Table.Th>
            <Table.Th>{texts.list.lastReport}</Table.Th>
          </Table.Tr>
        </Table.Thead>
        <Table.Tbody>
          {now.map(each => (
            <EnvironmentRow key={each.name} org={org} environment={each} beside={now} />
          ))}
        </Table.Tbody>
      </Table>
    </Table.ScrollContainer>
  )
}

interface RowProps {
  org: string
  environment: Environment
  beside: readonly Environment[]
}

function EnvironmentRow({ org, environment, beside }: RowProps) {
  return (
    <Table.Tr>
      <Table.Td miw={150}>
        <EnvironmentLink org={org} environment={environment.name} />
        <Text size="xs" c="dimmed" lineClamp={1}>
          {environment.description}
        </Text>
        <TagList tags={environment.tags} />
      </Table.Td>
      <Table.Td>
        <StateBadges by="policies" states={computeStates(environment)} />
      </Table.Td>
      <Table.Td>{environment.neutral_type}</Table.Td>
      <Table.Td>
        <PolicyLinks org={org} names={environment.policies} />
      </Table.Td>
      <Table.Td>
        <RelativeTime at={environment.last_changed_at} />
      </Table.Td>
      <Table.Td miw={environment.is_stale ? 220 : undefined}>
        {environment.type === 'logical' ? (
          texts.list.combined
        ) : (
          <RelativeTime at={environment.last_reported_at} />
        )}
        <div>
          <StaleNotice environment={environment} beside={beside} />
        </div>
      </Table.Td>
    </Table.Tr>
  )
}

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
