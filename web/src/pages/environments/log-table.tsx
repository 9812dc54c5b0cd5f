// The events of an environment as a table.
import { Table, Text } from '@mantine/core'
import { ArtifactLink, SnapshotLink } from '../../parts/links.tsx'
import { StateBadge, toState } from '../../parts/state-badge.tsx'
import { RelativeTime } from '../../parts/time.tsx'
import { ExternalLink } from '../../ui/external-link.tsx'
import type { EnvironmentEvent } from './answers.ts'
import { describeChange } from './describe-change.ts'
import { historyTexts as texts } from './texts-history.ts'

export function LogTable({ org, events }: { org: string; events: readonly EnvironmentEvent[] }) {
  return (
    <Table.ScrollContainer minWidth={720}>
      <Table verticalSpacing="xs">
        <Table.Thead>
          <Table.Tr>
            <Table.Th>{texts.log.when}</Table.Th>
            <Table.Th>{texts.log.event}</Table.Th>
            <Table.Th>{texts.log.artifact}</Table.Th>
            <Table.Th>{texts.log.compliance}</Table.Th>
            <Table.Th>{texts.log.snapshot}</Table.Th>
          </Table.Tr>
        </Table.Thead>
        <Table.Tbody>
          {events.map(event => (
            <EventRow
              key={`${event.environment_name} ${event.snapshot_index} ${event.sha256} ${event.artifact_name} ${event.type}`}
              org={org}
              event={event}
            />
          ))}
        </Table.Tbody>
      </Table>
    </Table.ScrollContainer>
  )
}

function EventRow({ org, event }: { org: string; event: EnvironmentEvent }) {
  return (
    <Table.Tr>
      <Table.Td>
        <RelativeTime at={event.reported_at} />
      </Table.Td>
      <Table.Td>
        <Text size="sm" fw={600}>
          {describeChange(event.type)}
        </Text>
        <Text size="sm">{event.description}</Text>
      </Table.Td>
      <Table.Td>
        <ArtifactLink org={org} flow={event.pipeline} fingerprint={event.sha256}>
          {event.artifact_name}
        </ArtifactLink>
        {event.code_diff !== null && (
          <Text size="sm" mt={8}>
            <ExternalLink href={event.code_diff}>{texts.log.codeChanges}</ExternalLink>
          </Text>
        )}
      </Table.Td>
      <Table.Td>
        <StateBadge by="policies" state={toState(event.artifact_compliance)} />
      </Table.Td>
      <Table.Td>
        <SnapshotLink org={org} environment={event.environment_name} index={event.snapshot_index}>
          {event.environment_name} {event.snapshot_index}
        </SnapshotLink>
      </Table.Td>
    </Table.Tr>
  )
}
