// The differences between two snapshots, and the artifacts they share.
import { Card, SimpleGrid, Stack, Table, Text, Title } from '@mantine/core'
import { ArtifactLink, SnapshotLink } from '../../parts/links.tsx'
import { Details } from '../../ui/details.tsx'
import { ExternalLink } from '../../ui/external-link.tsx'
import type { EnvironmentDiff } from './answers.ts'
import { historyTexts as texts } from './texts-history.ts'

type SideArtifact = EnvironmentDiff['snappish1']['artifacts'][number]

export function DiffView({ org, diff }: { org: string; diff: EnvironmentDiff }) {
  const { snappish1, snappish2, changed, 'not-changed': unchanged } = diff
  const isSame = snappish1.artifacts.length + snappish2.artifacts.length + changed.artifacts.length === 0
  return (
    <Stack>
      {isSame && <Text fw={600}>{texts.compare.same(snappish1.snapshot_id, snappish2.snapshot_id)}</Text>}
      <SimpleGrid cols={{ base: 1, sm: 2 }}>
        <Side org={org} snapshot_id={snappish1.snapshot_id} artifacts={snappish1.artifacts} />
        <Side org={org} snapshot_id={snappish2.snapshot_id} artifacts={snappish2.artifacts} />
      </SimpleGrid>
      {changed.artifacts.length > 0 && <Scaled org={org} diff={diff} />}
      <Details title={texts.compare.sameInBoth(unchanged.artifacts.length)}>
        <Stack gap="xs" mt="xs">
          {unchanged.artifacts.map(artifact => (
            <Artifact key={`${artifact.fingerprint} ${artifact.name}`} org={org} artifact={artifact} />
          ))}
        </Stack>
      </Details>
    </Stack>
  )
}

interface SideProps {
  org: string
  snapshot_id: string
  artifacts: readonly SideArtifact[]
}

function Side({ org, snapshot_id, artifacts }: SideProps) {
  const [, environment = snapshot_id, index = '0'] = /^(.*)#(\d+)$/.exec(snapshot_id) ?? []
  return (
    <Card withBorder component="section">
      <Title order={2} size="h4" mb="xs">
        {texts.compare.onlyIn}{' '}
        <SnapshotLink org={org} environment={environment} index={Number(index)}>
          {snapshot_id}
        </SnapshotLink>{' '}
        ({artifacts.length})
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
      <ArtifactLink org={org} flow={artifact.flow} fingerprint={artifact.fingerprint}>
        {artifact.name}
      </ArtifactLink>
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

function Scaled({ org, diff }: { org: string; diff: EnvironmentDiff }) {
  return (
    <section>
      <Title order={2} size="h4">
        {texts.compare.scaled(diff.changed.artifacts.length)}
      </Title>
      <Table.ScrollContainer minWidth={420}>
        <Table>
          <Table.Thead>
            <Table.Tr>
              <Table.Th>{texts.compare.artifact}</Table.Th>
              <Table.Th>{diff.snappish1.snapshot_id}</Table.Th>
              <Table.Th>{diff.snappish2.snapshot_id}</Table.Th>
            </Table.Tr>
          </Table.Thead>
          <Table.Tbody>
            {diff.changed.artifacts.map(artifact => (
              <Table.Tr key={`${artifact.fingerprint} ${artifact.name}`}>
                <Table.Td>
                  <ArtifactLink org={org} flow={artifact.flow} fingerprint={artifact.fingerprint}>
                    {artifact.name}
                  </ArtifactLink>
                </Table.Td>
                <Table.Td>{artifact.s1_instance_count}</Table.Td>
                <Table.Td>{artifact.s2_instance_count}</Table.Td>
              </Table.Tr>
            ))}
          </Table.Tbody>
        </Table>
      </Table.ScrollContainer>
    </section>
  )
}
