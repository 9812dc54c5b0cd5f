// Evaluating 800 artifacts by provenance and four attestation rules with conditions: without the database, and trying a
// draft of such a policy over HTTP.
import { compilePolicy, evaluateArtifact } from '../server/src/domain/policy/evaluate.ts'
import { parsePolicy } from '../server/src/domain/policy/parse.ts'
import { type BenchService, ORG, startService } from './bench-service.ts'
import { measureCpu } from './cpu-time.ts'
import { computeMedian, print, printTitle } from './report.ts'
import {
  buildFingerprint,
  buildPodReport,
  listNumbers,
  makeEnvironment,
  sendReport,
} from './sample-report.ts'

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
  expires_at: null,
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

const RUNNING = { allow_listed: false, now: new Date(0) }

printTitle(`Evaluating ${ARTIFACTS} artifacts by provenance and four rules`)
for (const [name, is_compliant] of [
  ['all compliant', true],
  ['none compliant, with reasons', false],
] as const) {
  const evidence = buildArtifacts(is_compliant)
  const times: number[] = []
  for (let round = 0; round < WARM_UP + ROUNDS; round++) {
    const started_ms = performance.now()
    for (const artifact of evidence) evaluateArtifact(policies, artifact, RUNNING)
    if (round >= WARM_UP) times.push(performance.now() - started_ms)
  }
  print({ name, value: computeMedian(times), unit: 'ms', spread: times, aim: { at_most: 10 } })
}

const RULES = ['unit-tests', 'review', 'scan', 'note']
const TRIES = 30
const TRY_WARM_UP = 10
const SENDERS = 16

const service = await startService()
try {
  await reportRelease(service)
  const rules = (names: readonly string[]) =>
    names.map(name => `    - {name: ${name}, type: generic, if: '\${{ flow.name != "docs" }}'}`).join('\n')
  const buildDraft = (names: readonly string[]) =>
    `_schema: https://waybill.example/schemas/policy/v1
artifacts:
  provenance:
    required: true
  attestations:
${rules(names)}
`
  const in_force = buildDraft(RULES)
  await service.put(`/policies/${ORG}/strict`, { policy_yaml: in_force })
  await service.post(`/environments/${ORG}/prod/policies`, { policy_names: ['strict'] })
  printTitle(`Trying a draft on ${ARTIFACTS} artifacts with ${RULES.length} rules, over HTTP`)
  for (const [name, draft] of [
    ['no verdict changes', in_force],
    ['every verdict changes, with reasons', buildDraft([...RULES.slice(1), 'missing'])],
  ] as const) {
    const times: number[] = []
    const tryOnce = async () => {
      const started_ms = performance.now()
      await service.post(`/policies/${ORG}/strict/try`, { policy_yaml: draft, environments: ['prod'] })
      times.push(performance.now() - started_ms)
    }
    for (let turn = 0; turn < TRY_WARM_UP; turn++) await tryOnce()
    times.length = 0
    const { cpu } = await measureCpu({ pids: [service.pid], data_dir: service.data_dir }, async () => {
      for (let turn = 0; turn < TRIES; turn++) await tryOnce()
    })
    print({ name, value: computeMedian(times), unit: 'ms', spread: times, aim: { at_most: 15 } })
    print({ name: `${name}: CPU of the service`, value: cpu.service_us / TRIES / 1000, unit: 'ms' })
    print({ name: `${name}: CPU of PostgreSQL`, value: cpu.database_us / TRIES / 1000, unit: 'ms' })
  }
} finally {
  await service.stop()
}

/** Every artifact with its provenance and an attestation for each rule, and an environment that runs them all. */
async function reportRelease(from: BenchService): Promise<void> {
  await from.put(`/flows/${ORG}`, { name: 'built', description: '' })
  const pending = listNumbers(0, ARTIFACTS)
  const sendAll = async () => {
    for (let n = pending.pop(); n !== undefined; n = pending.pop()) {
      await from.post(`/artifacts/${ORG}/built`, {
        fingerprint: buildFingerprint(n),
        filename: `service-${n}`,
        build_url: 'https://ci.example.com/1',
        commit_url: 'https://git.example.com/1',
        trail_name: `trail-${n}`,
        template_reference_name: 'image',
      })
      for (const attestation_name of RULES)
        await from.post(`/attestations/${ORG}/built/trail/trail-${n}/generic`, {
          attestation_name,
          is_compliant: true,
          artifact_fingerprint: buildFingerprint(n),
        })
    }
  }
  await Promise.all(Array.from({ length: SENDERS }, sendAll))
  await makeEnvironment(from, 'prod')
  await sendReport(from, 'prod', buildPodReport(listNumbers(0, ARTIFACTS)))
}
