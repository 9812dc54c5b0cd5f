// The log of an organization: every event is a leaf, the numbers have no gap, and a change of recorded data is found.
import { beforeAll, describe, expect, it } from 'vitest'
import { makeOwnerDb } from '../src/db/owner.ts'
import { recordEvent } from '../src/events/record.ts'
import { makeIds } from '../src/lib/ids.ts'
import { findLogProblems } from '../src/log/check.ts'
import { ORG, PATIENT_TRANSACTIONS, startTestApp, type TestApp } from './harness.ts'
import { until } from './patience.ts'

const FLOW = 'shipping'
const POLICY = '_schema: https://waybill.example/v1\nartifacts:\n  provenance:\n    required: true\n'
const WRITERS = 8
const WRITES = 25

let app: TestApp
beforeAll(async () => {
  app = await startTestApp()
  await app.admin.put(`/flows/${ORG}`, { name: FLOW, description: '' })
  await app.member.put(`/policies/${ORG}/safe`, { policy_yaml: POLICY })
  return () => app.stop()
})

const findProblems = () => findLogProblems(makeOwnerDb(app.owner))
const fingerprint = (n: number) => n.toString(16).padStart(64, '0')

async function reportArtifact(n: number, trail_name = `release-${n}`) {
  const body = {
    fingerprint: fingerprint(n),
    filename: `app-${n}`,
    git_commit: 'a'.repeat(40),
    build_url: 'https://ci.example.com/1',
    commit_url: 'https://git.example.com/1',
    trail_name,
    template_reference_name: 'app',
  }
  return app.member.post(`/artifacts/${ORG}/${FLOW}`, body)
}

async function attest(trail: string, body: Record<string, unknown> = {}) {
  return app.member.post(`/attestations/${ORG}/${FLOW}/trail/${trail}/generic`, {
    attestation_name: 'review',
    is_compliant: true,
    ...body,
  })
}

describe('a write', () => {
  it('returns the positions of its events in the log', async () => {
    const { status, headers } = await reportArtifact(1)
    expect(status).toBe(201)
    // The trail that the report begins has a separate event.
    expect(headers['waybill-log']).toMatch(/^index=\d+, count=2, size=\d+, leaf="[A-Za-z0-9+/]{43}="$/)
    const [, index, size, leaf] =
      /^index=(\d+), count=2, size=(\d+), leaf="(.*)"$/.exec(String(headers['waybill-log'])) ?? []
    const [row] = await app.sql(
      `select l.kind, encode(l.leaf_hash, 'base64') as leaf, h.size::int as size from log_leaves l
       join log_heads h on h.org_id = l.org_id join orgs o on o.org_id = l.org_id
       where o.name = $1 and l.seq = $2`,
      [ORG, index],
    )
    expect(row).toEqual({ kind: 'trail_reported', leaf, size: Number(size) })
  })

  it('that changes nothing has no position in the log', async () => {
    const { headers, status } = await app.admin.put(`/flows/${ORG}`, { name: FLOW, description: '' })
    expect(status).toBe(200)
    expect(headers).not.toHaveProperty('waybill-log')
  })
})

describe('the log', () => {
  it('begins with the leaf that opens it, and has every event since', async () => {
    const rows = await app.sql(
      `select o.name, l.kind, e.data ->> 'origin' as origin from log_leaves l join orgs o on o.org_id = l.org_id
       join events e on e.org_id = l.org_id and e.event_id = l.event_id where l.seq = 0`,
    )
    expect(rows.length).toBeGreaterThan(1)
    for (const { kind, origin } of rows) {
      expect(kind).toBe('log_opened')
      expect(origin).toMatch(/^[\w.]+\/log\/[0-9a-f-]{36}\/1$/)
    }
    const left = await app.sql(
      'select kind, data from events e where not exists (select from log_leaves l where l.event_id = e.event_id)',
    )
    expect(left).toEqual([])
    expect(await findProblems()).toEqual([])
  })

  it('has no gap and no leaf of a transaction that was rolled back, whatever races', async () => {
    const [org] = await app.sql('select org_id from orgs where name = $1', [ORG])
    const org_id = String(org?.org_id)
    const ids = makeIds(app.clock)
    const context = { org: { org_id }, caller: { name: 'ada' }, now: app.clock.now(), request_id: 'r' }
    const writeOrFail = (n: number) =>
      app.db
        .withTransaction({ org_id }, async tx => {
          await recordEvent(tx, context, ids, { kind: 'notification_test_sent', data: { n } })
          if (n % 3 === 0) throw new Error('rolled back')
        })
        .catch(() => undefined)
    await Promise.all(
      Array.from({ length: WRITERS }, async (_, writer) => {
        for (let i = 0; i < WRITES; i++) {
          const n = 1000 + writer * WRITES + i
          await Promise.all([reportArtifact(n), writeOrFail(n)])
        }
      }),
    )
    const [row] = await app.sql(
      `select h.size::int as size, count(*)::int as leaves, min(l.seq)::int as first, max(l.seq)::int as last,
         count(*) filter (where l.kind = 'notification_test_sent')::int as tagged
       from log_heads h join log_leaves l on l.org_id = h.org_id where h.org_id = $1 group by h.org_id`,
      [org_id],
    )
    const committed = Array.from({ length: WRITERS * WRITES }, (_, i) => 1000 + i).filter(n => n % 3 !== 0)
    expect(row).toMatchObject({ first: 0, tagged: committed.length })
    expect(row?.leaves).toBe(row?.size)
    expect(row?.last).toBe(Number(row?.size) - 1)
    expect(await findProblems()).toEqual([])
  })
})

describe('a write in an organization whose log has lost its head', () => {
  it('fails and stores nothing', async () => {
    await app.outsider.put('/flows/other-corp', { name: 'known', description: '' })
    await app.sql(
      'create temp table lost as select h.* from log_heads h join orgs o using (org_id) where o.name = $$other-corp$$',
    )
    await app.sql('delete from log_heads where org_id = (select org_id from lost)')
    const { status } = await app.outsider.put('/flows/other-corp', { name: 'unlogged', description: '' })
    expect(status).toBe(500)
    expect((await app.outsider.get('/flows/other-corp/unlogged')).status).toBe(404)
    await app.sql('insert into log_heads select * from lost')
    expect(await findProblems()).toEqual([])
  })
})

describe('a write that has to wait for the commits of others', () => {
  it('waits longer than for other locks', async () => {
    const limits = { ...PATIENT_TRANSACTIONS, lock_timeout: '1' }
    const limited = await startTestApp({ beside: app, pool: { limits } })
    await app.sql('begin')
    await app.sql('select from log_heads for update')
    const answer = limited.admin.put(`/flows/${ORG}`, { name: 'patient', description: '' })
    await until(async () => {
      const [row] = await app.sql('select count(*)::int as n from pg_locks where not granted')
      return Number(row?.n) > 0
    })
    await app.sql('rollback')
    expect((await answer).status).toBe(201)
    await limited.stop()
  })
})

describe('the time of a leaf', () => {
  it("is never before the previous leaf, even if the database's clock is", async () => {
    await app.sql('update log_heads set logged_ms = logged_ms + 3600000')
    const [before] = await app.sql(
      'select logged_ms::text from log_heads h join orgs o on o.org_id = h.org_id where o.name = $1',
      [ORG],
    )
    const { headers } = await attest('release-1')
    const index = /index=(\d+)/.exec(String(headers['waybill-log']))?.[1]
    const [leaf] = await app.sql(
      'select logged_ms::text from log_leaves l join orgs o on o.org_id = l.org_id where o.name = $1 and l.seq = $2',
      [ORG, index],
    )
    expect(leaf).toEqual(before)
    expect(await findProblems()).toEqual([])
  })
})

describe('a change of recorded data is found, with its leaf', () => {
  const CHANGES: [string, string, RegExp][] = [
    [
      'the data of an event',
      `update events set data = data || '{"is_compliant": true}'`,
      /the event was changed$/,
    ],
    ['the actor of an event', `update events set actor = 'somebody'`, /the event was changed$/],
    [
      'the time of an event',
      `update events set happened_at = happened_at + interval '1 ms'`,
      /the event was changed$/,
    ],
    ['an event that was deleted', 'delete from events', /is missing and no erasure is recorded$/],
    ['a salt', `update events set salt = sha256('')`, /the event was changed$/],
  ]

  it.each(CHANGES)('%s', async (_, change, problem) => {
    const answer = await attest('release-1', { is_compliant: false })
    const index = /index=(\d+)/.exec(String(answer.headers['waybill-log']))?.[1]
    await app.sql('begin')
    await app.sql(
      `${change} where event_id = (select l.event_id from log_leaves l join orgs o on o.org_id = l.org_id
         where o.name = $1 and l.seq = $2)`,
      [ORG, index],
    )
    const found = await findProblems()
    await app.sql('rollback')
    expect(found).toHaveLength(1)
    expect(found[0]).toMatch(problem)
    expect(found[0]).toContain(`leaf ${index} `)
  })

  it.each([
    ['the report of an attestation', `update attestations set report = '{}'`],
    ['the report of an artifact', `update artifact_reports set report = '{}'`],
    ['a policy', `update policy_versions set policy_yaml = ''`],
  ])('%s', async (_, change) => {
    await app.sql('begin')
    await app.sql(change)
    const found = await findProblems()
    await app.sql('rollback')
    expect(found.length).toBeGreaterThan(0)
    for (const problem of found) expect(problem).toMatch(/^acme: leaf \d+ .* changed$/)
  })

  it.each([
    [
      'a leaf',
      'update log_leaves set kind = $$flow_created$$ where seq = 3',
      /leaf 3 \(flow_created\) was changed/,
    ],
    ['a leaf that was deleted', 'delete from log_leaves where seq = 3', /leaf 3 is missing/],
    [
      'the last leaf, deleted',
      'delete from log_leaves l using log_heads h where h.org_id = l.org_id and l.seq = h.size - 1',
      /its head says/,
    ],
  ])('%s', async (_, change, problem) => {
    await app.sql('begin')
    await app.sql(change)
    const found = await findProblems()
    await app.sql('rollback')
    expect(found.join('\n')).toMatch(problem)
  })
})
