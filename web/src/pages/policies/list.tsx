// The list of policies.
import { Group, Stack, Text, Title } from '@mantine/core'
import { useQuery } from '@tanstack/react-query'
import { useNavigate, useParams, useSearch } from '@tanstack/react-router'
import { ArchivedSwitch, buildListTitle } from '../../parts/archived.tsx'
import { buildApiPath, buildCurl } from '../../parts/curl.ts'
import { EnvironmentLinks } from '../../parts/link-lists.tsx'
import { PolicyLink } from '../../parts/links.tsx'
import { RelativeTime } from '../../parts/time.tsx'
import { useRole } from '../../parts/use-role.ts'
import { DataTable } from '../../ui/data-table.tsx'
import { TextFilter } from '../../ui/filters.tsx'
import { ButtonLink } from '../../ui/page-link.tsx'
import { NoSuchPage, Pager } from '../../ui/pager.tsx'
import { dropUndefined, readPage } from '../../ui/search-params.ts'
import type { Column } from '../../ui/sort-rows.ts'
import { Empty, ErrorAlert, Loading } from '../../ui/states.tsx'
import { type Policy, policyPageQuery } from './queries.ts'
import type { PoliciesSearch } from './search.ts'
import { policiesTexts as texts } from './texts.ts'

export function PoliciesPage() {
  const { org } = useParams({ from: '/$org/policies' })
  const search = useSearch({ from: '/$org/policies' })
  const navigate = useNavigate({ from: '/$org/policies' })
  const { isMember } = useRole(org)
  return (
    <Stack>
      <Group justify="space-between">
        <Title order={1}>{buildListTitle(texts.list.title, search.archived)}</Title>
        {isMember && (
          <ButtonLink to="/$org/new-policy" params={{ org }}>
            {texts.list.create}
          </ButtonLink>
        )}
      </Group>
      <TextFilter
        label={texts.list.nameFilter}
        value={search.name}
        onChange={name =>
          void navigate({ search: dropUndefined({ ...search, page: undefined, name }), replace: true })
        }
      />
      <Policies
        org={org}
        search={search}
        onPage={page => void navigate({ search: dropUndefined({ ...search, page: readPage(page) }) })}
      />
    </Stack>
  )
}

interface PoliciesProps {
  org: string
  search: PoliciesSearch
  onPage: (page: number) => void
}

function Policies({ org, search, onPage }: PoliciesProps) {
  const policies = useQuery(policyPageQuery(org, search))
  if (policies.isPending) return <Loading />
  if (policies.error) return <ErrorAlert error={policies.error} />
  const { data, pagination, archived_count } = policies.data
  return (
    <>
      <ArchivedSwitch
        list="/$org/policies"
        org={org}
        noun={texts.list.noun}
        search={search}
        archived_count={archived_count}
      />
      {pagination.total === 0 ? (
        <NoPolicies org={org} search={search} archived_count={archived_count} />
      ) : data.length === 0 ? (
        <NoSuchPage onPage={onPage} />
      ) : (
        <PolicyTable org={org} policies={data} isPart={pagination.page_count > 1} />
      )}
      {pagination.total > 0 && <Pager {...pagination} noun={texts.list.noun} onChange={onPage} />}
    </>
  )
}

interface TableProps {
  org: string
  policies: readonly Policy[]
  isPart: boolean
}

function PolicyTable({ org, policies, isPart }: TableProps) {
  return (
    <DataTable
      caption={texts.list.title}
      columns={listColumns(org)}
      rows={policies}
      getKey={({ name }) => name}
      isPart={isPart}
    />
  )
}

const getLatest = ({ versions }: Policy) => versions.at(-1)

const listColumns = (org: string): Column<Policy>[] => [
  {
    title: texts.list.policy,
    sortBy: ({ name }) => name,
    render: ({ name, description }) => (
      <>
        <PolicyLink org={org} policy={name} />
        <Text size="sm" c="dimmed" lineClamp={2}>
          {description}
        </Text>
      </>
    ),
  },
  {
    title: texts.list.attachedTo,
    first: 'descending',
    sortBy: ({ consuming_envs }) => consuming_envs.length,
    render: ({ consuming_envs }) => <EnvironmentLinks org={org} names={consuming_envs} />,
  },
  {
    title: texts.list.version,
    sortBy: policy => getLatest(policy)?.version,
    render: policy => getLatest(policy)?.version,
  },
  {
    title: texts.list.lastChange,
    first: 'descending',
    sortBy: policy => getLatest(policy)?.timestamp,
    render: policy => <LastChange latest={getLatest(policy)} />,
  },
]

function LastChange({ latest }: { latest: Policy['versions'][number] | undefined }) {
  return (
    <>
      <RelativeTime at={latest?.timestamp} />
      {latest && (
        <Text size="sm" c="dimmed">
          {texts.list.changedBy(latest.created_by)}
        </Text>
      )}
    </>
  )
}

interface NoneProps {
  org: string
  search: PoliciesSearch
  archived_count: number
}

function NoPolicies({ org, search, archived_count }: NoneProps) {
  const { name, archived } = search
  if (name !== undefined)
    return (
      <Empty title={archived ? texts.list.noArchivedMatch : texts.list.noMatch}>
        {texts.list.noMatchHelp}
      </Empty>
    )
  if (archived) return <Empty title={texts.list.noArchived} />
  if (archived_count > 0) return <Empty title={texts.list.onlyArchived} />
  const policy_yaml =
    '_schema: https://waybill.example/schemas/policy/environment/v1\nartifacts:\n  provenance:\n    required: true\n'
  const command = buildCurl('PUT', buildApiPath('policies', org, 'provenance-required'), { policy_yaml })
  return (
    <Empty title={texts.list.empty} command={command}>
      {texts.list.emptyHelp}
    </Empty>
  )
}
