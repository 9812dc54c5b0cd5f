// Builds the lanes of an artifact's lineage diagram.
import { Text } from '@mantine/core'
import { ArtifactLink, AttestationLink, CommitLink, SnapshotLink, TrailLink } from '../../parts/links.tsx'
import type { Schemas } from '../../parts/schemas.ts'
import { computeSlotState, formatState } from '../../parts/state-badge.tsx'
import type { Lane, LineageNode } from './lineage.tsx'
import { artifactTexts as texts } from './texts.ts'

interface LineageData {
  org: string
  artifact: Schemas['Artifact']
  trail: Schemas['Trail'] | undefined
  slots: Schemas['AttestationStatus'][]
}

export function buildLanes(data: LineageData): Lane[] {
  return [
    { title: texts.lineage.commit, nodes: buildCommitNodes(data), none: texts.lineage.noCommit },
    { title: texts.lineage.trail, nodes: buildTrailNodes(data), none: texts.lineage.noTrail },
    { title: texts.lineage.artifact, nodes: buildArtifactNodes(data), none: '' },
    {
      title: texts.lineage.attestations,
      nodes: buildAttestationNodes(data),
      none: texts.lineage.noAttestations,
    },
    {
      title: texts.lineage.environments,
      nodes: buildEnvironmentNodes(data),
      none: texts.lineage.noEnvironments,
    },
  ]
}

function Dimmed({ children }: { children: string | null | undefined }) {
  return (
    <Text size="xs" c="dimmed" lineClamp={3}>
      {children}
    </Text>
  )
}

function buildCommitNodes({ artifact }: LineageData): LineageNode[] {
  const { git_commit, commit_url, git_commit_info } = artifact
  const content = (
    <>
      <CommitLink sha={git_commit} url={commit_url} />
      <Dimmed>{git_commit_info?.message}</Dimmed>
      <Dimmed>{git_commit_info?.author}</Dimmed>
    </>
  )
  return [{ key: git_commit, state: null, content }]
}

function buildTrailNodes({ org, artifact, trail }: LineageData): LineageNode[] {
  const { flow_name, trail_name } = artifact
  if (trail_name === null) return []
  const content = (
    <>
      <TrailLink org={org} flow={flow_name} trail={trail_name} />
      <Dimmed>{trail && formatState(trail.compliance_state)}</Dimmed>
    </>
  )
  return [{ key: trail_name, state: trail?.compliance_state ?? null, content }]
}

function buildArtifactNodes({ org, artifact }: LineageData): LineageNode[] {
  const { id, filename, fingerprint, flow_name, state } = artifact
  const content = (
    <>
      <ArtifactLink org={org} flow={flow_name} fingerprint={fingerprint} artifact_id={id}>
        {artifact.template_reference_name ?? filename}
      </ArtifactLink>
      <Dimmed>{filename}</Dimmed>
      <Dimmed>{state && formatState(state)}</Dimmed>
    </>
  )
  return [{ key: fingerprint, state, content }]
}

function buildAttestationNodes({ org, artifact, slots }: LineageData): LineageNode[] {
  const { flow_name, trail_name } = artifact
  return slots.map(slot => {
    const { attestation_id, attestation_name } = slot
    const state = computeSlotState(slot)
    const content = (
      <>
        {attestation_id === null || trail_name === null ? (
          attestation_name
        ) : (
          <AttestationLink org={org} flow={flow_name} trail={trail_name} attestation_id={attestation_id}>
            {attestation_name}
          </AttestationLink>
        )}
        <Dimmed>{formatState(state)}</Dimmed>
      </>
    )
    return { key: attestation_name, state, content }
  })
}

function buildEnvironmentNodes({ org, artifact }: LineageData): LineageNode[] {
  const places = [
    ...artifact.running.map(place => ({ ...place, word: texts.lineage.running })),
    ...artifact.exited
      .filter(({ environment_name }) =>
        artifact.running.every(place => place.environment_name !== environment_name),
      )
      .map(place => ({ ...place, word: texts.lineage.stopped })),
  ]
  const first_of_each = places.filter(
    (place, position) =>
      places.findIndex(each => each.environment_name === place.environment_name) === position,
  )
  return first_of_each.map(({ environment_name, snapshot_index, word }) => ({
    key: environment_name,
    state: null,
    content: (
      <>
        <SnapshotLink org={org} environment={environment_name} index={snapshot_index} />
        <Dimmed>{word}</Dimmed>
      </>
    ),
  }))
}
