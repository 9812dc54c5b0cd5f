// The event log of an organization, newest first. The filters and the cursor are in the address.
import { Group, Stack, Text, Title } from '@mantine/core'
import { useQuery } from '@tanstack/react-query'
import { useNavigate, useParams, useSearch } from '@tanstack/react-router'
import { AuditPackageLink } from '../../parts/audit-package-link.tsx'
import { buildApiPath, buildCurl } from '../../parts/curl.ts'
import { ForRole } from '../../parts/for-role.tsx'
import { CursorPager } from '../../ui/pager.tsx'
import { dropUndefined, type Patch } from '../../ui/search-params.ts'
import { Empty, ErrorAlert, Loading } from '../../ui/states.tsx'
import { AuditEventsFilters } from './audit-events-filters.tsx'
import { AuditEventsTable } from './audit-events-table.tsx'
import { ExportLinks } from './export-links.tsx'
import { PeopleTabs } from './people-tabs.tsx'
import { auditEventsQuery } from './queries.ts'
import type { AuditEventsSearch } from './search-params.ts'
import { peopleTexts as texts } from './texts.ts'

const PAGE = '/$org/settings/audit-events'

export function AuditEventsPage() {
  const { org } = useParams({ from: PAGE })
  const search = useSearch({ from: PAGE })
  const navigate = useNavigate({ from: PAGE })
  const change = (changed: Patch<AuditEventsSearch>) =>
    void navigate({ search: dropUndefined({ ...search, cursor: undefined, ...changed }) })
  return (
    <Stack>
      <Title order={1}>{texts.auditEvents.title}</Title>
      <PeopleTabs org={org} />
      <ForRole org={org} minRole="admin" what={texts.auditEvents.what} verb="see">
        <AuditEventsFilters
          org={org}
          search={search}
          onChange={change}
          onClear={() => void navigate({ search: {} })}
        />
        <Files org={org} search={search} />
        <Entries org={org} search={search} onChange={change} />
      </ForRole>
    </Stack>
  )
}

function Files({ org, search }: { org: string; search: AuditEventsSearch }) {
  const { cursor, per_page, ...filters } = search
  const path = ['audit-events', org, 'export']
  return (
    <Group justify="end">
      <ExportLinks
        filters={filters}
        files={[
          { label: texts.filters.csv, path, query: { format: 'csv' } },
          { label: texts.filters.json, path, query: { format: 'json' } },
        ]}
      />
      <AuditPackageLink of={['organizations', org]} from={search.from_timestamp} to={search.to_timestamp} />
    </Group>
  )
}

interface EntriesProps {
  org: string
  search: AuditEventsSearch
  onChange(changed: Patch<AuditEventsSearch>): void
}

function Entries({ org, search, onChange }: EntriesProps) {
  const log = useQuery(auditEventsQuery(org, search))
  if (log.isPending) return <Loading />
  if (log.error) return <ErrorAlert error={log.error} />
  const { events, next } = log.data
  return (
    <>
      {events.length > 0 ? (
        <AuditEventsTable org={org} events={events} />
      ) : next === null ? (
        <Empty title={texts.auditEvents.empty} command={buildCurl('GET', buildApiPath('audit-events', org))}>
          {texts.auditEvents.emptyHelp}
        </Empty>
      ) : (
        <Text>{texts.auditEvents.noneRecent}</Text>
      )}
      <CursorPager
        noun={texts.auditEvents.noun}
        onFirst={search.cursor === undefined ? undefined : () => onChange({ cursor: undefined })}
        onNext={next === null ? undefined : () => onChange({ cursor: next })}
      />
    </>
  )
}
