// biome-ignore-all lint/suspicious/noTemplateCurlyInString: policies write their expressions in ${{ }}
import { describe, expect, it } from 'vitest'
import {
  type ArtifactEvidence,
  type Circumstances,
  compilePolicy,
  evaluateArtifact,
  type NamedPolicy,
  ruleDefinitions,
} from './evaluate.ts'
import { parsePolicy } from './parse.ts'
import type { Policy } from './policy.ts'

const readPolicy = (artifacts: string): Policy => {
  const parsed = parsePolicy(`_schema: https://example.com/v1\nartifacts: ${artifacts}`)
  if (!parsed.ok) throw new Error(JSON.stringify(parsed.errors))
  return parsed.policy
}
const makePolicy = (policy_name: string, artifacts: string): NamedPolicy => ({
  policy_name,
  policy_version: 3,
  compiled: compilePolicy(readPolicy(artifacts)),
})
const RUNNING: Circumstances = { allow_listed: false, now: new Date(1_000_000) }
const ALLOWED: Circumstances = { ...RUNNING, allow_listed: true }
const STRANGER: ArtifactEvidence = { name: 'app', fingerprint: 'f1', flows: [] }
const KNOWN: ArtifactEvidence = {
  name: 'app',
  fingerprint: 'f1',
  flows: [
    {
      flow_name: 'build',
      flow_tags: {},
      trail_name: 't1',
      artifact_state: 'COMPLIANT',
      attestations: [
        {
          attestation_id: '1',
          name: 'scan',
          type: 'snyk',
          is_compliant: false,
          control: null,
          expires_at: null,
          subject: 'artifact',
        },
      ],
    },
  ],
}

describe('an artifact under several policies', () => {
  const strict = makePolicy('strict', '{provenance: {required: true}}')
  const lax = makePolicy('lax', '{}')

  it('is compliant if every policy is met', () => {
    expect(evaluateArtifact([lax, strict], KNOWN, RUNNING)).toMatchObject({ compliant: true, reasons: [] })
    const verdict = evaluateArtifact([lax, strict], STRANGER, RUNNING)
    expect(verdict.compliant).toBe(false)
    expect(verdict.decisions.map(({ policy_name, status }) => [policy_name, status])).toEqual([
      ['lax', 'COMPLIANT'],
      ['strict', 'NON-COMPLIANT'],
    ])
    expect(verdict.reasons.map(({ policy_name }) => policy_name)).toEqual(['strict'])
  })

  it('is unknown without any, allow-listed or not', () => {
    const unknown = { compliant: null, decisions: [], reasons: [] }
    expect(evaluateArtifact([], STRANGER, RUNNING)).toEqual(unknown)
    expect(evaluateArtifact([], STRANGER, ALLOWED)).toEqual(unknown)
  })

  it('is compliant when allow-listed, with the decisions kept', () => {
    const verdict = evaluateArtifact([strict], STRANGER, ALLOWED)
    expect(verdict).toMatchObject({ compliant: true, reasons: [], decisions: [{ status: 'NON-COMPLIANT' }] })
    expect(verdict.decisions[0]?.reasons).toHaveLength(1)
  })
})

describe('a reason', () => {
  it('says everything about a wildcard that failed', () => {
    const verdict = evaluateArtifact([makePolicy('prod', '{attestations: [{type: snyk}]}')], KNOWN, RUNNING)
    expect(verdict.reasons).toEqual([
      {
        type: 'non_compliant_attestation',
        description:
          "Artifact 'app' has a non-compliant attestation 'scan' in trail 't1' of flow 'build' (rule 'attestation' of policy 'prod' version 3)",
        policy_name: 'prod',
        policy_version: 3,
        rule: 'attestation',
        artifact_name: 'app',
        artifact_fingerprint: 'f1',
        flow_name: 'build',
        trail_name: 't1',
        attestation_name: 'scan',
        attestation_type: 'snyk',
        for_control: null,
        expected: "a compliant attestation of type 'snyk'",
        found: "a non-compliant attestation 'scan'",
        remedy:
          "Report attestation 'scan' again with a compliant result on trail 't1' of flow 'build' for artifact 'app'",
      },
    ])
  })

  it('leaves out what it cannot know', () => {
    const rules = '{provenance: {required: true}, attestations: [{type: decision, for_control: c1}]}'
    const [provenance, decision] = evaluateArtifact([makePolicy('prod', rules)], STRANGER, RUNNING).reasons
    expect(provenance).toMatchObject({
      rule: 'provenance',
      flow_name: null,
      trail_name: null,
      attestation_name: null,
      attestation_type: null,
    })
    expect(decision).toMatchObject({
      for_control: 'c1',
      attestation_name: null,
      attestation_type: 'decision',
    })
  })
})

describe('a stored policy', () => {
  it('is shown rule by rule, in the order of the evaluations', () => {
    const policy = readPolicy(
      '{attestations: [{type: junit, if: "${{ true }}"}], provenance: {required: true, exceptions: [{if: "${{ false }}"}]}}',
    )
    expect(ruleDefinitions(policy)).toEqual([
      { type: 'provenance', definition: { required: true, exceptions: [{ if: { text: 'false' } }] } },
      { type: 'trail-compliance', definition: { required: false, exceptions: [] } },
      {
        type: 'attestation',
        definition: {
          if: { text: 'true' },
          name: '*',
          type: 'junit',
          must_be_compliant: true,
          for_control: null,
        },
      },
    ])
  })

  it('with content that could not have been stored is a bug', () => {
    const policy = readPolicy('{attestations: [{type: junit, if: "${{ true }}"}]}')
    policy.artifacts.attestations[0] = {
      if_condition: { text: 'tru' },
      name: '*',
      type: 'junit',
      must_be_compliant: true,
      for_control: null,
    }
    expect(() => compilePolicy(policy)).toThrow(/stored expression does not parse/)
  })
})
