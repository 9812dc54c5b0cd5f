import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { makeFile, startTestApp, type TestApp } from '../../../test/harness.ts'
import { makeStatementLog } from '../../../test/statement-log.ts'

const WIRE_ID = /^[0-9a-f]{8}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{8}$/
const TEMPLATE = `version: 1
trail:
  attestations:
    - name: review
      type: pull_request
  artifacts:
    - name: image
      attestations:
        - name: tests
          type: junit
`

let app: TestApp
let begun_at: number
beforeAll(async () => {
  app = await startTestApp()
  await app.member.form('PUT', '/flows/acme/template_file', {
    data_json: '{"name":"ci"}',
    template_file: makeFile(TEMPLATE),
  })
  await app.member.patch('/tags/acme/flow/ci', { set_tags: { team: 'blue' } })
  app.clock.advance(1500)
  begun_at = app.clock.now().getTime() / 1000
  await app.member.put('/trails/acme/ci', { name: 'run-1', description: 'The first' })
})
afterAll(() => app.stop())

const buildSlot = (attestation_name: string, attestation_type: string) => ({
  attestation_name,
  attestation_type,
  attestation_id: null,
  overridden_attestation_id: null,
  status: 'MISSING',
  is_compliant: null,
  unexpected: false,
})

describe('200', () => {
  it('returns the trail', async () => {
    const { status, body } = await app.reader.get('/trails/acme/ci/run-1')
    expect(status).toBe(200)
    const { id, compliance_status, events, ...trail } = body
    expect(id).toMatch(WIRE_ID)
    expect(trail).toEqual({
      name: 'run-1',
      flow_name: 'ci',
      description: 'The first',
      compliance_state: 'INCOMPLETE',
      is_compliant: false,
      git_commit_info: null,
      repo_info: null,
      origin_url: null,
      external_urls: {},
      user_data: {},
      created_by: 'max',
      created_at: begun_at,
      collected_at: null,
      spooled: false,
      last_modified_at: begun_at,
      archived: false,
      html_url: 'http://waybill.test/acme/flows/ci/trails/run-1',
      repo_ids: [],
      template: {
        version: 1,
        trail: {
          attestations: [{ name: 'review', type: 'pull_request' }],
          artifacts: [{ name: 'image', attestations: [{ name: 'tests', type: 'junit' }] }],
        },
        content: TEMPLATE,
      },
      flow: { name: 'ci', tags: { team: 'blue' } },
      events_count: 1,
    })
  })

  it('shows the newest thousand of many events, and the total', async () => {
    await app.member.put('/trails/acme/ci', { name: 'busy' })
    await app.sql(`
      insert into events (org_id, event_id, kind, happened_at, actor, request_id, flow_id, trail_id, data)
      select t.org_id, ('ffffffff-0000-7000-8000-' || lpad(n::text, 12, '0'))::uuid, 'trail_updated', now(), 'x', 'x',
             t.flow_id, t.trail_id, '{}'
      from trails t, generate_series(1, 1000) n where t.name = 'busy'`)
    const { events, events_count } = (await app.reader.get('/trails/acme/ci/busy')).body
    expect(events).toHaveLength(1000)
    expect(events_count).toBe(1001)
  })

  it('shows every expected slot as missing, with reasons', async () => {
    const { body } = await app.reader.get('/trails/acme/ci/run-1')
    const { reasons, artifacts_statuses, flow_template_id, ...verdict } = body.compliance_status
    expect(verdict).toEqual({
      status: 'INCOMPLETE',
      is_compliant: false,
      attestations_statuses: [buildSlot('review', 'pull_request')],
      waiting: [],
      evaluated_at: begun_at,
    })
    expect(flow_template_id).toMatch(WIRE_ID)
    expect(artifacts_statuses).toMatchObject({
      image: {
        artifact_fingerprint: null,
        artifact_id: null,
        status: 'MISSING',
        is_compliant: null,
        attestations_statuses: [buildSlot('tests', 'junit')],
        unexpected: false,
        evaluated_at: begun_at,
        flow_template_id,
      },
    })
    expect(reasons.length).toBeGreaterThan(0)
  })

  it('returns its events: who sent what, and when', async () => {
    const { body } = await app.reader.get('/trails/acme/ci/run-1')
    expect(body.events).toHaveLength(1)
    const [event] = body.events
    expect(event).toMatchObject({
      type: 'trail_reported',
      timestamp: begun_at,
      trail_id: body.id,
      template_id: body.compliance_status.flow_template_id,
      user: 'max',
      git_commit_info: null,
      repo_info: null,
      trail_data_json: { name: 'run-1', description: 'The first', org_id: event.org_id },
    })
    expect(event.flow_id).toBe((await app.reader.get('/flows/acme/ci')).body.id)
    for (const id of [event.org_id, event.setting_user_id]) expect(id).toMatch(WIRE_ID)
  })

  it('returns only its own events, in order', async () => {
    await app.member.put('/trails/acme/ci', { name: 'other' })
    await app.member.put('/trails/acme/ci', { name: 'story' })
    app.clock.advance(1000)
    await app.admin.put('/trails/acme/ci', { name: 'story', user_data: { build: 7 } })
    const { events } = (await app.reader.get('/trails/acme/ci/story')).body
    expect(events).toMatchObject([
      { type: 'trail_reported', user: 'max' },
      { type: 'trail_updated', user: 'ada', changes: ['user_data'] },
    ])
    expect(events[1].timestamp - events[0].timestamp).toBe(1)
    expect(events[1].trail_data_json).toMatchObject({ user_data: { build: 7 } })
  })

  it('returns user data as it was sent', async () => {
    const user_data = '{"z":1,"a":{"10":1.50,"2":-1},"big":1e300,"text":"\\u00e9\\ud83d\\ude00"}'
    await app.member.put('/trails/acme/ci', `{"name":"echo","user_data":${user_data}}`)
    const { body, text } = await app.reader.get('/trails/acme/ci/echo')
    expect(body.user_data).toEqual(JSON.parse(user_data))
    expect(text).toContain('"user_data":{"z":1,"a":{')
  })

  it('is compliant from the start if the template requires nothing', async () => {
    await app.member.put('/flows/acme', { name: 'free', description: '' })
    await app.member.put('/trails/acme/free', { name: 'run' })
    const { body } = await app.reader.get('/trails/acme/free/run')
    expect(body).toMatchObject({
      compliance_state: 'COMPLIANT',
      is_compliant: true,
      compliance_status: {
        status: 'COMPLIANT',
        is_compliant: true,
        attestations_statuses: [],
        artifacts_statuses: {},
        reasons: [],
      },
    })
  })

  it('is found under a former name of its flow', async () => {
    await app.member.put('/flows/acme', { name: 'former', description: '' })
    await app.member.put('/trails/acme/former', { name: 'run' })
    await app.member.put('/flows/acme/former/rename', { new_name: 'current' })
    const { body } = await app.reader.get('/trails/acme/former/run')
    expect(body).toMatchObject({
      flow_name: 'current',
      flow: { name: 'current' },
      html_url: 'http://waybill.test/acme/flows/current/trails/run',
    })
  })
})

describe('one page of its lists', () => {
  it('contains each entry once, and the verdict of the whole trail', async () => {
    await app.member.put('/trails/acme/ci', { name: 'long' })
    for (let i = 0; i < 5; i++)
      await app.member.post('/attestations/acme/ci/trail/long/generic', {
        attestation_name: `name-${i}`,
        is_compliant: true,
      })
    const { body: whole } = await app.reader.get('/trails/acme/ci/long')
    expect(whole.pagination).toBeUndefined()
    const pages: (typeof whole)[] = []
    for (const page of [1, 2, 3, 4])
      pages.push((await app.reader.get(`/trails/acme/ci/long?page=${page}&per_page=2`)).body)
    // Five were sent, and the template expects one more.
    expect(pages[0].pagination).toEqual({ total: 6, page: 1, per_page: 2, page_count: 3 })
    const joinLists = (read: (body: typeof whole) => unknown[]) => pages.flatMap(read)
    expect(joinLists(body => body.compliance_status.attestations_statuses)).toEqual(
      whole.compliance_status.attestations_statuses,
    )
    expect(joinLists(body => body.compliance_status.reasons)).toEqual(whole.compliance_status.reasons)
    expect(joinLists(body => body.events)).toEqual(whole.events)
    for (const body of pages) expect(body.compliance_state).toBe(whole.compliance_state)
    expect(pages[3].compliance_status.attestations_statuses).toEqual([])
  })
})

describe('403', () => {
  it('denies an org the caller does not belong to', async () => {
    const { status, body } = await app.outsider.get('/trails/acme/ci/run-1')
    expect(status).toBe(403)
    expect(body).toEqual({ message: 'Access denied to /api/v2/trails/acme/ci/run-1' })
  })
})

describe('404', () => {
  it('names the trail, the org and the flow', async () => {
    const { status, body } = await app.reader.get('/trails/acme/ci/nothing')
    expect(status).toBe(404)
    expect(body).toEqual({
      message: "Trail with name 'nothing' does not exist for Organization 'acme' and Flow 'ci'",
    })
  })

  it('names the flow if the flow does not exist', async () => {
    const { status, body } = await app.reader.get('/trails/acme/nothing/run-1')
    expect(status).toBe(404)
    expect(body).toEqual({ message: "Flow named 'nothing' does not exist for organization 'acme'" })
  })

  it('does not find the trail of another flow', async () => {
    await app.member.put('/flows/acme', { name: 'elsewhere', description: '' })
    expect((await app.reader.get('/trails/acme/elsewhere/run-1')).status).toBe(404)
  })
})

describe('speed', () => {
  it('takes two round trips, however much evidence the trail has', async () => {
    await app.member.put('/trails/acme/ci', { name: 'much' })
    const attest = (attestation_name: string) =>
      app.member.post('/attestations/acme/ci/trail/much/generic', { attestation_name, is_compliant: true })
    await Promise.all(Array.from({ length: 200 }, (_, i) => attest(`name-${i}`)))
    await app.reader.get('/trails/acme/ci/much')
    const { waits, during } = makeStatementLog()
    const { body } = await during(() => app.reader.get('/trails/acme/ci/much'))
    expect(waits).toHaveLength(2)
    expect(body.compliance_status.attestations_statuses.length).toBeGreaterThanOrEqual(200)
  })
})
