// The table of events: the exact time, the sentence, and the link to the event.
import { Table } from '@mantine/core'
import { type AuditEvent, EventSentence } from '../../parts/event-sentence.tsx'
import { ExactTime } from '../../parts/time.tsx'
import { PageLink } from '../../ui/page-link.tsx'
import { peopleTexts as texts } from './texts.ts'

export function AuditEventsTable({ org, events }: { org: string; events: AuditEvent[] }) {
  return (
    <Table.ScrollContainer minWidth={560}>
      <Table highlightOnHover>
        <Table.Thead>
          <Table.Tr>
            <Table.Th w={200}>{texts.auditEvents.when}</Table.Th>
            <Table.Th>{texts.auditEvents.event}</Table.Th>
            <Table.Th w={90}>{texts.auditEvents.details}</Table.Th>
          </Table.Tr>
        </Table.Thead>
        <Table.Tbody>
          {events.map(event => (
            <Table.Tr key={event.id}>
              <Table.Td>
                <ExactTime at={event.timestamp} />
              </Table.Td>
              <Table.Td>
                <EventSentence org={org} event={event} />
              </Table.Td>
              <Table.Td>
                <PageLink
                  to="/$org/settings/audit-events/$event"
                  params={{ org, event: event.id }}
                  aria-label={texts.auditEvents.openLabel(event.sentence)}
                >
                  {texts.auditEvents.open}
                </PageLink>
              </Table.Td>
            </Table.Tr>
          ))}
        </Table.Tbody>
      </Table>
    </Table.ScrollContainer>
  )
}
