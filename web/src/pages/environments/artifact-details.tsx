// Everything about a running artifact: why it is not compliant, where it comes from, who released it and what it replaced.
import { Stack, Text } from '@mantine/core'
import { ArtifactLink, CommitLink, FlowLink, TrailLink } from '../../parts/links.tsx'
import { describeState } from '../../parts/state-badge.tsx'
import { partsTexts as parts } from '../../parts/texts.ts'
import { RelativeTime } from '../../parts/time.tsx'
import { ExternalLink } from '../../ui/external-link.tsx'
import { Facts } from '../../ui/facts.tsx'
import { PageLink } from '../../ui/page-link.tsx'
import type { SnapshotArtifact } from './answers.ts'
import { DecisionDetails, EvidenceLinks, findDecisions, findEvidence } from './evidence.tsx'
import { Reasons } from './reasons.tsx'
import { historyTexts as texts } from './texts-history.ts'

const MAX_PODS_SHOWN = 4

export interface ArtifactProps {
  org: string
  artifact: SnapshotArtifact
  /** The reporter of the snapshot; null if it was not created by a report. */
  reported_by: string | null
  /** The environment in which the reader may allow the artifact; null if there is none. */
  allow_in: string | null
}

export function ArtifactDetails({ org, artifact, reported_by, allow_in }: ArtifactProps) {
  return (
    <Stack gap={6} mt={6}>
      <Text size="xs" c="dimmed" className="fingerprint">
        {artifact.fingerprint || texts.card.noFingerprint}
      </Text>
      <Reasons org={org} reasons={artifact.reasons_for_incompliance} />
      {artifact.compliance_state === 'UNKNOWN' && <Unchecked />}
      {allow_in !== null && artifact.compliance_state === 'NON-COMPLIANT' && artifact.fingerprint !== '' && (
        <AllowLink org={org} environment={allow_in} artifact={artifact} />
      )}
      <Facts rows={listFacts(org, artifact, reported_by)} />
    </Stack>
  )
}

function listFacts(org: string, artifact: SnapshotArtifact, reported_by: string | null) {
  const decisions = findDecisions(artifact)
  // Who released an artifact matters most if it should not run.
  const Decisions = artifact.compliance_state === 'NON-COMPLIANT' ? DecisionDetails : EvidenceLinks
  const evidence = findEvidence(artifact)
  return [
    [texts.card.allowed, artifact.allow_listed && <AllowListed artifact={artifact} />],
    [texts.card.runs, <Running key="runs" artifact={artifact} />],
    [texts.card.built, <Origin key="built" org={org} artifact={artifact} />],
    [texts.card.released, decisions.length > 0 && <Decisions org={org} evidence={decisions} />],
    [texts.card.evidence, evidence.length > 0 && <EvidenceLinks org={org} evidence={evidence} />],
    [texts.card.alternates, artifact.alternate_digests.join(', ')],
    [texts.card.reportedBy, reported_by],
    [texts.card.replaced, artifact.deployment_diff && <Replaced org={org} artifact={artifact} />],
  ].map(([name, value]) => [String(name), value || null] as const)
}

export function Unchecked() {
  return <Text size="sm">{parts.unknown.artifact}</Text>
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
        {texts.card.allowAnyway}
      </PageLink>
    </Text>
  )
}

export function AllowListed({ artifact: { allow_listed } }: { artifact: SnapshotArtifact }) {
  if (allow_listed === null) return null
  return (
    <>
      {texts.card.allowListed(allow_listed.created_by, allow_listed.description)}
      {allow_listed.expires_at !== null && (
        <>
          {' '}
          {texts.card.expires} <RelativeTime at={allow_listed.expires_at} />)
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
          {texts.card.started} <RelativeTime at={Math.min(...started)} />,{' '}
        </>
      )}
      {texts.card.instances(now)}
      {was !== now && was > 0 && texts.card.instancesBefore(was)}
      {artifact.environment_name && texts.card.inEnvironment(artifact.environment_name)}
      {pods.length > 0 && (
        <Text span size="xs" c="dimmed" className="fingerprint">
          {' '}
          {pods.slice(0, MAX_PODS_SHOWN).join(', ')}
          {pods.length > MAX_PODS_SHOWN && texts.card.morePods(pods.length - MAX_PODS_SHOWN)}
        </Text>
      )}
    </>
  )
}

function Origin({ org, artifact }: { org: string; artifact: SnapshotArtifact }) {
  if (artifact.flows.length === 0) return <>{texts.card.noFlow}</>
  return artifact.flows.map(flow => (
    <div key={`${flow.flow_name} ${flow.trail_name}`}>
      {flow.git_commit_info?.author && texts.card.author(flow.git_commit_info.author.replace(/ <.*>$/, ''))}
      {flow.git_commit !== '' && (
        <>
          {texts.card.commit} <CommitLink sha={flow.git_commit} url={flow.commit_url} />
          {flow.git_commit_info?.message &&
            texts.card.commitMessage(flow.git_commit_info.message.split('\n')[0] ?? '')}
          ,{' '}
        </>
      )}
      {texts.card.flow} <FlowLink org={org} flow={flow.flow_name} />
      {flow.trail_name !== null && (
        <>
          {texts.card.trail} <TrailLink org={org} flow={flow.flow_name} trail={flow.trail_name} />
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
      ({describeState(diff.previous_artifact_compliance_state)}
      {diff.previous_running && texts.card.stillRunning})
      {diff.diff_url !== null && (
        <>
          , <ExternalLink href={diff.diff_url}>{texts.card.codeChanges}</ExternalLink>
        </>
      )}
    </>
  )
}
