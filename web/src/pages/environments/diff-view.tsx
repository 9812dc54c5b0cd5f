// The differences between two snapshots: changed versions with their verdicts, artifacts in only one of them,
// and shared artifacts.
import { Card, Group, SimpleGrid, Stack, Text, Title } from '@mantine/core'
import { ArtifactLink, SnapshotLink } from '../../parts/links.tsx'
import { StateBadge, toState } from '../../parts/state-badge.tsx'
import { RelativeTime } from '../../parts/time.tsx'
import { Details } from '../../ui/details.tsx'
import { ExternalLink } from '../../ui/external-link.tsx'
import type { EnvironmentDiff } from './answers.ts'
import { ReevaluatedTable, ScaledTable, UpdatedTable } from './diff-tables.tsx'
import { historyTexts as texts } from './texts-history.ts'

type Side = EnvironmentDiff['snappish1']
type SideArtifact = Side['artifacts'][number]

export function DiffView({ org, diff }: { org: string; diff: EnvironmentDiff }) {
  const { snappish1, snappish2, changed, updated, 'not-changed': unchanged } = diff
  const reevaluated = unchanged.artifacts.filter(each => each.s1_compliant !== each.s2_compliant)
  const others = unchanged.artifacts.filter(each => each.s1_compliant === each.s2_compliant)
  const gone = dropPaired(snappish1, new Set(updated.artifacts.map(each => each.s1_fingerprint)))
  const come = dropPaired(snappish2, new Set(updated.artifacts.map(each => each.s2_fingerprint)))
  const isSame =
    snappish1.artifacts.length +
      snappish2.artifacts.length +
      changed.artifacts.length +
      reevaluated.length ===
    0
  return (
    <Stack>
      <SimpleGrid cols={{ base: 1, sm: 2 }}>
        <Head org={org} label={texts.compare.before} side={snappish1} />
        <Head org={org} label={texts.compare.after} side={snappish2} />
      </SimpleGrid>
      {isSame && <Text fw={600}>{texts.compare.same(snappish1.snapshot_id, snappish2.snapshot_id)}</Text>}
      {updated.artifacts.length > 0 && <UpdatedTable org={org} diff={diff} />}
      {reevaluated.length > 0 && <ReevaluatedTable org={org} diff={diff} artifacts={reevaluated} />}
      {(gone.length > 0 || come.length > 0) && (
        <SimpleGrid cols={{ base: 1, sm: 2 }}>
          <OnlyIn org={org} snapshot_id={snappish1.snapshot_id} artifacts={gone} />
          <OnlyIn org={org} snapshot_id={snappish2.snapshot_id} artifacts={come} />
        </SimpleGrid>
      )}
      {changed.artifacts.length > 0 && <ScaledTable org={org} diff={diff} />}
      <Details title={texts.compare.sameInBoth(others.length)}>
        <Stack gap="xs" mt="xs">
          {others.map(artifact => (
            <Artifact
              key={`${artifact.fingerprint} ${artifact.name}`}
              org={org}
              artifact={{ ...artifact, compliant: artifact.s2_compliant }}
            />
          ))}
        </Stack>
      </Details>
    </Stack>
  )
}

/** Artifacts without a fingerprint are never paired by fingerprint alone. */
function dropPaired({ artifacts }: Side, fingerprints: ReadonlySet<string>): SideArtifact[] {
  return artifacts.filter(({ fingerprint }) => fingerprint === '' || !fingerprints.has(fingerprint))
}

function Head({ org, label, side }: { org: string; label: string; side: Side }) {
  return (
    <Group gap="xs">
      <Text fw={600}>{label}</Text>
      <IdLink org={org} snapshot_id={side.snapshot_id} />
      <StateBadge by="policies" state={toState(side.compliant)} />
      <RelativeTime at={side.timestamp} />
    </Group>
  )
}

function IdLink({ org, snapshot_id }: { org: string; snapshot_id: string }) {
  const [, environment = snapshot_id, index = '0'] = /^(.*)#(\d+)$/.exec(snapshot_id) ?? []
  return (
    <SnapshotLink org={org} environment={environment} index={Number(index)}>
      {snapshot_id}
    </SnapshotLink>
  )
}

interface OnlyInProps {
  org: string
  snapshot_id: string
  artifacts: readonly SideArtifact[]
}

function OnlyIn({ org, snapshot_id, artifacts }: OnlyInProps) {
  return (
    <Card withBorder component="section">
      <Title order={2} size="h4" mb="xs">
        {texts.compare.onlyIn} {snapshot_id} ({artifacts.length})
      </Title>
      <Stack gap="xs">
        {artifacts.length === 0 && <Text c="dimmed">{texts.compare.noArtifacts}</Text>}
        {artifacts.map(artifact => (
          <Artifact key={`${artifact.fingerprint} ${artifact.name}`} org={org} artifact={artifact} />
        ))}
      </Stack>
    </Card>
  )
}

function Artifact({ org, artifact }: { org: string; artifact: SideArtifact }) {
  const { instance_count } = artifact
  return (
    <div>
      <Group gap="xs">
        <ArtifactLink org={org} flow={artifact.flow} fingerprint={artifact.fingerprint}>
          {artifact.name}
        </ArtifactLink>
        <StateBadge by="policies" state={toState(artifact.compliant)} />
      </Group>
      <Text size="xs">
        {texts.card.instances(instance_count)}
        {artifact.flow !== '' && texts.compare.flow(artifact.flow)}
        {artifact.commit_url !== '' && (
          <>
            , <ExternalLink href={artifact.commit_url}>{texts.compare.commit}</ExternalLink>
          </>
        )}
      </Text>
    </div>
  )
}
