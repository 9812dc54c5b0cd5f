// The table of events: the exact time, the sentence, and the link to the event.
import { type AuditEvent, EventSentence } from '../../parts/event-sentence.tsx'
import { ExactTime } from '../../parts/time.tsx'
import { DataTable } from '../../ui/data-table.tsx'
import { PageLink } from '../../ui/page-link.tsx'
import type { Column } from '../../ui/sort-rows.ts'
import { peopleTexts as texts } from './texts.ts'

export function AuditEventsTable({ org, events }: { org: string; events: AuditEvent[] }) {
  return (
    <DataTable
      caption={texts.auditEvents.caption}
      columns={listColumns(org)}
      rows={events}
      getKey={({ id }) => id}
    />
  )
}

/** No column sorts: events are in log order, and a page is only part of the log. */
const listColumns = (org: string): Column<AuditEvent>[] => [
  { title: texts.auditEvents.when, render: ({ timestamp }) => <ExactTime at={timestamp} /> },
  { title: texts.auditEvents.event, render: event => <EventSentence org={org} event={event} /> },
  {
    title: texts.auditEvents.details,
    render: ({ id, sentence }) => (
      <PageLink
        to="/$org/settings/audit-events/$event"
        params={{ org, event: id }}
        aria-label={texts.auditEvents.openLabel(sentence)}
      >
        {texts.auditEvents.open}
      </PageLink>
    ),
  },
]
