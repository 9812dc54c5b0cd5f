// The demo: the API accepts its whole timeline, and its end state can be explained in a minute.
import { readdirSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { beforeAll, describe, expect, it } from 'vitest'
import { ENGINEERS, DEMO_ORG as ORG } from '../src/demo/company.ts'
import { buildTimeline } from '../src/demo/timeline.ts'
import { type DemoService, startDemoService } from './demo-service.ts'
import { until } from './patience.ts'

const END = Date.UTC(2026, 2, 3, 12) / 1000
const DAY = 24 * 60 * 60
const MAX_CALLS = 2300
/** In the delivery log, whatever weekday the timeline ends on. */
const MAX_MESSAGES = 12

// biome-ignore lint/suspicious/noExplicitAny: tests look into bodies of every shape
type Body = any

let service: DemoService
/** When the timeline ended, derived from the environment that went silent six days earlier. */
let end: number

beforeAll(async () => {
  service = await startDemoService()
  end = (await get(`/environments/${ORG}/archive-host`)).last_reported_at + 6 * DAY
  expect(end).toBeGreaterThanOrEqual(service.filled_from)
  expect(end).toBeLessThanOrEqual(service.filled_until)
})

const call = (method: string, path: string, body?: unknown) =>
  service.call(method, `/api/v2${path}`, { key: service.key, body })
const get = async (path: string): Promise<Body> => {
  const { status, text } = await call('GET', path)
  expect(status, path).toBe(200)
  return JSON.parse(text)
}
const sql = async (text: string): Promise<Record<string, unknown>[]> => (await service.owner.query(text)).rows
const listAttestations = async (query: string): Promise<Body[]> =>
  (await get(`/attestations/${ORG}?per_page=100&${query}`)).data

describe('the timeline', () => {
  it('is the same every time, in order, and ends at the given time', () => {
    const calls = buildTimeline(END, 7)
    expect(calls).toEqual(buildTimeline(END, 7))
    expect(calls).not.toEqual(buildTimeline(END, 8))
    expect(calls.map(({ at }) => at)).toEqual(calls.map(({ at }) => at).toSorted((a, b) => a - b))
    expect(calls.at(-1)?.at).toBeLessThanOrEqual(END)
    expect(calls.length).toBeGreaterThan(1000)
  })

  it('is small on every weekday it may end on, and has messages for the chat', () => {
    for (let day = 0; day < 7; day++) {
      const end = END + day * DAY
      const calls = buildTimeline(end, 20_261)
      expect(calls.length).toBeLessThanOrEqual(MAX_CALLS)
      const told_since = calls.find(({ path }) => path.endsWith('/environments_notifications'))?.at ?? end
      const deployments = new Set(
        calls
          .filter(({ path, at }) => path.endsWith('/production/report/K8S') && at > told_since)
          .map(({ body }) => JSON.stringify(body)),
      )
      expect(deployments.size).toBeGreaterThanOrEqual(1)
      expect(deployments.size).toBeLessThanOrEqual(MAX_MESSAGES - 4)
    }
  })
})

describe('the demo', () => {
  it('ends with production red, for one artifact and one missing scan, since this morning', async () => {
    const body = await get(`/environments/${ORG}`)
    const states = Object.fromEntries(
      body.map(({ name, state }: { name: string; state: boolean }) => [name, state]),
    )
    expect(states).toMatchObject({ production: false, staging: true, edge: true, 'all-live': false })
    const compliance = await get(`/environments/${ORG}/production/compliance`)
    expect(compliance.non_compliant).toHaveLength(1)
    const snapshot = await get(`/snapshots/${ORG}/production/-1`)
    const red = snapshot.artifacts.filter(({ compliant }: { compliant: boolean }) => !compliant)
    expect(red).toHaveLength(1)
    expect(red[0].name).toMatch(/payments-api/)
    expect(red[0].reasons_for_incompliance).toMatchObject([{ attestation_name: 'vulnerability-scan' }])
  })

  it('has a history to browse: snapshots, deployments, decisions, both bad days', async () => {
    const snapshots = await get(`/snapshots/${ORG}/production?per_page=50`)
    expect(JSON.stringify(snapshots)).toContain('"index":')
    const decisions = await get(`/controls/${ORG}/REL-01/decisions`)
    expect(decisions.decisions.length).toBeGreaterThan(0)
    const versions = await get(`/policies/${ORG}/live-rules`)
    expect(versions.versions).toHaveLength(2)
    const turned = await sql(
      `select count(*)::int as red from snapshots s join environments e using (org_id, environment_id)
       where e.name = 'production' and s.compliant = false`,
    )
    expect(turned[0]?.red).toBeGreaterThan(1)
  })

  it('has a history in which production was red on the two bad days only, in chronological order', async () => {
    const snapshots = await sql(
      `select e.name, s.snapshot_index, s.created_at, s.compliant from snapshots s
       join environments e using (org_id, environment_id) order by e.name, s.snapshot_index`,
    )
    const of = (name: string) => snapshots.filter(row => row.name === name)
    for (const name of ['production', 'staging', 'edge']) {
      const times = of(name).map(({ created_at }) => Number(created_at))
      expect(times).toEqual(times.toSorted((a, b) => a - b))
      // No evaluator with another clock interfered: everything after that would have the same time.
      expect(new Set(times).size).toBe(times.length)
      expect(times.at(-1)).toBeLessThan(end * 1000)
    }
    expect(of('production').filter(({ compliant }) => compliant === false)).toHaveLength(2)
    expect(of('staging').filter(({ compliant }) => compliant === false)).toHaveLength(0)
    expect(of('edge').filter(({ compliant }) => compliant === false)).toHaveLength(0)
  })
})

describe('the team', () => {
  it('has a key that expires in nine days and is in use, and one that was replaced', async () => {
    const keys: Body[] = await get(`/service-accounts/${ORG}/pipeline/api-keys`)
    const [ending] = keys.filter(({ expires_at }) => expires_at > 0)
    expect(ending).toMatchObject({ expires_at: end + 9 * DAY })
    expect(ending.last_used_at).toBeGreaterThan(end - DAY)
    const [old] = keys.filter(({ expires_at }) => expires_at === 0)
    expect(old.last_used_at).toBeGreaterThan(0)
    expect(old.last_used_at).toBeLessThan(end - 80 * DAY)
    const [watching] = await get(`/service-accounts/${ORG}/cluster-watcher/api-keys`)
    expect(watching.last_used_at).toBeGreaterThan(end - 3600)
  })

  it('has a decision on every live release, never by its author', async () => {
    const decisions = await listAttestations('name=release-decision')
    expect(decisions).toHaveLength(100)
    for (const { attestation_data, git_commit_info } of decisions) {
      expect(attestation_data.decided_by).toMatch(/^(mara|jonas|teo)@/)
      expect(git_commit_info.author).not.toContain(attestation_data.decided_by)
    }
    expect(new Set(decisions.map(({ attestation_data }) => attestation_data.decided_by)).size).toBe(3)
    const [latest] = await listAttestations('name=release-decision&flow=payments-api')
    expect(latest).toMatchObject({ trail_name: 'release-2.9.0', is_compliant: true })
    expect(latest.attestation_data.decided_by).toMatch(/@harbour-bank\.example$/)
  })
})

describe('the notifications', () => {
  const list = async (): Promise<Body[]> =>
    (await get(`/notification-deliveries/${ORG}?per_page=100`)).deliveries
  /** Sent when the service first scans its keys. */
  const isKeyNotice = ({ event_type }: Body) => event_type === 'API_KEY_EXPIRY'
  const all = async (): Promise<Body[]> => get(`/organizations/${ORG}/environments_notifications`)

  it('go to a chat, a signed webhook and a mail address; failed deliveries are retried', async () => {
    const isTold = ({ finished_at, error }: Body) => finished_at ?? error
    await until(async () => (await list()).some(isKeyNotice) && (await list()).every(isTold))
    const deliveries = (await list()).filter(delivery => !isKeyNotice(delivery))
    expect(deliveries.length).toBeLessThanOrEqual(MAX_MESSAGES)
    const [mail, ...others] = deliveries.filter(({ target }) => target.type === 'EMAIL')
    expect(others).toEqual([])
    expect(mail).toMatchObject({ status: 'delivered', event_type: 'NON_COMPLIANT_ENV' })
    for (const type of ['CHAT', 'WEBHOOK']) {
      const failing = deliveries.filter(({ target }) => target.type === type)
      expect(failing.length).toBeGreaterThanOrEqual(1)
      for (const each of failing) {
        expect(each).toMatchObject({ status: 'pending', error: 'The host name could not be resolved' })
        expect(each.next_attempt_at).toBeGreaterThan(end)
      }
    }
    const folder = join(service.data_dir, 'outbox-mail')
    const letters = readdirSync(folder).map(name => readFileSync(join(folder, name), 'utf8'))
    expect(letters).toContainEqual(expect.stringMatching(/^To: on-call@harbour-bank\.example/m))
  })

  it('include one to the admin about the key that expires in nine days', async () => {
    const [notice] = (await list()).filter(isKeyNotice)
    expect(notice).toMatchObject({ status: 'delivered', target: { shown: 'mara@harbour-bank.example' } })
    // Around midnight, another day may have begun since the demo was filled.
    const days = Math.floor((end + 9 * DAY) / DAY) - Math.floor(notice.created_at / DAY)
    expect([8, 9]).toContain(days)
    expect(notice.description).toContain(
      `of service account pipeline in harbour-bank expires in ${days} days on `,
    )
  })

  it('fail for two of three targets, and none is switched off', async () => {
    const targets = (await all()).flatMap(({ targets: [target] }) => target)
    expect(targets).toHaveLength(3)
    expect(targets.filter(({ is_failing }) => is_failing)).toHaveLength(2)
    expect(targets.filter(({ switched_off_at }) => switched_off_at !== null)).toEqual([])
    expect(targets).toContainEqual(expect.objectContaining({ type: 'WEBHOOK', is_signed: true }))
  })
})

describe('the attestations', () => {
  it('include a custom type with two versions, green and red, for one flow', async () => {
    const type = await get(`/custom-attestation-types/${ORG}/load-test`)
    expect(type.versions).toHaveLength(2)
    const tests = await listAttestations('type=custom:load-test')
    expect(new Set(tests.map(({ flow_name }) => flow_name))).toEqual(new Set(['fraud-scoring']))
    expect(tests.filter(({ is_compliant }) => is_compliant).length).toBeGreaterThan(10)
    const slow = tests.find(({ is_compliant }) => !is_compliant)
    expect(slow.rules.map(({ satisfied }: Body) => satisfied)).toEqual([true, false])
    expect(slow.summary[0].map(({ name }: Body) => name)).toEqual([
      '95th percentile',
      'Errors',
      'Customers at once',
    ])
  })

  it('include scans with findings of every severity, one of them overridden by a person', async () => {
    const red = await listAttestations('type=snyk&is_compliant=false')
    const runs = red.map(({ processed_snyk_results }) => processed_snyk_results.results[0])
    for (const severity of ['high', 'medium', 'low'])
      expect(runs.flatMap(run => run[severity])).toContainEqual(
        expect.objectContaining({ id: expect.stringMatching(/^SNYK-JS-/), message: expect.any(String) }),
      )
    const [override, ...more] = await listAttestations('type=override')
    expect(more).toEqual([])
    expect(override).toMatchObject({ flow_name: 'ledger', reported_by: 'mara', is_compliant: true })
    expect(override.reason).toMatch(/not part of the image/)
    const excused = red.find(each => each.attestation_id === override.overridden_attestation_id)
    expect(excused).toMatchObject({ trail_name: override.trail_name, flow_name: 'ledger' })
    const trail = await get(`/trails/${ORG}/ledger/${override.trail_name}`)
    expect(trail).toMatchObject({ is_compliant: true })
  })

  it('include a quality gate that passed, and one that did not', async () => {
    const gates = await listAttestations('type=sonar')
    const statuses = gates.map(({ sonar_results }) => sonar_results.qualityGate.status)
    expect(new Set(statuses)).toEqual(new Set(['OK', 'ERROR']))
    expect(gates.filter(({ is_compliant }) => !is_compliant)).toHaveLength(1)
  })

  it('include a plan with a file, links and annotations', async () => {
    const [plan] = await listAttestations('name=rollback-plan')
    expect(plan).toMatchObject({
      trail_name: 'release-2.9.0',
      external_urls: { Runbook: { href: expect.stringMatching(/^https:/) } },
      annotations: { rehearsed_by: 'jonas' },
    })
    const evidence = new URL(plan._links.evidence.href).pathname
    const { status, text, headers } = await service.call('GET', evidence, { key: service.key })
    expect(status).toBe(200)
    expect(text).toContain('# Roll back payments-api 2.9.0')
    expect(headers['content-disposition']).toContain('rollback-plan.md')
  })

  it('include failed tests, and reviews by two people, by nobody and without a pull request', async () => {
    expect((await listAttestations('type=junit&is_compliant=false')).length).toBeGreaterThan(3)
    const reviews = await listAttestations('name=code-review')
    const approversOf = ({ pull_requests: [first] }: Body): number | undefined => first?.approvers.length
    expect(new Set(reviews.map(approversOf))).toEqual(new Set([undefined, 0, 1, 2]))
    const without = reviews.filter(({ is_compliant }) => !is_compliant)
    expect(without.map(approversOf)).toEqual([undefined])
    const [refused] = await listAttestations('name=second-person')
    expect(refused).toMatchObject({ is_compliant: false, control: 'SDLC-01' })
    expect(ENGINEERS).toContain(refused.attestation_data.author)
  })

  it('include two that wait for an artifact that was never reported', async () => {
    const waiting = await listAttestations('is_waiting=true')
    expect(waiting.map(({ attestation_name }) => attestation_name)).toEqual(['unit-tests', 'code-review'])
    expect(waiting[0].waiting_for).toMatch(/^waiting for artifact image at commit [0-9a-f]{40}$/)
  })
})

describe('the organization', () => {
  it('has an artifact in production that is allowed for a while, with the reason', async () => {
    const [entry] = await get(`/allowlists/${ORG}/production`)
    expect(entry).toMatchObject({ expires_at: end + 50 * DAY, is_in_force: true, created_by: 'jonas' })
    expect(entry.description).toMatch(/vendor/)
    const { artifacts } = await get(`/snapshots/${ORG}/production/-1`)
    const running = artifacts.find(({ fingerprint }: Body) => fingerprint === entry.artifact_fingerprint)
    expect(running).toMatchObject({ compliant: true })
  })

  it('has an override that waits for a second person', async () => {
    const [decision, ...others] = await get(`/decisions/${ORG}`)
    expect(others).toEqual([])
    expect(decision).toMatchObject({
      kind: 'override',
      asked_by: 'jonas',
      subject: { flow_name: 'fraud-scoring', attestation_name: 'vulnerability-scan' },
    })
    expect(decision.expires_at).toBeGreaterThan(end + 6 * DAY)
  })

  it('has archived an environment, a flow and a control', async () => {
    const environment = await call('GET', `/environments/${ORG}/old-data-centre`)
    expect(JSON.parse(environment.text).message).toMatch(/has been archived/)
    const names = (await get(`/flows/${ORG}`)).map(({ name }: Body) => name)
    expect(names).not.toContain('card-portal')
    expect(names).toHaveLength(5)
    const { controls } = await get(`/controls/${ORG}?archived=true`)
    expect(controls.map(({ identifier }: Body) => identifier)).toEqual(['OPS-00'])
    const kinds = (await sql('select kind from events')).map(({ kind }) => kind)
    expect(kinds).toEqual(expect.arrayContaining(['flow_archived', 'environment_archived']))
  })

  it('has had no report from the old machine for six days, and recent ones from the others', async () => {
    const environments: Body[] = await get(`/environments/${ORG}`)
    const reported = Object.fromEntries(
      environments.map(({ name, last_reported_at }) => [name, last_reported_at]),
    )
    expect(reported['archive-host']).toBe(end - 6 * DAY)
    for (const name of ['production', 'staging', 'edge']) expect(reported[name]).toBeGreaterThan(end - 900)
  })

  it('has one stale machine, and with it one stale logical environment; no other is ever stale', async () => {
    const environments: Body[] = await get(`/environments/${ORG}`)
    const stale = environments.filter(({ is_stale }) => is_stale)
    expect(stale.map(({ name, stale_since }) => [name, stale_since])).toEqual([
      ['all-live', end - 3 * DAY],
      ['archive-host', end - 3 * DAY],
    ])
    const intervals = environments.map(({ expected_report_interval }) => expected_report_interval)
    expect(intervals.filter(interval => interval !== null)).toEqual([DAY])
    expect(await sql(`select kind from events where kind = 'environment_stale'`)).toHaveLength(1)
  })
})

describe('the fix', () => {
  it('is the scan: once it is reported, production is green again', async () => {
    const [plan] = await listAttestations('name=code-review&flow=payments-api')
    const answer = await call('POST', `/attestations/${ORG}/payments-api/trail/release-2.9.0/snyk`, {
      attestation_name: 'vulnerability-scan',
      artifact_fingerprint: plan.artifact_fingerprint,
      snyk_results: {
        schema_version: 1,
        tool: { name: 'Snyk Open Source' },
        results: [{ high_count: 0, medium_count: 0, low_count: 0 }],
      },
    })
    expect(answer.status).toBe(201)
    await until(async () => (await get(`/environments/${ORG}/production`)).state === true)
  })
})
