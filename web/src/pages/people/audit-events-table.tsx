// The events of a page: when, what, by whom, and what is known about it.
import { Code, Group, Table, Text } from '@mantine/core'
import type { Schemas } from '../../parts/schemas.ts'
import { RelativeTime } from '../../parts/time.tsx'

type Event = Schemas['AuditEvent']

export function AuditEventsTable({ events }: { events: Event[] }) {
  return (
    <Table.ScrollContainer minWidth={720}>
      <Table highlightOnHover>
        <Table.Thead>
          <Table.Tr>
            <Table.Th w={130}>When</Table.Th>
            <Table.Th w={170}>What</Table.Th>
            <Table.Th w={150}>By</Table.Th>
            <Table.Th>About</Table.Th>
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
