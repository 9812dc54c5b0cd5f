// The events of a policy, newest first.
import { Stack, Table, Title } from '@mantine/core'
import { EnvironmentLink } from '../../parts/links.tsx'
import { RelativeTime } from '../../parts/time.tsx'
import type { Policy } from './queries.ts'
import { policiesTexts as texts } from './texts.ts'

type PolicyEvent = Policy['events'][number]

export function History({ org, events }: { org: string; events: PolicyEvent[] }) {
  return (
    <Stack component="section" gap="xs">
      <Title order={2} size="h3">
        {texts.history.title}
      </Title>
      <Table.ScrollContainer minWidth={440}>
        <Table>
          <Table.Thead>
            <Table.Tr>
              <Table.Th>{texts.history.when}</Table.Th>
              <Table.Th>{texts.history.event}</Table.Th>
              <Table.Th>{texts.history.actor}</Table.Th>
            </Table.Tr>
          </Table.Thead>
          <Table.Tbody>
            {events.toReversed().map(event => (
              <Table.Tr key={`${event.timestamp} ${event.type} ${JSON.stringify(event.data)}`}>
                <Table.Td>
                  <RelativeTime at={event.timestamp} />
                </Table.Td>
                <Table.Td>
                  <EventSummary org={org} event={event} />
                </Table.Td>
                <Table.Td>{event.user}</Table.Td>
              </Table.Tr>
            ))}
          </Table.Tbody>
        </Table>
      </Table.ScrollContainer>
    </Stack>
  )
}

function EventSummary({ org, event: { type, data } }: { org: string; event: PolicyEvent }) {
  const environment = typeof data.environment_name === 'string' ? data.environment_name : null
  const version = typeof data.version === 'number' ? data.version : null
  const changes = Array.isArray(data.changes)
    ? data.changes.map(changed => (changed === 'policy_yaml' ? texts.history.rules : String(changed)))
    : []
  return (
    <>
      {describeKind(type)}
      {environment !== null && ' '}
      {environment !== null && <EnvironmentLink org={org} environment={environment} />}
      {changes.length > 0 && texts.history.changes(changes.join(', ').replaceAll('_', ' '))}
      {version !== null && texts.history.version(version)}
    </>
  )
}

const KINDS: Record<string, string> = texts.history.kinds

const describeKind = (type: string) => KINDS[type] ?? type.replaceAll('_', ' ')
