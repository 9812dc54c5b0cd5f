// The events of a policy, newest first.
import { Stack, Title } from '@mantine/core'
import { EnvironmentLink } from '../../parts/links.tsx'
import { RelativeTime } from '../../parts/time.tsx'
import { DataTable } from '../../ui/data-table.tsx'
import type { Column } from '../../ui/sort-rows.ts'
import type { Policy } from './queries.ts'
import { policiesTexts as texts } from './texts.ts'

type PolicyEvent = Policy['events'][number]

export function History({ org, events }: { org: string; events: PolicyEvent[] }) {
  return (
    <Stack component="section" gap="xs">
      <Title order={2} size="h3">
        {texts.history.title}
      </Title>
      <DataTable
        caption={texts.history.title}
        columns={listColumns(org)}
        rows={events.toReversed()}
        getKey={({ timestamp, type, data }) => `${timestamp} ${type} ${JSON.stringify(data)}`}
      />
    </Stack>
  )
}

const listColumns = (org: string): Column<PolicyEvent>[] => [
  {
    title: texts.history.when,
    first: 'descending',
    sortBy: ({ timestamp }) => timestamp,
    render: ({ timestamp }) => <RelativeTime at={timestamp} />,
  },
  {
    title: texts.history.event,
    sortBy: ({ type }) => describeKind(type),
    render: event => <EventSummary org={org} event={event} />,
  },
  { title: texts.history.actor, sortBy: ({ user }) => user, render: ({ user }) => user },
]

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
