// The table of events: time, kind, actor and details.
import { Code, Group, Table, Text } from '@mantine/core'
import type { Schemas } from '../../parts/schemas.ts'
import { RelativeTime } from '../../parts/time.tsx'
import { peopleTexts as texts } from './texts.ts'

type Event = Schemas['AuditEvent']

export function AuditEventsTable({ events }: { events: Event[] }) {
  return (
    <Table.ScrollContainer minWidth={720}>
      <Table highlightOnHover>
        <Table.Thead>
          <Table.Tr>
            <Table.Th w={130}>{texts.auditEvents.when}</Table.Th>
            <Table.Th w={170}>{texts.auditEvents.event}</Table.Th>
            <Table.Th w={150}>{texts.auditEvents.by}</Table.Th>
            <Table.Th>{texts.auditEvents.details}</Table.Th>
          </Table.Tr>
        </Table.Thead>
        <Table.Tbody>
          {events.map(({ id, kind, actor, timestamp, data }) => (
            <Table.Tr key={id}>
              <Table.Td>
                <RelativeTime at={timestamp} />
              </Table.Td>
              <Table.Td>{kind.replaceAll('_', ' ')}</Table.Td>
              <Table.Td>{actor}</Table.Td>
              <Table.Td>
                <Details data={data} />
              </Table.Td>
            </Table.Tr>
          ))}
        </Table.Tbody>
      </Table>
    </Table.ScrollContainer>
  )
}

function Details({ data }: { data: Record<string, unknown> }) {
  return (
    <Group gap="xs">
      {Object.entries(data).map(([name, value]) => (
        <Text key={name} size="sm" component="span">
          {name.replaceAll('_', ' ')}{' '}
          <Code className="fingerprint">{typeof value === 'string' ? value : JSON.stringify(value)}</Code>
        </Text>
      ))}
    </Group>
  )
}
