// From a report in a flow to its messages: each trigger, its recipients and its content, that rolled-back changes queue
// nothing, and that messages arrive.

import { type HttpsSink, startHttpsSink } from '@waybill/testing/tls'
import { afterAll, afterEach, beforeAll, describe, expect, it } from 'vitest'
import type { FlowNotice, FlowTrigger } from '../src/domain/notification/notice.ts'
import { startTestApp, type TestApp } from './harness.ts'
import { CHAT, HOOK, MAIL, takeMessages } from './notifications.ts'
import { until } from './patience.ts'
import { makeBuild, makeFingerprint, makeFlow, nameTrail, SHA } from './reports.ts'
import { listStatements, recordWaits } from './statement-log.ts'

const PATH = '/organizations/acme/flows_notifications'
const ALL: FlowTrigger[] = [
  'ON_STARTED_TRAIL',
  'ON_ATTESTED_PROVENANCE',
  'ON_ATTESTATION',
  'ON_APPROVAL',
  'ON_RELEASE',
]

let app: TestApp
let made = 0
beforeAll(async () => {
  app = await startTestApp()
})
afterAll(() => app.stop())
afterEach(() => app.sql(`delete from outbox where kind = 'delivery'`))

/** Adds a flow with a notification for these triggers. */
async function addSubscribedFlow(
  triggers: readonly FlowTrigger[],
  targets: readonly object[] = [HOOK],
): Promise<string> {
  const flow = `flow-${++made}`
  await makeFlow(app, flow)
  const answer = await app.member.put(PATH, { name: flow, flows: [flow], triggers, targets })
  expect(answer.status).toBe(201)
  return flow
}

const takeNotices = async () => (await takeMessages(app)).map(({ notice }) => notice as unknown as FlowNotice)
const takeEventTypes = async () => (await takeNotices()).map(({ event_type }) => event_type)
const begin = (flow: string, name: string, more: object = {}) =>
  app.member.put(`/trails/acme/${flow}`, { name, ...more })
const attest = (flow: string, body: object) =>
  app.member.post(`/attestations/acme/${flow}/trail/run/generic`, { attestation_name: 'tests', ...body })

describe('a trail', () => {
  it('that begins is announced to every target, in full', async () => {
    const flow = await addSubscribedFlow(['ON_STARTED_TRAIL'], [HOOK, CHAT, MAIL])
    await begin(flow, 'run')
    const messages = await takeMessages(app)
    expect(messages.map(({ type }) => type).sort()).toEqual(['CHAT', 'EMAIL', 'WEBHOOK'])
    const [{ number }] = (await app.reader.get(PATH)).body
    for (const { notice } of messages) {
      expect(notice).toEqual({
        about: 'flow',
        event_type: 'STARTED_TRAIL',
        org: 'acme',
        flow,
        trail: 'run',
        notification: { number, name: flow },
        happened_at: app.clock.now().getTime() / 1000,
        actor: 'max',
        artifact: null,
        attestation: null,
        approval: null,
      })
    }
  })

  it('that is begun again is not announced', async () => {
    const flow = await addSubscribedFlow(ALL)
    await begin(flow, 'run')
    await begin(flow, 'run', { description: 'again' })
    expect(await takeEventTypes()).toEqual(['STARTED_TRAIL'])
  })

  it('with its own template is announced', async () => {
    const flow = await addSubscribedFlow(ALL)
    await app.member.form('PUT', `/trails/acme/${flow}`, {
      data_json: JSON.stringify({ name: 'own' }),
      template_file: new Blob(['version: 1']),
    })
    expect(await takeEventTypes()).toEqual(['STARTED_TRAIL'])
  })
})

describe('an artifact', () => {
  it('is announced with the trail that it begins', async () => {
    const flow = await addSubscribedFlow(ALL)
    await app.member.post(`/artifacts/acme/${flow}`, makeBuild(makeFingerprint('a'), nameTrail('run')))
    expect(await takeNotices()).toMatchObject([
      { event_type: 'STARTED_TRAIL', trail: 'run' },
      {
        event_type: 'ATTESTED_PROVENANCE',
        trail: 'run',
        artifact: { name: 'image:1', fingerprint: makeFingerprint('a') },
        attestation: null,
      },
    ])
  })

  it('without a trail is announced', async () => {
    const flow = await addSubscribedFlow(ALL)
    await app.member.post(`/artifacts/acme/${flow}`, makeBuild(makeFingerprint('a')))
    expect(await takeNotices()).toMatchObject([{ event_type: 'ATTESTED_PROVENANCE', trail: null }])
  })

  it('that brings a template is announced', async () => {
    const flow = await addSubscribedFlow(['ON_ATTESTED_PROVENANCE'])
    const body = makeBuild(makeFingerprint('a'), { ...nameTrail('run'), template: 'version: 1' })
    expect((await app.member.post(`/artifacts/acme/${flow}`, body)).status).toBe(201)
    expect(await takeEventTypes()).toEqual(['ATTESTED_PROVENANCE'])
  })
})

describe('an attestation', () => {
  it('is announced for the trail, for an artifact, and for an artifact not reported yet', async () => {
    const flow = await addSubscribedFlow(['ON_ATTESTATION'])
    await app.member.post(`/artifacts/acme/${flow}`, makeBuild(makeFingerprint('a'), nameTrail('run')))
    await attest(flow, { is_compliant: true })
    await attest(flow, { is_compliant: false, artifact_fingerprint: makeFingerprint('a') })
    await attest(flow, { is_compliant: true, target_artifacts: ['later'], git_commit_info: { sha1: SHA } })
    const attestation = { name: 'tests', type: 'generic', compliant: true, id: expect.any(String) }
    expect(await takeNotices()).toMatchObject([
      { event_type: 'ATTESTATION', artifact: null, attestation },
      {
        artifact: { name: 'image:1', fingerprint: makeFingerprint('a') },
        attestation: { ...attestation, compliant: false },
      },
      { artifact: { name: 'later', fingerprint: '' }, attestation },
    ])
  })

  it('that is retried or rejected is not announced', async () => {
    const flow = await addSubscribedFlow(['ON_ATTESTATION'])
    await begin(flow, 'run')
    const path = `/attestations/acme/${flow}/trail/run/generic`
    const send = (key: string, where = path) =>
      app.member.call(
        'POST',
        where,
        { attestation_name: 'a', is_compliant: true },
        { 'idempotency-key': key },
      )
    await send('once')
    await send('once')
    expect((await send('lost', path.replace('/run/', '/nowhere/'))).status).toBe(404)
    expect(await takeEventTypes()).toEqual(['ATTESTATION'])
  })
})

describe('an approval', () => {
  it('is announced, and a granted one as a release as well', async () => {
    const flow = await addSubscribedFlow(['ON_APPROVAL', 'ON_RELEASE'])
    await app.member.post(`/artifacts/acme/${flow}`, makeBuild(makeFingerprint('a')))
    const asked = {
      artifact_fingerprint: makeFingerprint('a'),
      description: '',
      src_commit_list: [],
      approvals: [],
    }
    await app.member.post(`/approvals/acme/${flow}`, asked)
    const given = [{ state: 'APPROVED', comment: '', approved_by: 'x', approval_url: '' }]
    await app.member.post(`/approvals/acme/${flow}`, { ...asked, approvals: given })
    const artifact = { name: 'image:1', fingerprint: makeFingerprint('a') }
    // The messages of one event have no order.
    const announced = (await takeNotices()).toSorted((a, b) => (a.event_type < b.event_type ? -1 : 1))
    expect(announced).toMatchObject([
      { event_type: 'APPROVAL', artifact, approval: { number: 1, state: 'PENDING' } },
      { event_type: 'APPROVAL', artifact, approval: { number: 2, state: 'APPROVED' } },
      { event_type: 'RELEASE', artifact, approval: { number: 2, state: 'APPROVED' } },
    ])
  })
})

describe('nobody is notified', () => {
  it('of another flow, of other triggers, or after the notification was deleted', async () => {
    const flow = await addSubscribedFlow(['ON_APPROVAL'])
    await makeFlow(app, 'unheard')
    await begin('unheard', 'run')
    await begin(flow, 'run')
    const [{ number }] = (await app.reader.get(PATH)).body
    const all = await addSubscribedFlow(ALL)
    const [last] = (await app.reader.get(PATH)).body
    expect(last.number).toBe(number + 1)
    await app.member.delete(`${PATH}/${last.number}`)
    await begin(all, 'run')
    expect(await takeEventTypes()).toEqual([])
  })

  it('of a flow of the same name in another organization', async () => {
    const flow = await addSubscribedFlow(ALL)
    await app.outsider.put('/flows/other-corp', { name: flow, description: '' })
    await app.outsider.put(`/trails/other-corp/${flow}`, { name: 'run' })
    expect(await takeEventTypes()).toEqual([])
  })
})

it('costs one statement and no extra wait', async () => {
  await makeFlow(app, 'silent')
  await begin('silent', 'warm')
  expect(await listStatements(app, () => begin('silent', 'run'))).toEqual([
    'trails.begin',
    'events.append',
    'notify.announce_flow_events',
    'log.append',
  ])
  expect(await recordWaits(app, () => begin('silent', 'another'))).toHaveLength(2)
  const loud = await addSubscribedFlow(ALL, [HOOK, CHAT, MAIL])
  expect(await recordWaits(app, () => begin(loud, 'run'))).toHaveLength(2)
})

describe('a receiver', () => {
  let sink: HttpsSink
  let running: TestApp
  beforeAll(async () => {
    sink = await startHttpsSink()
    running = await startTestApp({
      trusted_ca: sink.ca_pem,
      settings: {
        WAYBILL_ROLE: 'all',
        WAYBILL_EGRESS_ALLOW: '127.0.0.0/8',
        WAYBILL_DNS_SERVER: '127.0.0.1:9',
      },
    })
  })
  afterAll(async () => {
    await running.stop()
    await sink.stop()
  })

  it('gets the message, and the delivery log shows it', async () => {
    await running.member.put('/flows/acme', { name: 'ci', description: '' })
    const targets = [{ type: 'WEBHOOK', webhook: `${sink.url}/hook` }]
    const made = await running.member.put('/actions/acme/flows', {
      name: 'evidence',
      type: 'flow',
      flows: ['ci'],
      triggers: ['ON_ATTESTATION'],
      targets,
    })
    expect(made.status).toBe(201)
    await running.member.put('/trails/acme/ci', { name: 'run' })
    await running.member.post('/attestations/acme/ci/trail/run/generic', {
      attestation_name: 'tests',
      is_compliant: false,
    })
    await until(() => sink.requests.length === 1)
    expect(JSON.parse(sink.requests[0]?.body ?? '')).toMatchObject({
      version: '1.0',
      event_type: 'ATTESTATION',
      org: 'acme',
      environment: null,
      description: 'Attestation tests for trail run in flow ci of acme is NON-COMPLIANT',
      flow: 'ci',
      trail: { name: 'run', html_url: expect.stringMatching(/\/acme\/flows\/ci\/trails\/run$/) },
      artifact: null,
      attestation: { name: 'tests', type: 'generic', status: 'non-compliant' },
      approval: null,
      notification: { number: String(made.body.number), name: 'evidence' },
      actor: 'max',
    })
    const delivered = `/notification-deliveries/acme?event_type=ATTESTATION&status=delivered&number=${made.body.number}`
    await until(async () => (await running.admin.get(delivered)).body.deliveries.length === 1)
    const record = (await running.reader.get(`${PATH}/${made.body.number}`)).body
    expect(record.last_success_timestamp).toBeGreaterThan(0)
  })
})
