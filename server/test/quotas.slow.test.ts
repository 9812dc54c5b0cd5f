// Quotas of an organization: requests, evidence, processor time. Only the organization above its quota is limited.
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { changeQuotas } from '../src/admin/quotas.ts'
import { withOwnerTransaction } from '../src/db/owner.ts'
import type { OwnQuotas } from '../src/domain/quotas.ts'
import { makeIds } from '../src/lib/ids.ts'
import { systemSecrets } from '../src/lib/secrets.ts'
import { type Client, makeFile, startTestApp, type TestApp } from './harness.ts'
import { prepareRule } from './jq-rule.ts'
import { readStoredRows } from './reports.ts'

/** How long a process caches an organization's data. */
const CACHED_MS = 3_000
const AN_HOUR_MS = 3_600_000

const attach = (client: Client, org: string, content: string) =>
  client.form('POST', `/attestations/${org}/ci/trail/run/generic`, {
    data_json: JSON.stringify({ attestation_name: 'scan', is_compliant: true }),
    attachment_file: makeFile(content),
  })

const evaluate = (client: Client, org: string) =>
  client.post(`/attestations/${org}/ci/trail/run/custom`, {
    attestation_name: 'rule',
    type_name: 'rule',
    attestation_data: { ok: true },
  })

async function setQuotas(app: TestApp, org: string, quotas: OwnQuotas): Promise<string[]> {
  const changes: string[] = []
  await withOwnerTransaction(app.owner, tx =>
    changeQuotas(
      { tx, ids: makeIds(app.clock), secrets: systemSecrets, now: app.clock.now(), changes },
      org,
      () => quotas,
    ),
  )
  app.clock.advance(CACHED_MS)
  return changes
}

const getUsage = async (client: Client, org: string) => (await client.get(`/organizations/${org}/usage`)).body

describe('without quotas', () => {
  let app: TestApp
  beforeAll(async () => {
    app = await startTestApp()
  })
  afterAll(() => app.stop())

  it('nothing is limited, and usage is shown', async () => {
    await prepareRule(app.member, 'acme')
    await attach(app.member, 'acme', 'x'.repeat(600))
    expect(await getUsage(app.admin, 'acme')).toEqual({
      requests_per_second: { quota: null, used: null },
      evidence_bytes: { quota: null, used: 600 },
      jq_seconds_per_hour: { quota: null, used: expect.any(Number) },
    })
    expect((await getUsage(app.outsider, 'other-corp')).evidence_bytes).toEqual({ quota: null, used: 0 })
  })
})

describe('requests', () => {
  let app: TestApp
  beforeAll(async () => {
    app = await startTestApp({ settings: { WAYBILL_ORG_REQUESTS_PER_SECOND: '5' } })
  })
  afterAll(() => app.stop())

  it('429: all keys of an organization together, and no other organization', async () => {
    const clients = [app.admin, app.member, app.reader, app.member, app.snapshotter]
    for (const client of clients) expect((await client.get('/flows/acme')).status).toBe(200)
    const answer = await app.admin.get('/flows/acme')
    expect(answer.status).toBe(429)
    expect(answer.headers['retry-after']).toBe('1')
    expect(answer.body.message).toBe(
      "Organization 'acme' is over its quota of 5 requests per second; slow down",
    )
    expect((await app.outsider.get('/flows/other-corp')).status).toBe(200)
    expect((await app.member.get('/organizations')).status).toBe(200)
    app.clock.advance(1_000)
    expect((await app.admin.get('/flows/acme')).status).toBe(200)
    expect((await getUsage(app.admin, 'acme')).requests_per_second).toEqual({ quota: 5, used: 2 })
  })

  it('strangers cannot use up the quota of an organization', async () => {
    app.clock.advance(1_000)
    for (let sent = 0; sent < 20; sent++) expect((await app.outsider.get('/flows/acme')).status).toBe(403)
    expect((await app.member.get('/flows/acme')).status).toBe(200)
  })
})

describe('evidence', () => {
  let app: TestApp
  beforeAll(async () => {
    app = await startTestApp({ settings: { WAYBILL_ORG_EVIDENCE_BYTES: '1000' } })
    await prepareRule(app.member, 'acme')
    await prepareRule(app.outsider, 'other-corp')
  })
  afterAll(() => app.stop())

  const countObjects = async () => {
    let kept = 0
    for await (const _ of app.evidence.list()) kept += 1
    return kept
  }

  it('507: evidence above the quota is rejected with the numbers, and none of it is stored', async () => {
    expect((await attach(app.member, 'acme', 'a'.repeat(600))).status).toBe(201)
    const [rows, kept] = [await readStoredRows(app), await countObjects()]
    const answer = await attach(app.member, 'acme', 'b'.repeat(401))
    expect(answer.status).toBe(507)
    expect(answer.body.message).toBe(
      "The attachment has 401 bytes, and organization 'acme' has 400 of its quota of 1000 bytes of evidence left; the operator can raise the quota",
    )
    expect([await readStoredRows(app), await countObjects()]).toEqual([rows, kept])
  })

  it('201: content that is already stored uses no more of the quota', async () => {
    expect((await attach(app.member, 'acme', 'a'.repeat(600))).status).toBe(201)
    expect((await getUsage(app.admin, 'acme')).evidence_bytes).toEqual({ quota: 1000, used: 600 })
  })

  it('201: attestations without evidence and other organizations still work', async () => {
    expect((await evaluate(app.member, 'acme')).status).toBe(201)
    expect((await attach(app.outsider, 'other-corp', 'b'.repeat(401))).status).toBe(201)
  })

  it('201: exactly as many as fit when many arrive at once, up to the last byte', async () => {
    const answers = await Promise.all(
      Array.from({ length: 12 }, (_, i) => attach(app.member, 'acme', String(i).padEnd(100, '.'))),
    )
    const stored = answers.filter(({ status }) => status === 201)
    expect(stored).toHaveLength(4)
    expect(answers.filter(({ status }) => status === 507)).toHaveLength(8)
    expect((await getUsage(app.admin, 'acme')).evidence_bytes.used).toBe(1000)
    const [counted] = await app.sql(`select sum(bytes)::int as n from (
      select distinct evidence_sha256, evidence_bytes as bytes from attestations a
      join orgs o on o.org_id = a.org_id and o.name = 'acme' where evidence_sha256 is not null) x`)
    expect(counted?.n).toBe(1000)
  })

  it('does not count a request that stored nothing', async () => {
    const [before] = await app.sql('select sum(evidence_bytes)::int as n from org_usage')
    const answer = await app.outsider.form('POST', '/attestations/other-corp/ci/trail/none/generic', {
      data_json: JSON.stringify({ attestation_name: 'scan', is_compliant: true }),
      attachment_file: makeFile('c'.repeat(50)),
    })
    expect(answer.status).toBe(404)
    expect(await app.sql('select sum(evidence_bytes)::int as n from org_usage')).toEqual([before])
  })
})

describe('processor time of jq', () => {
  let app: TestApp
  beforeAll(async () => {
    app = await startTestApp({ settings: { WAYBILL_ORG_JQ_SECONDS_PER_HOUR: '1' } })
    await prepareRule(app.member, 'acme', 'def f: f; f')
    await prepareRule(app.outsider, 'other-corp')
  })
  afterAll(() => app.stop())

  it('429: once it is used up, only for this organization and for one hour', async () => {
    expect((await evaluate(app.member, 'acme')).status).toBe(201)
    const rows = await readStoredRows(app)
    const answer = await evaluate(app.member, 'acme')
    expect(answer.status).toBe(429)
    expect(answer.body.message).toBe(
      'The organization has used its quota of 1 s of processor time per hour for rules and schemas; try again later',
    )
    expect(Number(answer.headers['retry-after'])).toBeGreaterThan(3_000)
    const type = { name: 'other', evaluator: { content_type: 'jq', rules: ['.ok'] } }
    expect((await app.member.post('/custom-attestation-types/acme', type)).status).toBe(429)
    expect(await readStoredRows(app)).toEqual(rows)
    expect((await evaluate(app.outsider, 'other-corp')).status).toBe(201)
    const { quota, used } = (await getUsage(app.admin, 'acme')).jq_seconds_per_hour
    expect(quota).toBe(1)
    expect(used).toBeGreaterThanOrEqual(1)
    app.clock.advance(AN_HOUR_MS)
    expect((await app.member.post('/custom-attestation-types/acme', type)).status).toBe(201)
  })
})

describe('the operator', () => {
  let app: TestApp
  beforeAll(async () => {
    app = await startTestApp({ settings: { WAYBILL_ORG_EVIDENCE_BYTES: '1000' } })
    await prepareRule(app.member, 'acme')
  })
  afterAll(() => app.stop())

  it('gives one organization its own quotas, which override the settings', async () => {
    expect(await setQuotas(app, 'acme', { evidence_bytes: 50, requests_per_second: 7 })).toEqual([
      'changed the quotas of acme',
    ])
    expect(await getUsage(app.admin, 'acme')).toMatchObject({
      requests_per_second: { quota: 7 },
      evidence_bytes: { quota: 50 },
      jq_seconds_per_hour: { quota: null },
    })
    expect((await attach(app.member, 'acme', 'x'.repeat(51))).status).toBe(507)
    expect((await getUsage(app.outsider, 'other-corp')).evidence_bytes.quota).toBe(1000)
  })

  it('removes a quota, and restores the settings', async () => {
    await setQuotas(app, 'acme', { evidence_bytes: null })
    expect((await getUsage(app.admin, 'acme')).evidence_bytes.quota).toBeNull()
    expect((await attach(app.member, 'acme', 'x'.repeat(2000))).status).toBe(201)
    await setQuotas(app, 'acme', {})
    expect(await getUsage(app.admin, 'acme')).toMatchObject({
      requests_per_second: { quota: null },
      evidence_bytes: { quota: 1000, used: 2000 },
    })
    expect((await attach(app.member, 'acme', 'y')).status).toBe(507)
  })

  it('records an event in the organization, and none when nothing changes', async () => {
    const before = (await app.readEvents('org_changed')).length
    expect(await setQuotas(app, 'acme', { evidence_bytes: 5 })).toHaveLength(1)
    expect(await setQuotas(app, 'acme', { evidence_bytes: 5 })).toEqual([])
    const events = (await app.readEvents('org_changed')).slice(before)
    expect(events).toEqual([
      {
        kind: 'org_changed',
        actor: 'admin program',
        data: { source: 'script', quotas: { evidence_bytes: 5 }, previous: { quotas: {} } },
      },
    ])
  })
})
