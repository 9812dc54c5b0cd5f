// Builds the structured reason for each rule that fails: where it fails, what was expected, what was found, and how
// to fix it. The API, webhooks, CSV and pages show the same object.

import { ANY_TYPE } from '../template/template.ts'
import type {
  ArtifactEvidence,
  AttestationFact,
  FailingResolution,
  FlowEvidence,
  Reason,
  Resolution,
  RuleType,
} from './decision.ts'
import { isExpired } from './match.ts'
import { ANY_NAME, type AttestationRule } from './policy.ts'

export type FailedRule = { type: Exclude<RuleType, 'attestation'> } | { rule: AttestationRule }

export interface FailedResolution {
  policy_name: string
  policy_version: number
  artifact: ArtifactEvidence
  flow: FlowEvidence | null
  rule: FailedRule
  resolution: Resolution
  facts: readonly AttestationFact[]
  now: Date
}

interface Wording {
  expected: string
  found: string
  // Follows "Artifact 'x' ".
  sentence: string
  remedy: string
}

const MAX_NAMES = 10

export function buildReason(failed: FailedResolution): Reason {
  const { policy_name, policy_version, artifact, rule, resolution } = failed
  const attestation = 'rule' in rule ? rule.rule : null
  const { expected, found, sentence, remedy } = attestation
    ? describeAttestation(failed, attestation)
    : describeArtifact(failed)
  const ruleType = 'rule' in rule ? 'attestation' : rule.type
  const source = `rule '${ruleType}' of policy '${policy_name}' version ${policy_version}`
  const error = resolution.context.error
  const doubt = error !== undefined && !attestation ? `; an exception could not be evaluated: ${error}` : ''
  const unknown = describeUnknown(failed)
  return {
    type: resolution.type as FailingResolution,
    description: `Artifact '${artifact.name}' ${sentence} (${source})${doubt}${unknown.sentence}`,
    policy_name,
    policy_version,
    rule: ruleType,
    artifact_name: artifact.name,
    artifact_fingerprint: artifact.fingerprint,
    flow_name: resolution.context.flow_name,
    trail_name: resolution.context.trail_name,
    attestation_name: attestation && resolveName(attestation, failed.facts),
    attestation_type: attestation && resolveType(attestation, failed.facts),
    for_control: attestation?.for_control ?? null,
    expected,
    found: `${found}${doubt}`,
    remedy: `${remedy}${unknown.remedy}`,
  }
}

// Explains why a rule applies although its condition is neither true nor false.
function describeUnknown({ flow, resolution }: FailedResolution): { sentence: string; remedy: string } {
  const names = resolution.context.unknown ?? []
  const [first] = names
  if (first === undefined) return { sentence: '', remedy: '' }
  const [is, which] = names.length === 1 ? ['is', 'it'] : ['are', 'them']
  return {
    sentence: `; the rule applies because ${names.join(' and ')} ${is} not set`,
    remedy: `; or set ${which} on flow '${flow?.flow_name}', or start the condition with 'exists(${first}) and' if the rule should not apply to flows without ${which}`,
  }
}

function describeArtifact({ artifact, flow, resolution }: FailedResolution): Wording {
  const report = `Report the artifact with fingerprint ${artifact.fingerprint} to a flow`
  if (resolution.type === 'no_provenance') {
    return {
      expected: 'an artifact that was reported to a flow',
      found: 'no flow with this fingerprint',
      sentence: 'has no provenance because its fingerprint was not reported to any flow',
      remedy: report,
    }
  }
  const expected = 'a trail in which the artifact is COMPLIANT'
  if (!flow) {
    return {
      expected,
      found: 'no trail',
      sentence: 'is not on any trail',
      remedy: `${report}, with the evidence that its template requires`,
    }
  }
  const state = flow.artifact_state
  const where = describePlace(flow)
  const remedy =
    state === 'INCOMPLETE'
      ? `Report the missing evidence for artifact '${artifact.name}' ${where}`
      : `Replace the non-compliant evidence for artifact '${artifact.name}' ${where}`
  return { expected, found: state, sentence: `is ${state} ${where}`, remedy }
}

function describeAttestation(
  { artifact, flow, resolution, facts, now }: FailedResolution,
  rule: AttestationRule,
): Wording {
  const where = describePlace(flow)
  const expected = `${rule.must_be_compliant ? 'a compliant ' : 'any '}${describeRequirement(rule)}`
  const target = flow
    ? `${flow.trail_name === null ? where : where.replace(/^in/, 'on')} for artifact '${artifact.name}'`
    : 'in that flow'
  const report = `Report ${expected} ${target}`
  if (resolution.type === 'evaluation_error') {
    const error = resolution.context.error ?? ''
    return {
      expected: 'a condition that evaluates to true or false',
      found: `an error: ${error}`,
      sentence: `cannot be evaluated${flow ? ` ${where}` : ''}: the condition for the ${describeRequirement(rule)} failed: ${error}`,
      remedy: flow
        ? `Fix the condition of the rule, or the tags of flow '${flow.flow_name}'`
        : 'Fix the condition of the rule',
    }
  }
  if (resolution.type === 'missing_attestation') {
    return {
      expected,
      found: 'nothing',
      sentence: `has no ${describeRequirement(rule)} ${where}`,
      remedy: flow
        ? report
        : `Report the artifact with fingerprint ${artifact.fingerprint} to a flow, then ${expected} ${target}`,
    }
  }
  const is_expired = resolution.type === 'expired_decision'
  const found = is_expired ? describeExpired(rule, facts) : describeNonCompliant(rule, facts, now)
  const result = rule.must_be_compliant ? ' with a compliant result' : ''
  return {
    expected: is_expired ? `${expected} that has not expired` : expected,
    found,
    sentence: `has ${found} ${where}`,
    // A wildcard rule needs every matching attestation to be compliant, so an additional one does not help. For a
    // control the next decision counts, whatever its name.
    remedy:
      rule.for_control === null
        ? `Report ${formatNames(facts)} again${result} ${target}`
        : is_expired
          ? `Report a new ${rule.must_be_compliant ? 'compliant ' : ''}${describeRequirement(rule)} ${target}`
          : report,
  }
}

function describeNonCompliant(
  { for_control }: AttestationRule,
  facts: readonly AttestationFact[],
  now: Date,
): string {
  if (for_control !== null) return `a non-compliant decision '${facts[0]?.name}' for control '${for_control}'`
  const expired = facts.filter(fact => isExpired(fact, now))
  const others = facts.filter(fact => !isExpired(fact, now))
  const also = expired.length === 0 ? '' : ` and ${describeExpiredNames(expired)}`
  return `${others.length === 1 ? 'a ' : ''}non-compliant ${formatNames(others)}${also}`
}

function describeExpired({ for_control }: AttestationRule, facts: readonly AttestationFact[]): string {
  const [first] = facts
  if (for_control === null || !first) return describeExpiredNames(facts)
  return `a decision '${first.name}' for control '${for_control}' that expired at ${formatTime(first.expires_at)}`
}

function describeExpiredNames(facts: readonly AttestationFact[]): string {
  const at = formatTime(Math.min(...facts.flatMap(({ expires_at }) => expires_at ?? [])))
  return facts.length === 1
    ? `an expired ${formatNames(facts)}, which expired at ${at}`
    : `expired ${formatNames(facts)}, the first of which expired at ${at}`
}

function formatTime(seconds: number | null): string {
  return `${new Date((seconds ?? 0) * 1000).toISOString().slice(0, 19).replace('T', ' ')} UTC`
}

function describePlace(flow: FlowEvidence | null): string {
  if (!flow) return 'in any flow'
  const trail = flow.trail_name === null ? '' : `trail '${flow.trail_name}' of `
  return `in ${trail}flow '${flow.flow_name}'`
}

// Examples: "'unit-tests' attestation of type 'junit'", "decision for control 'c1'".
function describeRequirement({ name, type, for_control }: AttestationRule): string {
  const named = name === ANY_NAME ? '' : `'${name}' `
  if (for_control !== null) return `${named}decision for control '${for_control}'`
  return `${named}attestation${type === ANY_TYPE ? '' : ` of type '${type}'`}`
}

function formatNames(facts: readonly AttestationFact[]): string {
  const names = facts
    .slice(0, MAX_NAMES)
    .map(({ name, subject }) => `'${name}'${subject === 'trail' ? ' (on the trail)' : ''}`)
  const rest = facts.length - names.length
  const noun = facts.length === 1 ? 'attestation' : 'attestations'
  return `${noun} ${names.join(', ')}${rest > 0 ? ` and ${rest} more` : ''}`
}

// A wildcard has a concrete name or type only once an attestation matched it.
function resolveName({ name }: AttestationRule, facts: readonly AttestationFact[]): string | null {
  return name === ANY_NAME ? (facts[0]?.name ?? null) : name
}

function resolveType({ type }: AttestationRule, facts: readonly AttestationFact[]): string | null {
  return type === ANY_TYPE ? (facts[0]?.type ?? null) : type
}
