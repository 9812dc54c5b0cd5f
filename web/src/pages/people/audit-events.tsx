// Everything that was done in the org, newest first. The filters and the place in the list are in the address.
import { Button, Group, Stack, Text, Title } from '@mantine/core'
import { useQuery } from '@tanstack/react-query'
import { useNavigate, useParams, useSearch } from '@tanstack/react-router'
import { Empty, Failed, Loading } from '../../ui/states.tsx'
import { AuditEventsFilters } from './audit-events-filters.tsx'
import { AuditEventsTable } from './audit-events-table.tsx'
import { PeopleTabs } from './people-tabs.tsx'
import { auditEventsQuery } from './queries.ts'
import { type AuditEventsSearch, given } from './search-params.ts'

const PAGE = '/$org/settings/audit-events'

export type ChangedEventsSearch = { [K in keyof AuditEventsSearch]: AuditEventsSearch[K] | undefined }

export function AuditEventsPage() {
  const { org } = useParams({ from: PAGE })
  const search = useSearch({ from: PAGE })
  const navigate = useNavigate({ from: PAGE })
  const change = (changed: ChangedEventsSearch) =>
    void navigate({ search: given({ ...search, cursor: undefined, ...changed }) as AuditEventsSearch })
  return (
    <Stack>
      <Title order={1}>All events</Title>
      <PeopleTabs org={org} />
      <AuditEventsFilters search={search} onChange={change} onClear={() => void navigate({ search: {} })} />
      <Entries org={org} search={search} onChange={change} />
    </Stack>
  )
}

interface EntriesProps {
  org: string
  search: AuditEventsSearch
  onChange(changed: ChangedEventsSearch): void
}

function Entries({ org, search, onChange }: EntriesProps) {
  const log = useQuery(auditEventsQuery(org, search))
  if (log.isPending) return <Loading />
  if (log.error) return <Failed error={log.error} />
  const { events, next } = log.data
  return (
    <>
      {events.length > 0 ? (
        <AuditEventsTable events={events} />
      ) : next === null ? (
        <Empty
          title="No event fits"
          command={`curl "${window.location.origin}/api/v2/audit-events/${org}" -H "Authorization: Bearer $API_KEY"`}
        >
          Clear the filters to see everything that was done.
        </Empty>
      ) : (
        <Text>Nothing fits among the last 10,000 events. There are older ones.</Text>
      )}
      <Group>
        <Button
          variant="default"
          disabled={search.cursor === undefined}
          onClick={() => onChange({ cursor: undefined })}
        >
          Newest
        </Button>
        <Button
          variant="default"
          disabled={next === null}
          onClick={() => next !== null && onChange({ cursor: next })}
        >
          Older
        </Button>
      </Group>
    </>
  )
}
