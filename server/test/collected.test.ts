// Times that senders state: stored, shown and covered by the log, but never used for a decision.

import { gunzipSync } from 'node:zlib'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { makeOwnerDb } from '../src/db/owner.ts'
import { findLogProblems } from '../src/log/check.ts'
import { makeFile, startTestApp, type TestApp } from './harness.ts'
import { makeBuild, makeFingerprint, makeFlow, nameTrail } from './reports.ts'

const HOUR_S = 3600

let app: TestApp
let now_s: number
beforeAll(async () => {
  app = await startTestApp()
  now_s = app.clock.now().getTime() / 1000
  await makeFlow(app, 'ci')
  await app.member.put('/trails/acme/ci', { name: 'run' })
})
afterAll(() => app.stop())

const early = () => ({ collected_at: now_s - HOUR_S, spooled: true })
const NOTHING = { collected_at: null, spooled: false }
const TRAIL = '/attestations/acme/ci/trail/run'
const readTrail = async (name: string) => (await app.reader.get(`/trails/acme/ci/${name}`)).body
const readAttestation = async (name: string) => (await app.reader.get(`${TRAIL}/${name}`)).body[0]
const readArtifact = async (start: string) =>
  (await app.reader.get(`/artifacts/acme/ci/fingerprint/${makeFingerprint(start)}`)).body
const attest = (body: Record<string, unknown>) =>
  app.member.post(`${TRAIL}/generic`, { is_compliant: true, ...body })
const readDataOf = async (kind: string) => (await app.readEvents(kind)).at(-1)?.data

describe('a trail', () => {
  it('has the time when it was collected beside the time when it was recorded', async () => {
    expect((await app.member.put('/trails/acme/ci', { name: 'early', ...early() })).status).toBe(201)
    expect(await readTrail('early')).toMatchObject({ created_at: now_s, ...early() })
    expect(await readDataOf('trail_reported')).toMatchObject(early())
    const listed = (await app.reader.get('/trails/acme?search_by_name=early&page=1')).body.data
    expect(listed).toMatchObject([early()])
    expect(await readTrail('run')).toMatchObject(NOTHING)
  })

  it('keeps the time of the request that began it, and records nothing for another time alone', async () => {
    await app.member.put('/trails/acme/ci', { name: 'kept', ...early() })
    const before = (await app.readEvents('trail_updated')).length
    const again = { name: 'kept', collected_at: now_s, spooled: false }
    expect((await app.member.put('/trails/acme/ci', again)).status).toBe(200)
    expect(await app.readEvents('trail_updated')).toHaveLength(before)
    expect((await app.member.put('/trails/acme/ci', { ...again, description: 'other' })).status).toBe(200)
    expect(await readDataOf('trail_updated')).toMatchObject({
      changes: ['description'],
      collected_at: now_s,
      spooled: false,
    })
    expect(await readTrail('kept')).toMatchObject({ ...early(), description: 'other' })
  })

  it('has it even with its own template', async () => {
    const begun = await app.member.form('PUT', '/trails/acme/ci', {
      data_json: JSON.stringify({ name: 'templated', ...early() }),
      template_file: makeFile('version: 1\n'),
    })
    expect(begun.status).toBe(201)
    expect(await readTrail('templated')).toMatchObject(early())
  })
})

describe('an artifact', () => {
  it('has the times and the method of each report', async () => {
    const first = makeBuild(makeFingerprint('a'), {
      ...nameTrail('run'),
      ...early(),
      fingerprint_method: 'dir',
    })
    expect((await app.member.post('/artifacts/acme/ci', first)).status).toBe(201)
    expect(await readDataOf('artifact_creation_reported')).toMatchObject(early())
    expect(await readArtifact('a')).toMatchObject({ ...early(), fingerprint_method: 'dir' })
    await app.member.post('/artifacts/acme/ci', makeBuild(makeFingerprint('a'), nameTrail('run')))
    expect(await readArtifact('a')).toMatchObject({
      ...NOTHING,
      fingerprint_method: null,
      reports: [
        { ...NOTHING, fingerprint_method: null },
        { ...early(), fingerprint_method: 'dir' },
      ],
    })
  })

  it('has them without a trail', async () => {
    const report = makeBuild(makeFingerprint('b'), { ...early(), fingerprint_method: 'oci' })
    expect((await app.member.post('/artifacts/acme/ci', report)).status).toBe(201)
    expect(await readArtifact('b')).toMatchObject({ ...early(), fingerprint_method: 'oci' })
    expect(await readDataOf('artifact_creation_reported')).toMatchObject(early())
  })

  it.each(['file', 'dir', 'dir-v2', 'oci', 'docker'])('can have the method %s', async fingerprint_method => {
    const report = makeBuild(makeFingerprint('c'), { fingerprint_method })
    expect((await app.member.post('/artifacts/acme/ci', report)).status).toBe(201)
    expect((await readArtifact('c')).fingerprint_method).toBe(fingerprint_method)
  })

  it('cannot have another method', async () => {
    const report = makeBuild(makeFingerprint('d'), { fingerprint_method: 'md5' })
    const { status, body } = await app.member.post('/artifacts/acme/ci', report)
    expect(status).toBe(400)
    expect(body.errors.fingerprint_method).toContain("'dir-v2'")
  })
})

describe('an attestation', () => {
  it('has the times, which decide neither the order nor what counts', async () => {
    await attest({ attestation_name: 'unit', is_compliant: false, collected_at: now_s })
    app.clock.advance(1000)
    await attest({ attestation_name: 'unit', ...early() })
    expect(await readDataOf('trail_attestation_reported')).toMatchObject(early())
    const listed = (await app.reader.get(`${TRAIL}/unit`)).body
    expect(listed).toMatchObject([
      { is_compliant: true, ...early() },
      { is_compliant: false, collected_at: now_s, spooled: false },
    ])
    expect((await readTrail('run')).is_compliant).toBe(true)
  })

  it('has them in every kind', async () => {
    const bodies: Record<string, Record<string, unknown>> = {
      generic: { is_compliant: true },
      junit: { junit_results: [] },
      override: { reason: 'why', new_compliance_status: true, original_attestation_type: 'generic' },
    }
    await attest({ attestation_name: 'of-override' })
    for (const [kind, more] of Object.entries(bodies)) {
      const { status } = await app.member.post(`${TRAIL}/${kind}`, {
        attestation_name: `of-${kind}`,
        ...more,
        ...early(),
      })
      expect(status, kind).toBeLessThan(300)
      expect(await readAttestation(`of-${kind}`), kind).toMatchObject(early())
    }
  })

  it('has both times in the audit package', async () => {
    await attest({ attestation_name: 'packed', ...early() })
    const { attestation_id } = await readAttestation('packed')
    const { bytes } = await app.reader.get(`/attestations/acme/attestation/${attestation_id}/audit_package`)
    const text = gunzipSync(bytes ?? Buffer.alloc(0)).toString()
    expect(text).toContain(`"collected_at": ${now_s - HOUR_S}`)
    expect(text).toContain(`(collected ${new Date((now_s - HOUR_S) * 1000).toISOString()}, sent later)`)
  })
})

describe('the log', () => {
  it('covers the time of a trail, and notices a change', async () => {
    const findProblems = () => findLogProblems(makeOwnerDb(app.owner))
    await app.member.put('/trails/acme/ci', { name: 'covered', ...early() })
    expect(await findProblems()).toEqual([])
    await app.sql("update trails set collected_at = collected_at - interval '1 hour' where name = 'covered'")
    expect(await findProblems()).toEqual([expect.stringContaining('trail_reported')])
    await app.sql("update trails set collected_at = collected_at + interval '1 hour' where name = 'covered'")
  })
})

describe('a retry with the same Idempotency-Key', () => {
  it.each([
    ['artifact', '/artifacts/acme/ci', makeBuild(makeFingerprint('e'))],
    ['attestation', `${TRAIL}/generic`, { attestation_name: 'retried', is_compliant: true }],
  ])('is the same request from the spool: %s', async (what, path, body) => {
    const headers = { 'idempotency-key': `of-${what}` }
    const first = await app.member.call(
      'POST',
      path,
      { ...body, collected_at: now_s, spooled: false },
      headers,
    )
    const retry = await app.member.call(
      'POST',
      path,
      { ...body, collected_at: now_s, spooled: true },
      headers,
    )
    expect([first.status, retry.status]).toEqual([201, 201])
    const changed = { ...body, description: 'other' }
    expect((await app.member.call('POST', path, changed, headers)).status).toBe(422)
  })
})

describe('400', () => {
  it.each([
    ['trail', (time: Record<string, unknown>) => app.member.put('/trails/acme/ci', { name: 'no', ...time })],
    [
      'artifact',
      (time: Record<string, unknown>) =>
        app.member.post('/artifacts/acme/ci', makeBuild(makeFingerprint('f'), time)),
    ],
    ['attestation', (time: Record<string, unknown>) => attest({ attestation_name: 'no', ...time })],
  ])('refuses a time that cannot be right: %s', async (_, send) => {
    const events = await countEvents()
    for (const collected_at of [0, -1, 'now', app.clock.now().getTime() / 1000 + 301]) {
      const { status, body } = await send({ collected_at })
      expect(status).toBe(400)
      expect(Object.keys(body.errors)).toEqual(['collected_at'])
    }
    expect(await countEvents()).toBe(events)
    expect((await send({ collected_at: app.clock.now().getTime() / 1000 + 300 })).status).toBe(201)
  })
})

describe('400 in a form', () => {
  it.each([
    ['PUT', '/trails/acme/ci', { name: 'no' }],
    ['POST', `${TRAIL}/generic`, { attestation_name: 'no', is_compliant: true }],
  ])('names the field of the part: %s %s', async (method, path, body) => {
    const data_json = JSON.stringify({ ...body, collected_at: 0 })
    const refused = await app.member.form(method, path, { data_json })
    expect(refused.status).toBe(400)
    expect(Object.keys(refused.body.errors)).toEqual(['data_json.collected_at'])
  })

  it('names the field of an override, which is never a form', async () => {
    const override = { reason: 'why', new_compliance_status: true, original_attestation_type: 'generic' }
    const body = { attestation_name: 'no', ...override, collected_at: 0 }
    const refused = await app.member.post(`${TRAIL}/override`, body)
    expect(Object.keys(refused.body.errors)).toEqual(['collected_at'])
  })
})

const countEvents = async () => (await app.sql('select count(*)::int as count from events'))[0]?.count
