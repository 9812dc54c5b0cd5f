// Where records are in the log, and its status, as the web app's pages show them.
import { hashLeaf, parseProofFile, provesInclusion } from '@waybill/transparency-log'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { makeEnvironment, report } from '../../../test/environments.ts'
import { ORG, startTestApp, type TestApp } from '../../../test/harness.ts'
import { publishLogs } from '../../../test/publish-logs.ts'
import { makeBuild, makeFingerprint, makeFlow, nameTrail } from '../../../test/reports.ts'

const FLOW = 'shipping'
const FINGERPRINT = makeFingerprint('ab')

let app: TestApp
beforeAll(async () => {
  app = await startTestApp()
  await makeFlow(app, FLOW)
  for (const trail of ['run-1', 'run-2']) {
    await app.member.post(`/artifacts/${ORG}/${FLOW}`, makeBuild(FINGERPRINT, nameTrail(trail)))
  }
  await makeEnvironment(app, 'prod')
  await report(app, 'prod', 'ab')
})
afterAll(() => app.stop())

const find = (query: string) => app.reader.get(`/log/${ORG}/leaf?${query}`)

const readBody = async (index: number) =>
  JSON.parse((await app.reader.get(`/log/${ORG}/bodies/${index}`)).body.body)

async function attest(trail: string, is_compliant: boolean): Promise<string> {
  const path = `/attestations/${ORG}/${FLOW}/trail/${trail}`
  await app.member.post(`${path}/generic`, { attestation_name: 'review', is_compliant })
  const { body } = await app.reader.get(`${path}/review`)
  return body.at(0).attestation_id
}

describe('200', () => {
  it('finds the leaf of an attestation, among those with the same name', async () => {
    const ids = [await attest('run-1', false), await attest('run-1', true), await attest('run-2', true)]
    expect(new Set(ids).size).toBe(3)
    for (const id of ids) {
      const { status, body } = await find(`attestation=${id}`)
      expect(status).toBe(200)
      const { kind, data } = await readBody(body.index)
      expect([kind, data.attestation_id]).toEqual([body.kind, id])
      expect(body.checkpoint_size).toBeGreaterThan(body.index)
    }
  })

  it('finds the leaf of each report of an artifact', async () => {
    const build_url = 'https://ci.example.com/2'
    await app.member.post(
      `/artifacts/${ORG}/${FLOW}`,
      makeBuild(FINGERPRINT, { ...nameTrail('run-2'), build_url }),
    )
    await app.member.post(`/artifacts/${ORG}/${FLOW}`, makeBuild(makeFingerprint('cd')))
    const fingerprints = [FINGERPRINT, makeFingerprint('cd')]
    const artifacts = await Promise.all(
      fingerprints.map(one => app.reader.get(`/artifacts/${ORG}/${FLOW}/fingerprint/${one}`)),
    )
    const reports = artifacts.flatMap(({ body }) => body.reports)
    expect(reports.length).toBeGreaterThan(2)
    for (const { id } of reports) {
      const { body } = await find(`report=${id}`)
      expect((await readBody(body.index)).data.report_id).toBe(id)
    }
  })

  it('finds the last leaf that has the trail as it is', async () => {
    const query = `flow=${FLOW}&trail=run-3`
    await app.member.put(`/trails/${ORG}/${FLOW}`, { name: 'run-3', description: 'first' })
    const begun = (await find(query)).body
    expect(begun).toMatchObject({ kind: 'trail_reported', epoch: 1 })
    await attest('run-3', true)
    expect((await find(query)).body.index).toBe(begun.index)
    await app.member.put(`/trails/${ORG}/${FLOW}`, { name: 'run-3', description: 'second' })
    const { body } = await find(query)
    expect([body.kind, body.index > begun.index]).toEqual(['trail_updated', true])
  })

  it('finds the leaf of a snapshot, of an environment and of a group of them', async () => {
    await makeEnvironment(app, 'everything', { type: 'logical', included_environments: ['prod'] })
    await report(app, 'prod', 'ab', 'ef')
    for (const [environment, snapshot] of [
      ['prod', 1],
      ['prod', 2],
      ['everything', 1],
    ] as const) {
      const { body } = await find(`environment=${environment}&snapshot=${snapshot}`)
      const { kind, data } = await readBody(body.index)
      expect([kind, data.environment_name, data.snapshot_index]).toEqual([
        'snapshot_taken',
        environment,
        snapshot,
      ])
    }
  })

  it('proves a record by the same names', async () => {
    const id = await attest('run-1', true)
    for (const query of [`attestation=${id}`, `flow=${FLOW}&trail=run-1`, 'environment=prod&snapshot=1']) {
      const { body } = await find(query)
      const { text } = await app.reader.get(`/log/${ORG}/proof?${query}`)
      const { leaves } = (await app.reader.get(`/log/${ORG}/leaves?start=${body.index}&count=1`)).body
      expect(parseProofFile(text).index).toBe(body.index)
      expect(provesInclusion(parseProofFile(text), hashLeaf(Buffer.from(leaves[0].leaf)))).toBe(true)
    }
  })

  it('says how long the log is, what was published of it, and which keys sign', async () => {
    const before = (await app.reader.get(`/log/${ORG}/status`)).body
    expect(before).toMatchObject({ state: 'ok', problem: null, epoch: 1, public: false })
    await publishLogs(app)
    await attest('run-1', true)
    const { body } = await app.reader.get(`/log/${ORG}/status`)
    expect(body.checkpoint.size).toBe(body.size - 1)
    const now_s = app.clock.now().getTime() / 1000
    expect(now_s - body.checkpoint.at).toBeGreaterThanOrEqual(0)
    expect(now_s - body.checkpoint.at).toBeLessThan(60)
    const keys = (await app.reader.get(`/log/${ORG}/keys`)).body
    expect([body.keys, body.origin]).toEqual([keys.keys, keys.origin])
  })

  it('says that an organization has no log yet', async () => {
    // The state after an upgrade, before the first change.
    await app.sql(`insert into orgs (org_id, name, kind, description, features, settings, created_at)
      select gen_random_uuid(), 'quiet', 'shared', '', '{}', '{}', now()`)
    await app.sql(`insert into memberships (org_id, user_id, role, created_at)
      select o.org_id, u.user_id, 'reader', now() from orgs o, users u where o.name = 'quiet' and u.name = 'rita'`)
    const { body } = await app.reader.get('/log/quiet/status')
    expect(body).toMatchObject({ state: 'empty', size: 0, origin: null, checkpoint: null, keys: [] })
  })
})

describe('a log that has lost leaves', () => {
  it('reports this, and still locates records', async () => {
    const other = await startTestApp()
    try {
      await makeFlow(other, FLOW)
      await other.member.put(`/trails/${ORG}/${FLOW}`, { name: 'kept' })
      for (const name of ['lost-1', 'lost-2']) await other.member.put(`/trails/${ORG}/${FLOW}`, { name })
      await publishLogs(other)
      await other.sql(
        'update log_heads h set size = size - 2 from orgs o where o.org_id = h.org_id and o.name = $1',
        [ORG],
      )
      await other.sql(
        'delete from log_leaves l using log_heads h where h.org_id = l.org_id and l.seq >= h.size',
      )
      await other.sql(
        'delete from events e where not exists (select from log_leaves l where l.event_id = e.event_id)',
      )
      const status = (await other.reader.get(`/log/${ORG}/status`)).body
      expect(status).toMatchObject({
        state: 'frozen',
        problem: expect.stringMatching(/^the log has \d+ leaves, and a checkpoint of \d+ leaves was signed$/),
      })
      expect(status.keys).toHaveLength(1)
      const { status: code, body } = await other.reader.get(`/log/${ORG}/leaf?flow=${FLOW}&trail=kept`)
      expect([code, body.checkpoint_size]).toEqual([200, null])
    } finally {
      await other.stop()
    }
  })
})

describe('403', () => {
  it.each(['leaf?flow=shipping&trail=run-1', 'status'])(
    '%s is for readers of the organization',
    async path => {
      expect((await app.outsider.get(`/log/${ORG}/${path}`)).status).toBe(403)
    },
  )
})

describe('404', () => {
  it.each([
    ['attestation=no-such-id', "attestation 'no-such-id'"],
    ['attestation=01980000-0000-7000-8000-00000000', "attestation '01980000-0000-7000-8000-00000000'"],
    ['report=01980000-0000-7000-8000-00000000', "report '01980000-0000-7000-8000-00000000'"],
    ['flow=shipping&trail=none', "trail 'none'"],
    ['environment=prod&snapshot=999', "snapshot '999'"],
    ['event=x', "event 'x'"],
    ['index=1000000', "index '1000000'"],
  ])('%s', async (query, what) => {
    const { status, body } = await find(query)
    expect([status, body.message]).toEqual([404, `The log of organization 'acme' has no leaf of ${what}`])
  })
})
