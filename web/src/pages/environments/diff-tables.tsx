// The tables of a comparison: other versions, other verdicts, and other numbers of instances.
import { Group, Table, Title } from '@mantine/core'
import type { ReactNode } from 'react'
import { ArtifactLink } from '../../parts/links.tsx'
import { StateBadge, toState } from '../../parts/state-badge.tsx'
import { ExternalLink } from '../../ui/external-link.tsx'
import type { EnvironmentDiff } from './answers.ts'
import { historyTexts as texts } from './texts-history.ts'

interface DiffProps {
  org: string
  diff: EnvironmentDiff
}

export function UpdatedTable({ org, diff }: DiffProps) {
  const { artifacts } = diff.updated
  return (
    <DiffTable title={texts.compare.updated(artifacts.length)} diff={diff} more={texts.compare.code}>
      {artifacts.map(artifact => (
        <Table.Tr key={`${artifact.s1_fingerprint} ${artifact.s2_fingerprint} ${artifact.name}`}>
          <Table.Th scope="row" fw={400} className="long-name">
            {artifact.name}
          </Table.Th>
          <Version
            org={org}
            flow={artifact.s1_flow}
            fingerprint={artifact.s1_fingerprint}
            compliant={artifact.s1_compliant}
          >
            {artifact.s1_version}
          </Version>
          <Version
            org={org}
            flow={artifact.s2_flow}
            fingerprint={artifact.s2_fingerprint}
            compliant={artifact.s2_compliant}
          >
            {artifact.s2_version}
          </Version>
          <Table.Td>
            {artifact.code_diff_url === null ? (
              texts.compare.codeUnknown
            ) : (
              <ExternalLink href={artifact.code_diff_url}>{texts.compare.codeChanges}</ExternalLink>
            )}
          </Table.Td>
        </Table.Tr>
      ))}
    </DiffTable>
  )
}

type UnchangedArtifact = EnvironmentDiff['not-changed']['artifacts'][number]

export function ReevaluatedTable({ org, diff, artifacts }: DiffProps & { artifacts: UnchangedArtifact[] }) {
  return (
    <DiffTable title={texts.compare.evaluatedAnew(artifacts.length)} diff={diff}>
      {artifacts.map(artifact => (
        <Table.Tr key={`${artifact.fingerprint} ${artifact.name}`}>
          <Name org={org} artifact={artifact} />
          {[artifact.s1_compliant, artifact.s2_compliant].map((compliant, side) => (
            <Table.Td key={side === 0 ? 'before' : 'after'}>
              <StateBadge by="policies" state={toState(compliant)} />
            </Table.Td>
          ))}
        </Table.Tr>
      ))}
    </DiffTable>
  )
}

export function ScaledTable({ org, diff }: DiffProps) {
  const { artifacts } = diff.changed
  return (
    <DiffTable title={texts.compare.scaled(artifacts.length)} diff={diff}>
      {artifacts.map(artifact => (
        <Table.Tr key={`${artifact.fingerprint} ${artifact.name}`}>
          <Name org={org} artifact={artifact} />
          <Table.Td>
            <Group gap="xs">
              {artifact.s1_instance_count} <StateBadge by="policies" state={toState(artifact.s1_compliant)} />
            </Group>
          </Table.Td>
          <Table.Td>
            <Group gap="xs">
              {artifact.s2_instance_count} <StateBadge by="policies" state={toState(artifact.s2_compliant)} />
            </Group>
          </Table.Td>
        </Table.Tr>
      ))}
    </DiffTable>
  )
}

interface DiffTableProps {
  title: string
  diff: EnvironmentDiff
  /** The head of a fourth column. */
  more?: string
  children: ReactNode
}

function DiffTable({ title, diff, more, children }: DiffTableProps) {
  return (
    <section aria-label={title}>
      <Title order={2} size="h4">
        {title}
      </Title>
      <Table.ScrollContainer minWidth={480}>
        <Table>
          <Table.Thead>
            <Table.Tr>
              <Table.Th>{texts.compare.artifact}</Table.Th>
              <Table.Th>{diff.snappish1.snapshot_id}</Table.Th>
              <Table.Th>{diff.snappish2.snapshot_id}</Table.Th>
              {more !== undefined && <Table.Th>{more}</Table.Th>}
            </Table.Tr>
          </Table.Thead>
          <Table.Tbody>{children}</Table.Tbody>
        </Table>
      </Table.ScrollContainer>
    </section>
  )
}

interface NameProps {
  org: string
  artifact: { flow: string; fingerprint: string; name: string }
}

function Name({ org, artifact: { flow, fingerprint, name } }: NameProps) {
  return (
    <Table.Th scope="row" fw={400}>
      <ArtifactLink org={org} flow={flow} fingerprint={fingerprint}>
        {name}
      </ArtifactLink>
    </Table.Th>
  )
}

interface VersionProps {
  org: string
  flow: string
  fingerprint: string
  compliant: boolean | null
  children: string
}

function Version({ org, flow, fingerprint, compliant, children }: VersionProps) {
  return (
    <Table.Td>
      <Group gap="xs">
        <ArtifactLink org={org} flow={flow} fingerprint={fingerprint}>
          {children}
        </ArtifactLink>
        <StateBadge by="policies" state={toState(compliant)} />
      </Group>
    </Table.Td>
  )
}
