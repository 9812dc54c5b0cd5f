// How members and their roles changed: every filter, the order and the page are in the address.
import { Anchor, Group, Pagination, Stack, Text, Title } from '@mantine/core'
import { useQuery } from '@tanstack/react-query'
import { useNavigate, useParams, useSearch } from '@tanstack/react-router'
import { Empty, Failed, Loading } from '../../ui/states.tsx'
import { AuditLogFilters } from './audit-log-filters.tsx'
import { AuditLogTable } from './audit-log-table.tsx'
import { PeopleTabs } from './people-tabs.tsx'
import { auditLogQuery } from './queries.ts'
import { type AuditLogSearch, given } from './search-params.ts'

const PAGE = '/$org/settings/members/audit-log'

export function AuditLogPage() {
  const { org } = useParams({ from: PAGE })
  const search = useSearch({ from: PAGE })
  const navigate = useNavigate({ from: PAGE })
  const change = (changed: { [K in keyof AuditLogSearch]: AuditLogSearch[K] | undefined }) =>
    void navigate({ search: given({ ...search, page: undefined, ...changed }) as AuditLogSearch })
  return (
    <Stack>
      <Title order={1}>Membership log</Title>
      <PeopleTabs org={org} />
      <AuditLogFilters search={search} onChange={change} onClear={() => void navigate({ search: {} })} />
      <Entries org={org} search={search} onChange={change} />
    </Stack>
  )
}

interface EntriesProps {
  org: string
  search: AuditLogSearch
  onChange(changed: AuditLogSearch): void
}

function Entries({ org, search, onChange }: EntriesProps) {
  const log = useQuery(auditLogQuery(org, search))
  if (log.isPending) return <Loading />
  if (log.error) return <Failed error={log.error} />
  const { events, page, total_pages, total_count } = log.data
  return (
    <>
      <Group justify="space-between">
        <Text role="status">{total_count === 1 ? '1 change' : `${total_count} changes`}</Text>
        <Anchor href={csvAddress(org, search)} download>
          Download as CSV
        </Anchor>
      </Group>
      {events.length === 0 ? (
        <Empty
          title="No change fits"
          command={`curl "${window.location.origin}/api/v2/membership-audit-log/${org}" -H "Authorization: Bearer $API_KEY"`}
        >
          Clear the filters to see all changes.
        </Empty>
      ) : (
        <AuditLogTable events={events} search={search} onChange={onChange} />
      )}
      {total_pages > 1 && (
        <Pagination
          total={total_pages}
          value={page}
          onChange={chosen => onChange({ page: chosen })}
          getItemProps={item => ({ 'aria-label': `Page ${item}` })}
          getControlProps={control => ({ 'aria-label': `${control} page` })}
        />
      )}
    </>
  )
}

/** The same filters; a file has its own order and no pages. */
function csvAddress(org: string, search: AuditLogSearch): string {
  const { page, per_page, sort_by, sort_dir, ...filters } = search
  const query = new URLSearchParams()
  for (const [name, value] of Object.entries(filters))
    for (const each of [value].flat()) query.append(name, String(each))
  return `/api/v2/membership-audit-log/${encodeURIComponent(org)}/csv?${query}`
}
