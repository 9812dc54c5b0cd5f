// The events of an environment as a table.
import { Text } from '@mantine/core'
import { ArtifactLink, SnapshotLink } from '../../parts/links.tsx'
import { StateBadge, toState } from '../../parts/state-badge.tsx'
import { RelativeTime } from '../../parts/time.tsx'
import { DataTable } from '../../ui/data-table.tsx'
import { ExternalLink } from '../../ui/external-link.tsx'
import type { Column } from '../../ui/sort-rows.ts'
import type { EnvironmentEvent } from './answers.ts'
import { describeChange } from './describe-change.ts'
import { historyTexts as texts } from './texts-history.ts'

export function LogTable({ org, events }: { org: string; events: readonly EnvironmentEvent[] }) {
  return (
    <DataTable
      caption={texts.log.caption}
      columns={listColumns(org)}
      rows={events}
      getKey={({ environment_name, snapshot_index, sha256, artifact_name, type }) =>
        `${environment_name} ${snapshot_index} ${sha256} ${artifact_name} ${type}`
      }
    />
  )
}

/** No column sorts: a page is only part of the log, and the switch above reverses the order of all of it. */
const listColumns = (org: string): Column<EnvironmentEvent>[] => [
  { title: texts.log.when, render: ({ reported_at }) => <RelativeTime at={reported_at} /> },
  {
    title: texts.log.event,
    render: ({ type, description }) => (
      <>
        <Text size="sm" fw={600}>
          {describeChange(type)}
        </Text>
        <Text size="sm">{description}</Text>
      </>
    ),
  },
  { title: texts.log.artifact, render: event => <Artifact org={org} event={event} /> },
  {
    title: texts.log.compliance,
    render: ({ artifact_compliance }) => <StateBadge by="policies" state={toState(artifact_compliance)} />,
  },
  {
    title: texts.log.snapshot,
    render: ({ environment_name, snapshot_index }) => (
      <SnapshotLink org={org} environment={environment_name} index={snapshot_index}>
        {environment_name} {snapshot_index}
      </SnapshotLink>
    ),
  },
]

function Artifact({ org, event }: { org: string; event: EnvironmentEvent }) {
  return (
    <>
      <ArtifactLink org={org} flow={event.pipeline} fingerprint={event.sha256}>
        {event.artifact_name}
      </ArtifactLink>
      {event.code_diff !== null && (
        <Text size="sm" mt={8}>
          <ExternalLink href={event.code_diff}>{texts.log.codeChanges}</ExternalLink>
        </Text>
      )}
    </>
  )
}
