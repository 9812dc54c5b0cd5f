// What happened to a policy, newest first.
import { Stack, Table, Title } from '@mantine/core'
import { EnvironmentLink } from '../../parts/links.tsx'
import { RelativeTime } from '../../parts/time.tsx'
import type { Policy } from './queries.ts'

type PolicyEvent = Policy['events'][number]

export function History({ org, events }: { org: string; events: PolicyEvent[] }) {
  return (
    <Stack component="section" gap="xs">
      <Title order={2} size="h3">
        History
      </Title>
      <Table.ScrollContainer minWidth={440}>
        <Table>
          <Table.Thead>
            <Table.Tr>
              <Table.Th>When</Table.Th>
              <Table.Th>What</Table.Th>
              <Table.Th>Who</Table.Th>
            </Table.Tr>
          </Table.Thead>
          <Table.Tbody>
            {events.toReversed().map(event => (
              <Table.Tr key={`${event.timestamp} ${event.type} ${JSON.stringify(event.data)}`}>
                <Table.Td>
                  <RelativeTime at={event.timestamp} />
                </Table.Td>
                <Table.Td>
                  <What org={org} event={event} />
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

function What({ org, event: { type, data } }: { org: string; event: PolicyEvent }) {
  const environment = typeof data.environment_name === 'string' ? data.environment_name : null
  const version = typeof data.version === 'number' ? data.version : null
  const changes = Array.isArray(data.changes)
    ? data.changes.map(changed => (changed === 'policy_yaml' ? 'rules' : String(changed)))
    : []
  return (
    <>
      {sentence(type)}
      {environment !== null && ' '}
      {environment !== null && <EnvironmentLink org={org} environment={environment} />}
      {changes.length > 0 && ` (${changes.join(', ').replaceAll('_', ' ')})`}
      {version !== null && `, version ${version}`}
    </>
  )
}

const SENTENCES: Record<string, string> = {
  policy_created: 'Created',
  policy_updated: 'Changed',
  policy_archived: 'Archived',
  policy_unarchived: 'Unarchived',
  policy_attached: 'Attached to',
  policy_detached: 'Detached from',
}

const sentence = (type: string) => SENTENCES[type] ?? type.replaceAll('_', ' ')
