// Attestations repeated with their idempotency key after something has changed: the repeat gets the first response,
// although the request would be rejected by now. server/test/idempotency.test.ts tests all other repeats.
import { afterAll, beforeAll, beforeEach, describe, expect, it } from 'vitest'
import { addControl, buildDecision } from '../../../test/controls.ts'
import { type Client, makeFile, startTestApp, type TestApp } from '../../../test/harness.ts'

const HOUR_S = 3600

let app: TestApp
let turn = 0
/** Each test has a flow with its own trail. */
let trail: string
beforeAll(async () => {
  app = await startTestApp()
  await addControl(app, 'RISK')
})
afterAll(() => app.stop())
beforeEach(async () => {
  turn += 1
  trail = `/attestations/acme/build-${turn}/trail/run`
  await app.member.put('/flows/acme', { name: `build-${turn}`, description: '' })
  await app.member.put(`/trails/acme/build-${turn}`, { name: 'run' })
})

const post = (kind: string, body: unknown, client: Client = app.member, key = `key-${turn}`) =>
  client.call('POST', `${trail}/${kind}`, body, { 'idempotency-key': key })

const countStored = () =>
  app.sql(`select (select count(*) from attestations) as attestations, (select count(*) from events) as events,
    (select count(*) from idempotency_keys) as keys, (select count(*) from decisions) as decisions`)

/** Repeats a request and expects the first response, with nothing stored. */
async function expectSameAnswer(
  first: Awaited<ReturnType<typeof post>>,
  again: () => ReturnType<typeof post>,
): Promise<void> {
  const before = await countStored()
  const repeated = await again()
  expect([repeated.status, repeated.body]).toEqual([first.status, first.body])
  expect(repeated.headers.location).toBe(first.headers.location)
  expect(await countStored()).toEqual(before)
}

describe('a decision that has expired', () => {
  const expiring = () =>
    buildDecision('RISK', true, { expires_at: app.clock.now().getTime() / 1000 + HOUR_S })

  it('gets the first response', async () => {
    const body = expiring()
    const first = await post('system', body)
    expect(first.status).toBe(201)
    app.clock.advance(HOUR_S * 1000)
    await app.evaluate()
    await expectSameAnswer(first, () => post('system', body))
  })

  it('gets the first response with its file', async () => {
    const data = JSON.stringify(expiring())
    const send = (content: string) =>
      app.member.form(
        'POST',
        `${trail}/system`,
        { data_json: data, attachment_file: makeFile(content) },
        { 'idempotency-key': `key-${turn}` },
      )
    const first = await send('minutes')
    expect(first.status).toBe(201)
    app.clock.advance(HOUR_S * 1000)
    await app.evaluate()
    await expectSameAnswer(first, () => send('minutes'))
    expect((await send('other minutes')).status).toBe(422)
  })

  it('is refused if it was not accepted before, or not with this key, content and caller', async () => {
    const body = expiring()
    await post('system', body)
    app.clock.advance(HOUR_S * 1000)
    await app.evaluate()
    const before = await countStored()
    const refused = [await post('system', body, app.member, 'another'), await post('system', body, app.admin)]
    for (const { status, body: answer } of refused) {
      expect(status).toBe(400)
      expect(Object.keys(answer.errors)).toEqual(['expires_at'])
    }
    expect((await app.member.post(`${trail}/system`, body)).status).toBe(400)
    expect((await post('system', { ...body, attestation_name: 'other' })).status).toBe(422)
    expect(await countStored()).toEqual(before)
  })
})

describe('an attestation of a custom type', () => {
  const body = { attestation_name: 'a', type_name: 'coverage', attestation_data: { percent: 90 } }
  const saveType = (schema: unknown) =>
    app.member.form('POST', '/custom-attestation-types/acme', {
      data_json: JSON.stringify({ name: 'coverage' }),
      type_schema: makeFile(JSON.stringify(schema)),
    })

  it('gets the first response when the type is stricter or archived', async () => {
    await saveType({ type: 'object' })
    const first = await post('custom', body)
    expect(first.status).toBe(201)
    await saveType({ type: 'object', required: ['lines'] })
    expect((await post('custom', body, app.member, 'new')).status).toBe(400)
    await expectSameAnswer(first, () => post('custom', body))
    await app.member.put('/custom-attestation-types/acme/coverage/archive', null)
    expect((await post('custom', body, app.member, 'new')).status).toBe(404)
    await expectSameAnswer(first, () => post('custom', body))
  })
})

describe('an attestation on a trail of a flow that was archived', () => {
  it('gets the first response', async () => {
    const body = { attestation_name: 'a', is_compliant: true }
    const first = await post('generic', body)
    expect(first.status).toBe(201)
    expect((await app.admin.put(`/flows/acme/build-${turn}/archive`, null)).status).toBe(200)
    expect((await post('generic', body, app.member, 'new')).status).toBe(404)
    await expectSameAnswer(first, () => post('generic', body))
  })
})

describe('an override that needs two people', () => {
  const body = {
    attestation_name: 'scan',
    reason: 'A false alarm',
    new_compliance_status: true,
    original_attestation_type: 'generic',
  }
  const saveSettings = (settings: Record<string, unknown>) =>
    app.admin.patch('/organizations/acme', { settings })
  beforeAll(() => saveSettings({ two_person_decisions: ['override'] }))
  afterAll(() => saveSettings({ two_person_decisions: [], separate_duties: false }))

  it('gets the first response of each of them after it was confirmed, and nobody is asked again', async () => {
    await app.admin.post(`${trail}/generic`, { attestation_name: 'scan', is_compliant: false })
    const asked = await post('override', body, app.member)
    expect(asked.status).toBe(202)
    await expectSameAnswer(asked, () => post('override', body, app.member))
    const confirmed = await post('override', body, app.admin)
    expect(confirmed.status).toBe(200)
    await saveSettings({ separate_duties: true })
    await expectSameAnswer(asked, () => post('override', body, app.member))
    await expectSameAnswer(confirmed, () => post('override', body, app.admin))
    expect((await app.reader.get('/decisions/acme')).body).toEqual([])
    expect((await post('override', { ...body, reason: 'other' }, app.member)).status).toBe(422)
  })
})
