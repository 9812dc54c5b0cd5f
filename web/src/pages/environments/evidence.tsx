// The attestations that satisfied policy rules, as listed in the verdict on an artifact.
import { useQuery } from '@tanstack/react-query'
import { AttestationLink } from '../../parts/links.tsx'
import { RecordedTime } from '../../parts/time.tsx'
import { readText } from '../../ui/search-params.ts'
import { attestationQuery } from '../flows/queries.ts'
import type { SnapshotArtifact } from './answers.ts'
import { historyTexts as texts } from './texts-history.ts'

interface Evidence {
  attestation_id: string
  flow: string
  trail: string
  name: string
}

const ANY_NAME = '*'
const DECISION = 'decision'

/** Decisions on a control, such as a release. */
export const findDecisions = (artifact: SnapshotArtifact) =>
  collectEvidence(artifact, type => type === DECISION)

export const findEvidence = (artifact: SnapshotArtifact) =>
  collectEvidence(artifact, type => type !== DECISION)

/** Each attestation once, even if several policies require it. */
function collectEvidence(
  artifact: SnapshotArtifact,
  isWanted: (type: string | undefined) => boolean,
): Evidence[] {
  const found = new Map<string, Evidence>()
  for (const { rule, satisfied, resolutions } of artifact.policy_decisions.flatMap(
    ({ rule_evaluations }) => rule_evaluations,
  )) {
    const type = readText(rule.definition.type)
    if (rule.type !== 'attestation' || satisfied !== true || !isWanted(type)) continue
    for (const { context } of resolutions) {
      const { flow_name: flow, trail_name: trail, attestation_ids = [] } = context
      if (flow === null || trail === null) continue
      const name = getName(readText(rule.definition.name), type, context.for_control)
      for (const attestation_id of attestation_ids)
        found.set(attestation_id, { attestation_id, flow, trail, name })
    }
  }
  return [...found.values()]
}

/** A rule may accept any name; the type describes it then. */
function getName(
  name: string | undefined,
  type: string | undefined,
  for_control: string | undefined,
): string {
  const word = name === undefined || name === ANY_NAME ? (type ?? texts.card.attestation) : name
  return for_control === undefined ? word : `${word} (${for_control})`
}

export function EvidenceLinks({ org, evidence }: { org: string; evidence: readonly Evidence[] }) {
  return evidence.map(({ attestation_id, flow, trail, name }, position) => (
    <span key={attestation_id}>
      {position > 0 && ', '}
      <AttestationLink org={org} flow={flow} trail={trail} attestation_id={attestation_id}>
        {name}
      </AttestationLink>
    </span>
  ))
}

/** Decisions with their descriptions. Each needs a request, so use it only for a few. */
export function DecisionDetails({ org, evidence }: { org: string; evidence: readonly Evidence[] }) {
  return evidence.map(decision => (
    <div key={decision.attestation_id}>
      <EvidenceLinks org={org} evidence={[decision]} />
      <DecisionNote org={org} attestation_id={decision.attestation_id} />
    </div>
  ))
}

function DecisionNote({ org, attestation_id }: { org: string; attestation_id: string }) {
  const { data } = useQuery(attestationQuery(org, attestation_id))
  if (!data) return null
  return (
    <>
      {data.description ? `: ${data.description}` : ''}, <RecordedTime at={data.created_at} of={data} />
    </>
  )
}
