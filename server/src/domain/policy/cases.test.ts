// Runs the golden files in cases/. They write an attestation in short form, `scan snyk false on-trail #3` or `d1
// system:decision true for-c1 until-500` (in epoch seconds), and a resolution as flow/trail, type and context. The
// current time is second 1000.

import { readdirSync, readFileSync } from 'node:fs'
import { describe, expect, it } from 'vitest'
import { parse } from 'yaml'
import {
  type ArtifactEvidence,
  type ArtifactVerdict,
  type AttestationFact,
  compilePolicy,
  evaluateArtifact,
  type FlowEvidence,
  type NamedPolicy,
  type Resolution,
  ruleDefinitions,
} from './evaluate.ts'
import { parsePolicy } from './parse.ts'
import type { Policy } from './policy.ts'

interface GivenFlow {
  flow: string
  trail?: string
  tags?: Record<string, string>
  state?: FlowEvidence['artifact_state']
  attestations?: string[]
}

interface Case {
  policy: string
  artifacts: Record<string, GivenFlow[]>
  allow_listed?: boolean
  expected: Record<string, unknown>
}

const NOW = new Date(1_000_000)
const CASES = new URL('./cases/', import.meta.url)

describe.each(readdirSync(CASES))('%s', file => {
  const golden = parse(readFileSync(new URL(file, CASES), 'utf8')) as Case
  const policy = readPolicy(golden.policy)
  const named: NamedPolicy = { policy_name: 'prod', policy_version: 2, compiled: compilePolicy(policy) }
  const circumstances = { allow_listed: golden.allow_listed ?? false, now: NOW }
  const evaluate = (artifact: ArtifactEvidence): ArtifactVerdict =>
    evaluateArtifact([named], artifact, circumstances)
  const artifacts = Object.entries(golden.artifacts).map(([name, flows]) => buildEvidence(name, flows))

  it('gets the verdict in the file', () => {
    const verdicts = artifacts.map(artifact => [artifact.name, summarizeVerdict(policy, evaluate(artifact))])
    expect(Object.fromEntries(verdicts)).toEqual(golden.expected)
  })

  it('gets the same verdict whatever was evaluated before', () => {
    const forwards = artifacts.map(evaluate)
    const backwards = artifacts.toReversed().map(evaluate)
    expect(backwards.toReversed()).toEqual(forwards)
  })

  it('has a reason for each resolution that fails', () => {
    for (const { decisions } of artifacts.map(evaluate)) {
      for (const { status, rule_evaluations, reasons } of decisions) {
        const types = rule_evaluations.flatMap(({ resolutions }) => resolutions.map(({ type }) => type))
        expect(reasons.map(({ type }) => type)).toEqual(
          types.filter(type => !['rule_satisfied', 'rule_not_applicable'].includes(type)),
        )
        expect(reasons.length > 0).toBe(status === 'NON-COMPLIANT')
      }
    }
  })
})

function readPolicy(yaml: string): Policy {
  const parsed = parsePolicy(`_schema: https://example.com/schemas/policy/environment/v1\n${yaml}`)
  if (!parsed.ok) throw new Error(JSON.stringify(parsed.errors))
  return parsed.policy
}

function buildEvidence(name: string, flows: GivenFlow[]): ArtifactEvidence {
  return {
    name,
    fingerprint: `sha-of-${name}`,
    flows: flows.map(({ flow, trail, tags, state, attestations }) => ({
      flow_name: flow,
      flow_tags: tags ?? {},
      trail_name: trail ?? null,
      artifact_state: state ?? 'COMPLIANT',
      attestations: (attestations ?? []).map(parseFact),
    })),
  }
}

function parseFact(text: string, index: number): AttestationFact {
  const [name = '', type = '', verdict, ...more] = text.split(' ')
  const findAfter = (sign: string): string | undefined =>
    more.find(word => word.startsWith(sign))?.slice(sign.length)
  const until = findAfter('until-')
  return {
    attestation_id: findAfter('#') ?? String(index + 1),
    name,
    type,
    is_compliant: verdict === 'true',
    control: findAfter('for-') ?? null,
    expires_at: until === undefined ? null : Number(until),
    subject: more.includes('on-trail') ? 'trail' : 'artifact',
  }
}

function summarizeVerdict(policy: Policy, { compliant, decisions, reasons }: ArtifactVerdict): unknown {
  const definitions = ruleDefinitions(policy)
  return {
    compliant,
    policy: decisions[0]?.status,
    rules: decisions[0]?.rule_evaluations.map(({ satisfied, ignored, resolutions }, at) => {
      const verdict = ignored ? `ignored ${satisfied}` : satisfied
      return { [`${definitions[at]?.type} ${verdict}`]: resolutions.map(summarizeResolution) }
    }),
    reasons: reasons.map(({ description, found, remedy }) => ({ description, found, remedy })),
  }
}

function summarizeResolution({ type, context }: Resolution): string {
  const { flow_name, trail_name, artifact_status, for_control, attestation_ids, expires_at, error } = context
  return [
    flow_name === null ? 'nowhere' : `${flow_name}/${trail_name}`,
    type,
    ...(artifact_status === null ? [] : [artifact_status]),
    ...(for_control === undefined ? [] : [`for-${for_control}`]),
    ...(attestation_ids ?? []).map(id => `#${id}`),
    ...(expires_at === undefined ? [] : [`until-${expires_at}`]),
    ...(error === undefined ? [] : [`because ${error}`]),
  ].join(' ')
}
