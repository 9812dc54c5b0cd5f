// The tables of a comparison: changed versions, changed verdicts, and changed numbers of instances.
import { Group, Title } from '@mantine/core'
import { ArtifactLink } from '../../parts/links.tsx'
import { StateBadge, toState } from '../../parts/state-badge.tsx'
import { DataTable, type DataTableProps } from '../../ui/data-table.tsx'
import { ExternalLink } from '../../ui/external-link.tsx'
import type { Column } from '../../ui/sort-rows.ts'
import type { EnvironmentDiff } from './answers.ts'
import { historyTexts as texts } from './texts-history.ts'

interface DiffProps {
  org: string
  diff: EnvironmentDiff
}

type UpdatedArtifact = EnvironmentDiff['updated']['artifacts'][number]

export function UpdatedTable({ org, diff }: DiffProps) {
  const { artifacts } = diff.updated
  return (
    <DiffTable
      caption={texts.compare.updated(artifacts.length)}
      columns={listUpdatedColumns({ org, diff })}
      rows={artifacts}
      getKey={({ s1_fingerprint, s2_fingerprint, name }) => `${s1_fingerprint} ${s2_fingerprint} ${name}`}
    />
  )
}

const listUpdatedColumns = ({ org, diff }: DiffProps): Column<UpdatedArtifact>[] => [
  { title: texts.compare.artifact, sortBy: ({ name }) => name, render: ({ name }) => name },
  {
    title: diff.snappish1.snapshot_id,
    sortBy: ({ s1_version }) => s1_version,
    render: ({ s1_flow, s1_fingerprint, s1_compliant, s1_version }) => (
      <Version org={org} flow={s1_flow} fingerprint={s1_fingerprint} compliant={s1_compliant}>
        {s1_version}
      </Version>
    ),
  },
  {
    title: diff.snappish2.snapshot_id,
    sortBy: ({ s2_version }) => s2_version,
    render: ({ s2_flow, s2_fingerprint, s2_compliant, s2_version }) => (
      <Version org={org} flow={s2_flow} fingerprint={s2_fingerprint} compliant={s2_compliant}>
        {s2_version}
      </Version>
    ),
  },
  {
    title: texts.compare.code,
    render: ({ code_diff_url }) =>
      code_diff_url === null ? (
        texts.compare.codeUnknown
      ) : (
        <ExternalLink href={code_diff_url}>{texts.compare.codeChanges}</ExternalLink>
      ),
  },
]

type UnchangedArtifact = EnvironmentDiff['not-changed']['artifacts'][number]

export function ReevaluatedTable({ org, diff, artifacts }: DiffProps & { artifacts: UnchangedArtifact[] }) {
  return (
    <DiffTable
      caption={texts.compare.evaluatedAnew(artifacts.length)}
      columns={[
        buildNameColumn(org),
        buildVerdictColumn(diff.snappish1.snapshot_id, ({ s1_compliant }) => s1_compliant),
        buildVerdictColumn(diff.snappish2.snapshot_id, ({ s2_compliant }) => s2_compliant),
      ]}
      rows={artifacts}
      getKey={({ fingerprint, name }) => `${fingerprint} ${name}`}
    />
  )
}

function buildVerdictColumn(
  title: string,
  read: (artifact: UnchangedArtifact) => boolean | null,
): Column<UnchangedArtifact> {
  return {
    title,
    sortBy: artifact => toState(read(artifact)),
    render: artifact => <StateBadge by="policies" state={toState(read(artifact))} />,
  }
}

type ScaledArtifact = EnvironmentDiff['changed']['artifacts'][number]

export function ScaledTable({ org, diff }: DiffProps) {
  const { artifacts } = diff.changed
  return (
    <DiffTable
      caption={texts.compare.scaled(artifacts.length)}
      columns={listScaledColumns({ org, diff })}
      rows={artifacts}
      getKey={({ fingerprint, name }) => `${fingerprint} ${name}`}
    />
  )
}

const listScaledColumns = ({ org, diff }: DiffProps): Column<ScaledArtifact>[] => [
  buildNameColumn(org),
  {
    title: diff.snappish1.snapshot_id,
    first: 'descending',
    sortBy: ({ s1_instance_count }) => s1_instance_count,
    render: ({ s1_instance_count, s1_compliant }) => (
      <Group gap="xs">
        {s1_instance_count} <StateBadge by="policies" state={toState(s1_compliant)} />
      </Group>
    ),
  },
  {
    title: diff.snappish2.snapshot_id,
    first: 'descending',
    sortBy: ({ s2_instance_count }) => s2_instance_count,
    render: ({ s2_instance_count, s2_compliant }) => (
      <Group gap="xs">
        {s2_instance_count} <StateBadge by="policies" state={toState(s2_compliant)} />
      </Group>
    ),
  },
]

function DiffTable<Row>({ caption, ...table }: DataTableProps<Row>) {
  return (
    <section aria-label={caption}>
      <Title order={2} size="h4">
        {caption}
      </Title>
      <DataTable caption={caption} {...table} />
    </section>
  )
}

interface NamedArtifact {
  flow: string
  fingerprint: string
  name: string
}

const buildNameColumn = (org: string): Column<NamedArtifact> => ({
  title: texts.compare.artifact,
  sortBy: ({ name }) => name,
  render: ({ flow, fingerprint, name }) => (
    <ArtifactLink org={org} flow={flow} fingerprint={fingerprint}>
      {name}
    </ArtifactLink>
  ),
})

interface VersionProps {
  org: string
  flow: string
  fingerprint: string
  compliant: boolean | null
  children: string
}

function Version({ org, flow, fingerprint, compliant, children }: VersionProps) {
  return (
    <Group gap="xs">
      <ArtifactLink org={org} flow={flow} fingerprint={fingerprint}>
        {children}
      </ArtifactLink>
      <StateBadge by="policies" state={toState(compliant)} />
    </Group>
  )
}
