// The cost of browsing history: a page of artifacts, the timeline and a page of the list of snapshots, in an
// environment with 800 artifacts and 10,000 snapshots compared with one with 800 artifacts and ten. Measures the
// bytes sent, compressed or not, the statements, and the times of alternating requests.
import { get as httpGet } from 'node:http'
import pg from 'pg'
import { type BenchService, ORG, startService } from './bench-service.ts'
import { computeMedian, print, printRatio, printTitle } from './report.ts'
import {
  buildFingerprint,
  buildPodReport,
  listNumbers,
  makeEnvironment,
  sendReport,
  timeRead,
} from './sample-report.ts'

const RUNNING = 800
const SNAPSHOTS = 10_000
const FEW = 10
const MIDDLE = 5_000
const READS = 40
/** Artifacts with provenance; the first ones of them also have all the evidence that the policy requires. */
const BUILT = 400
const ATTESTED = 200
const EVIDENCE = ['unit-tests', 'image-scan', 'review', 'change-ticket']
const MAX_BYTES = 200 * 1024

const POLICY = `_schema: https://waybill.example/schemas/policy/v1
artifacts:
  provenance:
    required: true
  trail-compliance:
    required: true
  attestations:
${EVIDENCE.map(name => `    - name: ${name}\n      type: generic\n`).join('')}`

const service = await startService()
try {
  await fill(service)
  await measureSizes(service)
  await measureTimes(service)
} finally {
  await service.stop()
}

async function fill(to: BenchService): Promise<void> {
  await to.put(`/flows/${ORG}`, { name: 'build', description: '' })
  for (let n = 0; n < BUILT; n++) await reportBuild(to, n)
  for (let n = 0; n < ATTESTED; n++) await attest(to, n)
  await to.put(`/policies/${ORG}/production-rules`, { policy_yaml: POLICY })
  for (const name of ['young', 'old']) {
    await makeEnvironment(to, name)
    await send(to, 'POST', `/environments/${ORG}/${name}/policies`, {
      policy_names: ['production-rules'],
    })
    // Each snapshot replaces one artifact of the previous one.
    for (let i = 0; i < FEW; i++) {
      await sendReport(to, name, buildPodReport([...listNumbers(0, RUNNING - 1), RUNNING + i]))
    }
  }
  await extendHistory(to)
}

/** Adds one snapshot per minute in the same way, inside the database because that many reports would take an hour. */
async function extendHistory(from: BenchService): Promise<void> {
  const { owner } = await from.readDatabaseAddresses()
  const client = new pg.Client(owner)
  await client.connect()
  const OLD = `(select environment_id from environments where name = 'old')`
  const KEY = `encode(sha256(('later ' || n)::bytea), 'hex')`
  const LATER = `generate_series(${FEW + 1}, ${SNAPSHOTS}) n`
  const AT = `now() - make_interval(mins => ${SNAPSHOTS} - n)`
  const copies = [
    `update snapshots set created_at = now() - make_interval(mins => ${SNAPSHOTS} - snapshot_index)
     where environment_id = ${OLD}`,
    `insert into snapshots (org_id, environment_id, snapshot_index, created_at, compliant, compliant_count,
       non_compliant_count, unknown_count, applied_policies, members, cause, actor)
     select s.org_id, s.environment_id, n, ${AT}, s.compliant, s.compliant_count,
       s.non_compliant_count, s.unknown_count, s.applied_policies, s.members, s.cause, s.actor
     from snapshots s, ${LATER} where s.environment_id = ${OLD} and s.snapshot_index = ${FEW}`,
    `insert into runs (org_id, environment_id, run_id, artifact_key, fingerprint, name, instance_count, instances, replaced,
       from_index, to_index, is_exit)
     select r.org_id, r.environment_id, gen_random_uuid(), ${KEY}, ${KEY}, r.name, r.instance_count, r.instances,
       r.replaced, n, n + 1, true
     from runs r, ${LATER} where r.environment_id = ${OLD} and r.to_index = ${FEW} and r.is_exit`,
    `insert into verdicts (org_id, environment_id, verdict_id, artifact_key, compliant, evaluation, from_index, to_index)
     select v.org_id, v.environment_id, gen_random_uuid(), ${KEY}, v.compliant, v.evaluation, n, n + 1
     from verdicts v, ${LATER} where v.environment_id = ${OLD} and v.to_index = ${FEW}`,
    `insert into environment_events select e.org_id, e.environment_id, n, ${KEY}, ${AT}, e.type, ${KEY}, e.artifact_name,
       e.was, e.now, e.artifact_compliance, e.snapshot_compliance, e.flow_ids, e.repo_ids, e.code_diff
     from environment_events e, ${LATER}
     where e.environment_id = ${OLD} and e.snapshot_index = ${FEW} and e.type like 'started-%'`,
    `insert into deployments (org_id, deployment_id, environment_id, snapshot_index, artifact_key, fingerprint,
       artifact_name, is_primary, deployed_at)
     select d.org_id, gen_random_uuid(), d.environment_id, n, ${KEY}, ${KEY}, d.artifact_name, true, ${AT}
     from deployments d, ${LATER} where d.environment_id = ${OLD} and d.snapshot_index = ${FEW}`,
    `update environments set latest_index = ${SNAPSHOTS} where name = 'old'`,
    'vacuum analyze snapshots, runs, verdicts, environment_events, deployments',
  ]
  for (const copy of copies) await client.query(copy)
  await client.end()
}

async function reportBuild(to: BenchService, n: number): Promise<void> {
  await send(to, 'POST', `/artifacts/${ORG}/build`, {
    fingerprint: buildFingerprint(n),
    filename: `service-${n}`,
    trail_name: `release-${n}`,
    template_reference_name: 'image',
    git_commit: buildFingerprint(n).slice(0, 40),
    git_commit_info: {
      sha1: buildFingerprint(n).slice(0, 40),
      message: `Service ${n}: response the question that was asked`,
      author: 'Mara Lind <mara@example.com>',
      branch: 'main',
      timestamp: 1_772_530_000 + n,
      url: `https://git.example.com/team/service-${n}/commit/${buildFingerprint(n).slice(0, 40)}`,
    },
    build_url: `https://ci.example.com/runs/${n}`,
    commit_url: `https://git.example.com/team/service-${n}/commit/${buildFingerprint(n).slice(0, 40)}`,
  })
}

async function attest(to: BenchService, n: number): Promise<void> {
  for (const attestation_name of EVIDENCE) {
    await send(to, 'POST', `/attestations/${ORG}/build/trail/release-${n}/generic`, {
      attestation_name,
      is_compliant: true,
      artifact_fingerprint: buildFingerprint(n),
    })
  }
}

function buildPagePath(environment: string, index: number): string {
  return `/snapshots/${ORG}/${environment}/${index}/artifacts`
}

function buildTimelinePath(environment: string): string {
  return `/environments/${ORG}/${environment}/timeline`
}

async function measureSizes(from: BenchService): Promise<void> {
  printTitle(`Response sizes with ${RUNNING} artifacts and ${SNAPSHOTS} snapshots`)
  const paths = {
    'a page of artifacts': buildPagePath('old', MIDDLE),
    'a page of compliant artifacts': `${buildPagePath('old', MIDDLE)}?compliance=compliant`,
    'the largest page of artifacts': `${buildPagePath('old', MIDDLE)}?per_page=50`,
    'the timeline': buildTimelinePath('old'),
    'the finest timeline': `${buildTimelinePath('old')}?buckets=400`,
    'a hundred snapshots of the list': `/snapshots/${ORG}/old?per_page=100`,
  }
  for (const [name, path] of Object.entries(paths)) {
    const [plain, compressed] = [
      await countBytes(from, path, 'identity'),
      await countBytes(from, path, 'gzip'),
    ]
    // A client that asks for twice the default page size accepts a larger response.
    const aim = path.endsWith('per_page=50') ? {} : { aim: { at_most: MAX_BYTES / 1024 } }
    print({ name: `${name}, KB`, value: plain / 1024, ...aim })
    print({ name: `${name}, compressed, KB`, value: compressed / 1024, aim: { at_most: MAX_BYTES / 1024 } })
    print({ name: `${name}, statements`, value: await countStatements(from, path) })
  }
}

async function measureTimes(from: BenchService): Promise<void> {
  const paths = {
    page: [buildPagePath('young', FEW / 2), buildPagePath('old', MIDDLE)],
    timeline: [buildTimelinePath('young'), buildTimelinePath('old')],
  }
  printTitle(`With ${SNAPSHOTS} snapshots compared with ${FEW}, each of ${RUNNING} artifacts`)
  for (const [name, [young = '', old = '']] of Object.entries(paths)) {
    const measured: { young: number[]; old: number[] } = { young: [], old: [] }
    for (let i = -5; i < READS; i++) {
      const [few, many] = [await timeRead(from, young), await timeRead(from, old)]
      if (i < 0) continue
      measured.young.push(few)
      measured.old.push(many)
    }
    print({ name: `${name} among ${FEW} snapshots, p50`, value: computeMedian(measured.young), unit: 'ms' })
    print({
      name: `${name} among ${SNAPSHOTS}, p50`,
      value: computeMedian(measured.old),
      unit: 'ms',
      aim: { at_most: 100 },
    })
    // The timeline reads every snapshot; the time of a page must not depend on their number.
    const aim = name === 'page' ? { at_most: 1.3 } : undefined
    printRatio(`${name}, many / few, by round`, measured.old, measured.young, aim)
  }
}

/** Counts the bytes of the body as transmitted; `fetch` would decompress them. */
function countBytes({ port, key }: BenchService, path: string, encoding: string): Promise<number> {
  return new Promise((resolve, reject) => {
    const headers = { authorization: `Bearer ${key}`, 'accept-encoding': encoding }
    httpGet({ host: '127.0.0.1', port, path: `/api/v2${path}`, headers }, response => {
      let bytes = 0
      response.on('data', (chunk: Buffer) => {
        bytes += chunk.length
      })
      response.on('end', () =>
        response.statusCode === 200 ? resolve(bytes) : reject(new Error(`${path}: ${response.statusCode}`)),
      )
    }).on('error', reject)
  })
}

/** Also counts the polling of the evaluator and the worker, which is negligible among many requests. */
async function countStatements(from: BenchService, path: string): Promise<number> {
  await timeRead(from, path)
  const before = await from.readCounterTotal('waybill_sql_statements_total')
  for (let i = 0; i < READS; i++) await timeRead(from, path)
  return ((await from.readCounterTotal('waybill_sql_statements_total')) - before) / READS
}

async function send({ port, key }: BenchService, method: string, path: string, body: unknown): Promise<void> {
  const response = await fetch(`http://127.0.0.1:${port}/api/v2${path}`, {
    method,
    headers: { authorization: `Bearer ${key}`, 'content-type': 'application/json' },
    body: JSON.stringify(body),
  })
  if (!response.ok) throw new Error(`${method} ${path} returned ${response.status}: ${await response.text()}`)
}
