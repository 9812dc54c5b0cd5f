// Evaluates policies against the evidence for one artifact: one decision per policy, with a reason for every failure.
// Each rule is resolved once per flow that knows the artifact; nothing carries over to another flow or artifact.

import type { CompiledPolicy, CompiledRequirement, CompiledRule } from './compile.ts'
import type {
  ArtifactEvidence,
  ArtifactVerdict,
  AttestationFact,
  Circumstances,
  FlowEvidence,
  PolicyDecision,
  Resolution,
  RuleEvaluation,
} from './decision.ts'
import { type EvaluationContext, evaluateExpression, listMissingReferences } from './expression/evaluate.ts'
import type { Expression } from './expression/expression.ts'
import { findLatestDecision, findMatchingFacts, isExpired } from './match.ts'
import type { AttestationRule } from './policy.ts'
import { buildReason, type FailedRule } from './reasons.ts'

export {
  type CompiledPolicy,
  compilePolicy,
  listRuleDefinitions as ruleDefinitions,
} from './compile.ts'
export type {
  ArtifactEvidence,
  ArtifactVerdict,
  AttestationFact,
  Circumstances,
  FlowEvidence,
  Reason,
  Resolution,
  RuleEvaluation,
} from './decision.ts'

export interface NamedPolicy {
  policy_name: string
  policy_version: number
  compiled: CompiledPolicy
}

// One flow that knows the artifact. If no flow does, there is a single place whose `flow` is null.
interface Place {
  flow: FlowEvidence | null
  context: EvaluationContext
  now: Date
}

interface Outcome {
  resolution: Resolution
  // The attestations behind a failing resolution.
  facts: readonly AttestationFact[]
}

const NO_FACTS: readonly AttestationFact[] = []

export function evaluateArtifact(
  policies: readonly NamedPolicy[],
  artifact: ArtifactEvidence,
  { allow_listed, now }: Circumstances,
): ArtifactVerdict {
  const decisions = policies.map(policy => evaluatePolicy(policy, artifact, now))
  // Without a policy there is no verdict, not even for allow-listed artifacts.
  if (decisions.length === 0) return { compliant: null, decisions, reasons: [] }
  if (allow_listed) return { compliant: true, decisions, reasons: [] }
  return {
    compliant: decisions.every(({ status }) => status === 'COMPLIANT'),
    decisions,
    reasons: decisions.flatMap(decision => decision.reasons),
  }
}

function evaluatePolicy(policy: NamedPolicy, artifact: ArtifactEvidence, now: Date): PolicyDecision {
  const { policy_name, policy_version, compiled } = policy
  const places = listPlaces(artifact, now)
  const decision: PolicyDecision = {
    policy_name,
    policy_version,
    status: 'COMPLIANT',
    rule_evaluations: [],
    reasons: [],
  }
  const addEvaluation = (rule: FailedRule, resolve: (place: Place) => Outcome): void => {
    const evaluation = evaluateRule(places, resolve, (place, outcome) => {
      decision.reasons.push(
        buildReason({ policy_name, policy_version, artifact, rule, ...place, ...outcome }),
      )
    })
    decision.rule_evaluations.push(evaluation)
    if (evaluation.satisfied === false) decision.status = 'NON-COMPLIANT'
  }
  addEvaluation(PROVENANCE, place => resolveProvenance(compiled.provenance, place))
  addEvaluation(TRAIL_COMPLIANCE, place => resolveTrailCompliance(compiled.trail_compliance, place))
  for (const compiledRule of compiled.attestations) {
    addEvaluation(compiledRule, place => resolveAttestation(compiledRule, place))
  }
  return decision
}

const PROVENANCE = { type: 'provenance' } as const
const TRAIL_COMPLIANCE = { type: 'trail-compliance' } as const

function listPlaces({ name, fingerprint, flows }: ArtifactEvidence, now: Date): Place[] {
  const artifact = { name, fingerprint }
  if (flows.length === 0) return [{ flow: null, context: { flow: null, artifact }, now }]
  return flows.map(flow => ({
    flow,
    context: { flow: { name: flow.flow_name, tags: flow.flow_tags }, artifact },
    now,
  }))
}

function evaluateRule(
  places: Place[],
  resolve: (place: Place) => Outcome,
  onFailure: (place: Place, outcome: Outcome) => void,
): RuleEvaluation {
  const evaluation: RuleEvaluation = { satisfied: null, ignored: true, resolutions: [] }
  for (const place of places) {
    const outcome = resolve(place)
    const { type } = outcome.resolution
    evaluation.resolutions.push(outcome.resolution)
    if (type === 'rule_not_applicable') continue
    evaluation.ignored = false
    if (type === 'rule_satisfied') {
      evaluation.satisfied ??= true
    } else {
      evaluation.satisfied = false
      onFailure(place, outcome)
    }
  }
  return evaluation
}

function resolveProvenance(requirement: CompiledRequirement, place: Place): Outcome {
  const waiver = findWaiver(requirement, place)
  if (waiver.isWaived) return buildOutcome('rule_not_applicable', place)
  return place.flow === null
    ? buildOutcome('no_provenance', place, waiver.error)
    : buildOutcome('rule_satisfied', place)
}

function resolveTrailCompliance(requirement: CompiledRequirement, place: Place): Outcome {
  const waiver = findWaiver(requirement, place)
  const isCompliant = place.flow?.artifact_state === 'COMPLIANT'
  const outcome = waiver.isWaived
    ? buildOutcome('rule_not_applicable', place)
    : isCompliant
      ? buildOutcome('rule_satisfied', place)
      : buildOutcome('non_compliant_in_trail', place, waiver.error)
  if (place.flow) outcome.resolution.context.artifact_status = isCompliant ? 'COMPLIANT' : 'NON-COMPLIANT'
  return outcome
}

// An exception that cannot be evaluated waives nothing. It is mentioned only if the rule then fails.
function findWaiver(
  { required, exceptions }: CompiledRequirement,
  { context }: Place,
): { isWaived: boolean; error?: string | undefined } {
  if (!required) return { isWaived: true }
  let error: string | undefined
  for (const exception of exceptions) {
    const evaluation = evaluateExpression(exception, context)
    if (evaluation.value === true) return { isWaived: true }
    error ??= evaluation.error
  }
  return { isWaived: false, error }
}

function resolveAttestation(compiled: CompiledRule, place: Place): Outcome {
  const outcome = resolveApplicable(compiled, place)
  const { for_control } = compiled.rule
  if (for_control !== null) outcome.resolution.context.for_control = for_control
  return outcome
}

function resolveApplicable({ rule, condition, needs_flow }: CompiledRule, place: Place): Outcome {
  if (place.flow === null && needs_flow) return buildOutcome('rule_not_applicable', place)
  if (condition !== null) {
    const { value, error } = evaluateExpression(condition, place.context)
    if (error !== undefined) return buildOutcome('evaluation_error', place, error)
    if (value === false) return buildOutcome('rule_not_applicable', place)
    // Nothing proves that the rule does not apply, so it does.
    if (value === null) return addUnknown(resolveFacts(rule, place), condition, place)
  }
  return resolveFacts(rule, place)
}

function addUnknown(outcome: Outcome, condition: Expression, { context }: Place): Outcome {
  outcome.resolution.context.unknown = listMissingReferences(condition, context)
  return outcome
}

function resolveFacts(rule: AttestationRule, place: Place): Outcome {
  const matching = findMatchingFacts(rule, place.flow?.attestations ?? NO_FACTS)
  const counting = rule.for_control === null ? matching : findLatestDecision(matching)
  if (counting.length === 0) return buildOutcome('missing_attestation', place)
  const valid = counting.filter(fact => !isExpired(fact, place.now))
  // Where any attestation is enough, one unexpired attestation is.
  if (!rule.must_be_compliant && valid.length > 0) return buildFactOutcome('rule_satisfied', place, valid)
  const failing = counting.filter(fact => !fact.is_compliant || isExpired(fact, place.now))
  const problem = failing.some(fact => !isExpired(fact, place.now))
    ? 'non_compliant_attestation'
    : 'expired_decision'
  return failing.length === 0
    ? buildFactOutcome('rule_satisfied', place, counting)
    : buildFactOutcome(problem, place, failing)
}

function buildFactOutcome(
  type: Resolution['type'],
  place: Place,
  facts: readonly AttestationFact[],
): Outcome {
  const outcome = buildOutcome(type, place)
  outcome.resolution.context.attestation_ids = facts.map(({ attestation_id }) => attestation_id)
  const expiries = facts.flatMap(({ expires_at }) => expires_at ?? [])
  if (expiries.length > 0) outcome.resolution.context.expires_at = Math.min(...expiries)
  outcome.facts = facts
  return outcome
}

function buildOutcome(type: Resolution['type'], { flow }: Place, error?: string): Outcome {
  const context: Resolution['context'] = {
    flow_name: flow?.flow_name ?? null,
    trail_name: flow?.trail_name ?? null,
    artifact_status: null,
  }
  if (error !== undefined) context.error = error
  return { resolution: { type, context }, facts: NO_FACTS }
}
