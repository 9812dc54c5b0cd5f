// The time of evaluation without the database: provenance and four attestation rules with conditions, for 800
// artifacts.
import { compilePolicy, evaluateArtifact } from '../server/src/domain/policy/evaluate.ts'
import { parsePolicy } from '../server/src/domain/policy/parse.ts'
import { computeMedian, print, printTitle } from './report.ts'

const ARTIFACTS = 800
const WARM_UP = 20
const ROUNDS = 50

const POLICY = `_schema: https://waybill.example/schemas/policy/v1
artifacts:
  provenance:
    required: true
    exceptions:
      - if: \${{ matches(artifact.name, "^registry.example.com/vendor/") }}
  attestations:
    - {name: unit-tests, type: junit}
    - {name: review, type: pull_request, if: '\${{ flow.tags.risk == "high" }}'}
    - {name: scan, type: snyk, if: '\${{ flow.name != "docs" and exists(flow.tags.team) }}'}
    - {name: '*', type: generic, must_be_compliant: false, if: '\${{ artifact.name in ["a", "b", "c"] or flow.tags.priority < 3 }}'}
`

const parsed = parsePolicy(POLICY)
if (!parsed.ok) throw new Error(JSON.stringify(parsed.errors))
const policies = [{ policy_name: 'bench', policy_version: 1, compiled: compilePolicy(parsed.policy) }]

const buildAttestation = (name: string, type: string, is_compliant: boolean) => ({
  attestation_id: `${name}-1`,
  name,
  type,
  is_compliant,
  control: null,
  subject: 'artifact' as const,
})
const buildArtifacts = (is_compliant: boolean) =>
  Array.from({ length: ARTIFACTS }, (_, n) => ({
    name: `registry.example.com/team/service-${n}:1`,
    fingerprint: n.toString(16).padStart(64, '0'),
    flows: [
      {
        flow_name: `flow-${n % 10}`,
        flow_tags: { risk: 'high', team: 'core', priority: '2' },
        trail_name: `trail-${n}`,
        artifact_state: 'COMPLIANT' as const,
        attestations: [
          buildAttestation('unit-tests', 'junit', is_compliant),
          buildAttestation('review', 'pull_request', is_compliant),
          buildAttestation('scan', 'snyk', is_compliant),
          buildAttestation('note', 'generic', true),
        ],
      },
    ],
  }))

printTitle(`Evaluating ${ARTIFACTS} artifacts by provenance and four rules`)
for (const [name, is_compliant] of [
  ['all compliant', true],
  ['none compliant, with reasons', false],
] as const) {
  const evidence = buildArtifacts(is_compliant)
  const times: number[] = []
  for (let round = 0; round < WARM_UP + ROUNDS; round++) {
    const started_ms = performance.now()
    for (const artifact of evidence) evaluateArtifact(policies, artifact, false)
    if (round >= WARM_UP) times.push(performance.now() - started_ms)
  }
  print({ name, value: computeMedian(times), unit: 'ms', spread: times, aim: { at_most: 10 } })
}
