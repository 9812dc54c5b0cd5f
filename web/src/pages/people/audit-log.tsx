// The membership log: changes of members and roles. The filters, the order and the page are in the address.
import { Stack, Title } from '@mantine/core'
import { useQuery } from '@tanstack/react-query'
import { useNavigate, useParams, useSearch } from '@tanstack/react-router'
import { buildApiPath, buildCurl } from '../../parts/curl.ts'
import { ForRole } from '../../parts/for-role.tsx'
import { Pager } from '../../ui/pager.tsx'
import { dropUndefined, type Patch, readPage } from '../../ui/search-params.ts'
import { Empty, ErrorAlert, Loading } from '../../ui/states.tsx'
import { AuditLogFilters } from './audit-log-filters.tsx'
import { AuditLogTable } from './audit-log-table.tsx'
import { ExportLinks } from './export-links.tsx'
import { PeopleTabs } from './people-tabs.tsx'
import { auditLogQuery } from './queries.ts'
import type { AuditLogSearch } from './search-params.ts'
import { peopleTexts as texts } from './texts.ts'

const PAGE = '/$org/settings/members/audit-log'

export function AuditLogPage() {
  const { org } = useParams({ from: PAGE })
  const search = useSearch({ from: PAGE })
  const navigate = useNavigate({ from: PAGE })
  const change = (changed: Patch<AuditLogSearch>) =>
    void navigate({ search: dropUndefined({ ...search, page: undefined, ...changed }) })
  return (
    <Stack>
      <Title order={1}>{texts.auditLog.title}</Title>
      <PeopleTabs org={org} />
      <ForRole org={org} minRole="admin" what={texts.auditLog.what} verb="see">
        <AuditLogFilters search={search} onChange={change} onClear={() => void navigate({ search: {} })} />
        <Entries org={org} search={search} onChange={change} />
      </ForRole>
    </Stack>
  )
}

interface EntriesProps {
  org: string
  search: AuditLogSearch
  onChange(changed: Patch<AuditLogSearch>): void
}

function Entries({ org, search, onChange }: EntriesProps) {
  const log = useQuery(auditLogQuery(org, search))
  if (log.isPending) return <Loading />
  if (log.error) return <ErrorAlert error={log.error} />
  const { events, page, total_pages, total_count } = log.data
  return (
    <>
      <Files org={org} search={search} />
      {events.length === 0 ? (
        <Empty
          title={texts.auditLog.empty}
          command={buildCurl('GET', buildApiPath('membership-audit-log', org))}
        >
          {texts.auditLog.emptyHelp}
        </Empty>
      ) : (
        <AuditLogTable events={events} search={search} onChange={onChange} />
      )}
      <Pager
        page={page}
        page_count={total_pages}
        total={total_count}
        noun={texts.auditLog.noun}
        onChange={chosen => onChange({ page: readPage(chosen) })}
      />
    </>
  )
}

/** The files have their own order and no pages. */
function Files({ org, search }: { org: string; search: AuditLogSearch }) {
  const { page, per_page, sort_by, sort_dir, ...filters } = search
  return (
    <ExportLinks
      filters={filters}
      files={[
        { label: texts.filters.csv, path: ['membership-audit-log', org, 'csv'] },
        { label: texts.filters.json, path: ['membership-audit-log', org, 'json'] },
      ]}
    />
  )
}
