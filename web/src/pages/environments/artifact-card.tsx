// One artifact that runs: whether it may, since when, where it comes from, who let it run and what it replaced.
import { Badge, Card, Group, Stack, Text, Title } from '@mantine/core'
import { replaceEqualDeep } from '@tanstack/react-query'
import { memo } from 'react'
import { ArtifactLink, CommitLink, FlowLink, TrailLink } from '../../parts/links.tsx'
import { StateBadge } from '../../parts/state-badge.tsx'
import { RelativeTime } from '../../parts/time.tsx'
import { ExternalLink } from '../../ui/external-link.tsx'
import { Facts } from '../../ui/facts.tsx'
import { formatCount } from '../../ui/format-count.ts'
import { PageLink } from '../../ui/page-link.tsx'
import type { ExitedArtifact as Exited, SnapshotArtifact } from './answers.ts'
import { changeWords } from './change-words.ts'
import { decisionsOf, EvidenceLinks, evidenceOf, SpokenDecisions } from './evidence.tsx'
import { Reasons } from './reasons.tsx'

interface CardProps {
  org: string
  artifact: SnapshotArtifact
  /** Who reported the snapshot; null where no report made it. */
  reported_by: string | null
  /** The environment in which the reader may put it on the allow-list; null where there is none. */
  allow_in: string | null
}

/** From one snapshot to the next most of what runs is the same: its cards are not made again. */
export const ArtifactCard = memo(
  Whole,
  (before, after) =>
    before.org === after.org &&
    before.reported_by === after.reported_by &&
    before.allow_in === after.allow_in &&
    replaceEqualDeep(before.artifact, after.artifact) === before.artifact,
)

function Whole({ org, artifact, reported_by, allow_in }: CardProps) {
  return (
    <Card withBorder component="article" padding="sm" aria-label={artifact.name}>
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
        {allow_in !== null &&
          artifact.compliance_state === 'NON-COMPLIANT' &&
          artifact.fingerprint !== '' && <AllowLink org={org} environment={allow_in} artifact={artifact} />}
        <Facts rows={factsOf(org, artifact, reported_by)} />
      </Stack>
    </Card>
  )
}

function factsOf(org: string, artifact: SnapshotArtifact, reported_by: string | null) {
  const decisions = decisionsOf(artifact)
  // Who let it run is asked first of what should not.
  const Decisions = artifact.compliance_state === 'NON-COMPLIANT' ? SpokenDecisions : EvidenceLinks
  const evidence = evidenceOf(artifact)
  return [
    ['Allowed', artifact.allow_listed && <AllowListed artifact={artifact} />],
    ['Runs', <Running key="runs" artifact={artifact} />],
    ['Built', <Origin key="built" org={org} artifact={artifact} />],
    ['Released', decisions.length > 0 && <Decisions org={org} evidence={decisions} />],
    ['Evidence', evidence.length > 0 && <EvidenceLinks org={org} evidence={evidence} />],
    ['Reported by', reported_by],
    ['Replaced', artifact.deployment_diff && <Replaced org={org} artifact={artifact} />],
  ].map(([name, value]) => [String(name), value || null] as const)
}

interface AllowLinkProps {
  org: string
  environment: string
  artifact: SnapshotArtifact
}

function AllowLink({ org, environment, artifact }: AllowLinkProps) {
  return (
    <Text size="sm">
      <PageLink
        to="/$org/environments/$environment"
        params={{ org, environment }}
        search={{ tab: 'allow-list', allow_name: artifact.name, allow_fingerprint: artifact.fingerprint }}
      >
        Allow it nevertheless
      </PageLink>
    </Text>
  )
}

function AllowListed({ artifact: { allow_listed } }: { artifact: SnapshotArtifact }) {
  if (allow_listed === null) return null
  return (
    <>
      On the allow-list by {allow_listed.created_by}: {allow_listed.description}
      {allow_listed.expires_at !== null && (
        <>
          {' '}
          (until <RelativeTime at={allow_listed.expires_at} />)
        </>
      )}
    </>
  )
}

function Running({ artifact }: { artifact: SnapshotArtifact }) {
  const { was, now } = artifact.annotation
  const started = artifact.creationTimestamp.filter(each => each > 0)
  const pods = Object.keys(artifact.pods ?? {})
  return (
    <>
      {started.length > 0 && (
        <>
          since <RelativeTime at={Math.min(...started)} />,{' '}
        </>
      )}
      {formatCount(now, 'instance')}
      {was !== now && was > 0 && ` (${was} before)`}
      {artifact.environment_name && ` in ${artifact.environment_name}`}
      {pods.length > 0 && (
        <Text span size="xs" c="dimmed" className="fingerprint">
          {' '}
          {pods.slice(0, 4).join(', ')}
          {pods.length > 4 && ` and ${pods.length - 4} more`}
        </Text>
      )}
    </>
  )
}

function Origin({ org, artifact }: { org: string; artifact: SnapshotArtifact }) {
  if (artifact.flows.length === 0) return <>No flow reported how it was built.</>
  return artifact.flows.map(flow => (
    <div key={`${flow.flow_name} ${flow.trail_name}`}>
      {flow.git_commit_info?.author && `by ${flow.git_commit_info.author.replace(/ <.*>$/, '')}, `}
      {flow.git_commit !== '' && (
        <>
          commit <CommitLink sha={flow.git_commit} url={flow.commit_url} />
          {flow.git_commit_info?.message && ` “${flow.git_commit_info.message.split('\n')[0]}”`},{' '}
        </>
      )}
      flow <FlowLink org={org} flow={flow.flow_name} />
      {flow.trail_name !== null && (
        <>
          , trail <TrailLink org={org} flow={flow.flow_name} trail={flow.trail_name} />
        </>
      )}
    </div>
  ))
}

function Replaced({ org, artifact }: { org: string; artifact: SnapshotArtifact }) {
  const diff = artifact.deployment_diff
  if (diff === null) return null
  return (
    <>
      <ArtifactLink org={org} flow={artifact.flow_name} fingerprint={diff.previous_fingerprint}>
        {diff.previous_artifact_name}
      </ArtifactLink>{' '}
      ({diff.previous_artifact_compliance_state}
      {diff.previous_running && ', still running'})
      {diff.diff_url !== null && (
        <>
          , <ExternalLink href={diff.diff_url}>changes in the code</ExternalLink>
        </>
      )}
    </>
  )
}

export function ExitedArtifact({ org, artifact }: { org: string; artifact: Exited }) {
  return (
    <Text size="sm">
      <ArtifactLink org={org} flow={artifact.flow_name} fingerprint={artifact.fingerprint}>
        {artifact.name}
      </ArtifactLink>
      : {formatCount(artifact.was, 'instance')} stopped
      {artifact.environment_name && ` in ${artifact.environment_name}`}
    </Text>
  )
}
