// Turns the evidence for an artifact into its stored evaluation. domain/policy makes the verdict; this file passes in
// the facts and stores what the verdict is based on, so that a snapshot can be explained years later.
import {
  evaluateArtifact,
  type NamedPolicy,
  type Reason,
  type RuleEvaluation,
} from '../domain/policy/evaluate.ts'
import { findKnownFingerprint } from '../domain/snapshot/alternates.ts'
import type { Ids } from '../lib/ids.ts'
import { forEachInChunks } from '../lib/yield-to-event-loop.ts'
import type { CompiledPolicies } from './compiled-policies.ts'
import type { CommitSummary, KnownFlow } from './known-flows-store.ts'
import type { AllowListed, AttachedPolicy } from './rules-store.ts'

const PORTION = 200

export interface EvaluatedFlow {
  flow_id: string
  flow_name: string
  trail_id: string | null
  trail_name: string | null
  artifact_id: string
  template_reference_name: string | null
  artifact_state: 'COMPLIANT' | 'NON-COMPLIANT' | 'INCOMPLETE'
  git_commit: string | null
  commit_url: string | null
  git_commit_info: CommitSummary | null
  annotations: Record<string, string>
  repo_id: string | null
  /** The fingerprint by which the flow knows the artifact; absent if it is the reported one. */
  fingerprint?: string
}

/** The decision of a policy. The rules themselves are in the policy version, in the same order. */
export interface StoredDecision {
  policy_id: string
  policy_name: string
  policy_version: number
  status: 'COMPLIANT' | 'NON-COMPLIANT'
  rules: RuleEvaluation[]
}

export interface Evaluation {
  flows: EvaluatedFlow[]
  decisions: StoredDecision[]
  reasons: Reason[]
  allow_listed: { description: string; created_by: string; expires_at: number | null } | null
}

export interface ArtifactEvaluation {
  artifact_key: string
  compliant: boolean | null
  evaluation: Evaluation
}

export interface EvaluationInputs {
  policies: readonly AttachedPolicy[]
  allow_list: ReadonlyMap<string, AllowListed>
  known: ReadonlyMap<string, readonly KnownFlow[]>
  /** Decisions that expire by then do not count. */
  now: Date
}

export interface ArtifactToEvaluate {
  artifact_key: string
  fingerprint: string
  name: string
  /** Other fingerprints of the artifact, in the order in which they are looked up. */
  alternates: readonly string[]
}

/** All fingerprints that may identify the artifacts to a flow, each once. */
export function listFingerprints(artifacts: readonly ArtifactToEvaluate[]): string[] {
  const fingerprints = new Set(
    artifacts.flatMap(({ fingerprint, alternates }) => [fingerprint, ...alternates]),
  )
  fingerprints.delete('')
  return [...fingerprints]
}

/** The parts of the application that an evaluation needs. */
export interface EvaluationTools {
  readonly ids: Ids
  readonly compiled_policies: CompiledPolicies
}

/** Evaluates each artifact against the same policies, in batches. */
export async function evaluateArtifacts(
  artifacts: readonly ArtifactToEvaluate[],
  inputs: EvaluationInputs,
  compiled_policies: CompiledPolicies,
): Promise<ArtifactEvaluation[]> {
  const policies = inputs.policies.map(policy => loadPolicy(policy, compiled_policies))
  const evaluated: ArtifactEvaluation[] = []
  await forEachInChunks(artifacts, PORTION, artifact => {
    evaluated.push(evaluateOne(artifact, policies, inputs))
  })
  return evaluated
}

interface LoadedPolicy {
  attached: AttachedPolicy
  /** Undefined if the stored policy cannot be read. */
  named: NamedPolicy | undefined
}

function evaluateOne(
  artifact: ArtifactToEvaluate,
  policies: readonly LoadedPolicy[],
  inputs: EvaluationInputs,
): ArtifactEvaluation {
  const { artifact_key, fingerprint, name } = artifact
  const found = findKnownFingerprint(fingerprint, artifact.alternates, each => inputs.known.has(each))
  const known = inputs.known.get(found) ?? []
  const allowed = inputs.allow_list.get(fingerprint)
  const evidence = { name, fingerprint, flows: known.map(toFlowEvidence) }
  const readable = policies.filter(({ named }) => named !== undefined)
  const unreadable = policies.filter(({ named }) => named === undefined)
  const { compliant, decisions, reasons } = evaluateArtifact(
    readable.flatMap(({ named }) => named ?? []),
    evidence,
    { allow_listed: allowed !== undefined, now: inputs.now },
  )
  return {
    artifact_key,
    compliant: unreadable.length > 0 ? allowed !== undefined : compliant,
    evaluation: {
      flows: known.map(flow => ({
        ...toEvaluatedFlow(flow),
        ...(found === fingerprint ? {} : { fingerprint: found }),
      })),
      decisions: [
        ...decisions.map((decision, i) => ({
          policy_id: readable[i]?.attached.policy_id ?? '',
          policy_name: decision.policy_name,
          policy_version: decision.policy_version,
          status: decision.status,
          rules: decision.rule_evaluations,
        })),
        ...unreadable.map(({ attached }) => buildUnreadableDecision(attached)),
      ],
      reasons: allowed
        ? []
        : [...reasons, ...unreadable.map(({ attached }) => buildUnreadableReason(attached, artifact))],
      allow_listed: allowed
        ? {
            description: allowed.description,
            created_by: allowed.created_by,
            expires_at: allowed.expires_at && allowed.expires_at.getTime() / 1000,
          }
        : null,
    },
  }
}

function toFlowEvidence(known: KnownFlow) {
  return {
    flow_name: known.flow_name,
    flow_tags: known.flow_tags,
    trail_name: known.trail_name,
    artifact_state: known.artifact_state as EvaluatedFlow['artifact_state'],
    attestations: known.attestations ?? [],
  }
}

function toEvaluatedFlow(known: KnownFlow): EvaluatedFlow {
  const { sha1, message, author, branch, timestamp, url } = known.git_commit_info ?? {}
  return {
    flow_id: known.flow_id,
    flow_name: known.flow_name,
    trail_id: known.trail_id,
    trail_name: known.trail_name,
    artifact_id: known.artifact_id,
    template_reference_name: known.template_reference_name,
    artifact_state: known.artifact_state as EvaluatedFlow['artifact_state'],
    git_commit: known.git_commit,
    commit_url: known.commit_url,
    git_commit_info: known.git_commit_info
      ? {
          ...(sha1 === undefined ? {} : { sha1 }),
          ...(message === undefined ? {} : { message }),
          ...(author === undefined ? {} : { author }),
          ...(branch === undefined ? {} : { branch }),
          ...(timestamp === undefined ? {} : { timestamp }),
          ...(url === undefined ? {} : { url }),
        }
      : null,
    annotations: known.annotations ?? {},
    repo_id: known.repo_id,
  }
}

function loadPolicy(attached: AttachedPolicy, compiled_policies: CompiledPolicies): LoadedPolicy {
  const { name, version } = attached
  try {
    const compiled = compiled_policies.get(attached)
    return { attached, named: { policy_name: name, policy_version: version, compiled } }
  } catch {
    // A policy is validated before it is stored, so this record was corrupted later. Every artifact fails it, with
    // this reason.
    return { attached, named: undefined }
  }
}

function buildUnreadableDecision({ policy_id, name, version }: AttachedPolicy): StoredDecision {
  return { policy_id, policy_name: name, policy_version: version, status: 'NON-COMPLIANT', rules: [] }
}

function buildUnreadableReason({ name, version }: AttachedPolicy, artifact: ArtifactToEvaluate): Reason {
  return {
    type: 'evaluation_error',
    description: `Policy '${name}' version ${version} cannot be read, so artifact '${artifact.name}' cannot be evaluated against it`,
    policy_name: name,
    policy_version: version,
    rule: 'provenance',
    artifact_name: artifact.name,
    artifact_fingerprint: artifact.fingerprint,
    flow_name: null,
    trail_name: null,
    attestation_name: null,
    attestation_type: null,
    for_control: null,
    expected: 'a policy that can be read',
    found: 'a corrupt record',
    remedy: `Save policy '${name}' again`,
  }
}
