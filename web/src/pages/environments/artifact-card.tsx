// One artifact that runs: whether it may, since when, where it comes from and what it replaced.
import { Badge, Card, Group, Stack, Text, Title } from '@mantine/core'
import { ArtifactLink, CommitLink, FlowLink, TrailLink } from '../../parts/links.tsx'
import { Moment } from '../../parts/moment.tsx'
import { StateBadge } from '../../parts/state-badge.tsx'
import { OutsideLink } from '../../ui/outside-link.tsx'
import type { SnapshotArtifact } from './answers.ts'
import { changeWords } from './change-words.ts'
import { Reasons } from './reasons.tsx'

export function ArtifactCard({ org, artifact }: { org: string; artifact: SnapshotArtifact }) {
  return (
    <Card withBorder component="article" padding="sm">
      <Stack gap={6}>
        <Group justify="space-between" align="start">
          <Title order={3} size="h5">
            <ArtifactLink org={org} flow={artifact.flow_name} fingerprint={artifact.fingerprint}>
              {artifact.name}
            </ArtifactLink>
          </Title>
          <Group gap="xs">
            {artifact.annotation.type !== 'unchanged' && (
              <Badge variant="outline">{changeWords(artifact.annotation.type)}</Badge>
            )}
            <StateBadge state={artifact.compliance_state} />
          </Group>
        </Group>
        <Text size="xs" c="dimmed" className="fingerprint">
          {artifact.fingerprint || 'The digest is not known'}
        </Text>
        <Reasons org={org} reasons={artifact.reasons_for_incompliance} />
        <AllowListed artifact={artifact} />
        <Running artifact={artifact} />
        <Origin org={org} artifact={artifact} />
        <Replaced org={org} artifact={artifact} />
      </Stack>
    </Card>
  )
}

function AllowListed({ artifact: { allow_listed } }: { artifact: SnapshotArtifact }) {
  if (allow_listed === null) return null
  return (
    <Text size="sm">
      On the allow-list by {allow_listed.created_by}: {allow_listed.description}
      {allow_listed.expires_at !== null && (
        <>
          {' '}
          (until <Moment at={allow_listed.expires_at} />)
        </>
      )}
    </Text>
  )
}

function Running({ artifact }: { artifact: SnapshotArtifact }) {
  const { was, now } = artifact.annotation
  const started = artifact.creationTimestamp.filter(each => each > 0)
  const pods = Object.keys(artifact.pods ?? {})
  return (
    <Text size="sm">
      {now} {now === 1 ? 'instance' : 'instances'}
      {was !== now && was > 0 && ` (${was} before)`}
      {artifact.environment_name && ` in ${artifact.environment_name}`}
      {started.length > 0 && (
        <>
          , running since <Moment at={Math.min(...started)} />
        </>
      )}
      {pods.length > 0 && (
        <Text span size="xs" c="dimmed" className="fingerprint">
          {' '}
          {pods.slice(0, 4).join(', ')}
          {pods.length > 4 && ` and ${pods.length - 4} more`}
        </Text>
      )}
    </Text>
  )
}

function Origin({ org, artifact }: { org: string; artifact: SnapshotArtifact }) {
  if (artifact.flows.length === 0) return <Text size="sm">No flow reported how it was built.</Text>
  return artifact.flows.map(flow => (
    <Text size="sm" key={`${flow.flow_name} ${flow.trail_name}`}>
      Flow <FlowLink org={org} flow={flow.flow_name} />
      {flow.trail_name !== null && (
        <>
          , trail <TrailLink org={org} flow={flow.flow_name} trail={flow.trail_name} />
        </>
      )}
      {flow.git_commit !== '' && (
        <>
          , commit <CommitLink sha={flow.git_commit} url={flow.commit_url} />
          {flow.git_commit_info?.message && ` “${flow.git_commit_info.message.split('\n')[0]}”`}
          {flow.git_commit_info?.author && ` by ${flow.git_commit_info.author.replace(/ <.*>$/, '')}`}
        </>
      )}
    </Text>
  ))
}

function Replaced({ org, artifact }: { org: string; artifact: SnapshotArtifact }) {
  const diff = artifact.deployment_diff
  if (diff === null) return null
  return (
    <Text size="sm">
      Replaced{' '}
      <ArtifactLink org={org} flow={artifact.flow_name} fingerprint={diff.previous_fingerprint}>
        {diff.previous_artifact_name}
      </ArtifactLink>{' '}
      ({diff.previous_artifact_compliance_state}
      {diff.previous_running && ', still running'})
      {diff.diff_url !== null && (
        <>
          , <OutsideLink href={diff.diff_url}>changes in the code</OutsideLink>
        </>
      )}
    </Text>
  )
}

export function ExitedArtifact({ org, artifact }: { org: string; artifact: SnapshotArtifact }) {
  return (
    <Text size="sm">
      <ArtifactLink org={org} flow={artifact.flow_name} fingerprint={artifact.fingerprint}>
        {artifact.name}
      </ArtifactLink>
      : {artifact.annotation.was} {artifact.annotation.was === 1 ? 'instance' : 'instances'} stopped
    </Text>
  )
}
