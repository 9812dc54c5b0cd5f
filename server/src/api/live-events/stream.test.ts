import { afterAll, afterEach, beforeAll, describe, expect, it } from 'vitest'
import { insertSession } from '../../../test/browser.ts'
import { makeEnvironment, report } from '../../../test/environments.ts'
import {
  listen,
  type OpenOptions,
  openStream,
  type StreamReader,
  untilKind,
} from '../../../test/event-stream.ts'
import { startTestApp, type TestApp } from '../../../test/harness.ts'
import { until } from '../../../test/patience.ts'
import { addPerson } from '../../../test/people.ts'
import { makeBuild, makeFingerprint, nameTrail } from '../../../test/reports.ts'
import { SESSION_COOKIE } from '../../lib/session-token.ts'
import { STREAM_LIMITS } from '../../live/streams.ts'

let app: TestApp
let port: number
const opened: StreamReader[] = []
beforeAll(async () => {
  app = await startTestApp()
  port = await listen(app)
})
afterEach(async () => {
  for (const reader of opened.splice(0)) reader.close()
  await until(() => app.app.streams.counters.open === 0)
})
afterAll(() => app.stop())

/** Uses the key of a reader by default, who may read the least. */
async function open(options: OpenOptions = {}): Promise<StreamReader> {
  const reader = await openStream(port, { key: app.reader.key, ...options })
  opened.push(reader)
  return reader
}

let flows = 0
const addFlow = async () => {
  flows += 1
  const name = `flow-${flows}`
  expect((await app.member.put('/flows/acme', { name, description: 'only the API says this' })).status).toBe(
    201,
  )
  return name
}
const listFlows = (reader: StreamReader) => reader.events().flatMap(({ data }) => data.flow ?? [])

describe('200', () => {
  it('begins with the position and the time of the server, for proxies too', async () => {
    const reader = await open()
    expect(reader.status).toBe(200)
    await until(() => reader.events().length === 1)
    expect(reader.events()).toEqual([
      {
        id: expect.stringMatching(/^1\.(-1|\d+)$/),
        event: 'opened',
        data: { is_resumed: false, now: app.clock.now().getTime() / 1000 },
      },
    ])
    expect(reader.headers).toMatchObject({
      'content-type': 'text/event-stream; charset=utf-8',
      'cache-control': 'no-store',
      'x-accel-buffering': 'no',
    })
    expect(reader.headers['content-encoding']).toBeUndefined()
    expect(reader.headers['content-length']).toBeUndefined()
  })

  it('names what changed, and says nothing else about it', async () => {
    const reader = await open()
    const flow = await addFlow()
    await untilKind(reader, 'flow_created')
    expect(reader.events().at(-1)?.data).toEqual({
      kind: 'flow_created',
      flow,
      trail: null,
      environment: null,
      policy: null,
      control: null,
      artifact: null,
    })
    await app.member.put(`/trails/acme/${flow}`, { name: 'run-1', description: '' })
    const build = { ...makeBuild(makeFingerprint('a1')), ...nameTrail('run-1') }
    expect((await app.member.post(`/artifacts/acme/${flow}`, build)).status).toBe(201)
    await untilKind(reader, 'artifact_creation_reported')
    const about = reader.events().find(({ data }) => data.kind === 'artifact_creation_reported')?.data
    expect(about).toMatchObject({ flow, trail: 'run-1', artifact: expect.stringMatching(/^a1/) })
    expect(reader.text()).not.toContain('only the API says this')
    expect(reader.text()).not.toContain('"max"')
  })

  it('sends changes in the order of the log, without a gap', async () => {
    const reader = await open()
    await until(() => reader.events().length === 1)
    const first = Number(reader.lastId()?.split('.')[1])
    const names = await Promise.all(Array.from({ length: 20 }, addFlow))
    await until(() => listFlows(reader).length === names.length)
    const ids = reader.events().map(({ id }) => Number(id?.split('.')[1]))
    expect(ids).toEqual(ids.map((_, i) => first + i))
    expect(listFlows(reader).toSorted()).toEqual(names.toSorted())
  })

  it('continues after the last event that was received', async () => {
    const before = await open()
    await addFlow()
    await untilKind(before, 'flow_created')
    before.close()
    const missed = [await addFlow(), await addFlow()]
    const reader = await open({ last_event_id: before.lastId() })
    await until(() => listFlows(reader).length === 2)
    expect(reader.events()[0]).toMatchObject({ event: 'opened', data: { is_resumed: true } })
    expect(listFlows(reader)).toEqual(missed)
    missed.push(await addFlow())
    await until(() => listFlows(reader).length === 3)
    expect(listFlows(reader)).toEqual(missed)
  })

  it.each(['nonsense', '7.3', '1.999999'])(
    'reports that it cannot continue after %s',
    async last_event_id => {
      const reader = await open({ last_event_id })
      await until(() => reader.events().length === 1)
      expect(reader.events()[0]).toMatchObject({ event: 'opened', data: { is_resumed: false } })
    },
  )

  it('ends after what was missed if it is not to follow', async () => {
    const { text } = await app.reader.get('/events/acme/stream?follow=false')
    const last_event_id = /^id: (.+)$/m.exec(text)?.[1]
    const flow = await addFlow()
    const reader = await open({ last_event_id, query: '?follow=false' })
    await until(reader.isOver)
    expect(reader.isComplete()).toBe(true)
    expect(listFlows(reader)).toEqual([flow])
  })

  it('announces verdicts that the service computes in the background', async () => {
    await makeEnvironment(app, 'judged')
    const reader = await open()
    await report(app, 'judged', 'b1')
    await untilKind(reader, 'snapshot_taken')
    await app.member.put('/policies/acme/strict', {
      policy_yaml:
        '_schema: https://waybill.example/schemas/policy/v1\nartifacts:\n  provenance:\n    required: true\n',
    })
    await app.member.post('/environments/acme/judged/policies', { policy_names: ['strict'] })
    app.clock.advance(1_000)
    await app.evaluate()
    const isEvaluated = () =>
      reader.events().filter(({ data }) => data.kind === 'snapshot_taken' && data.environment === 'judged')
        .length === 2
    await until(isEvaluated)
  })

  it('announces a report without changes, which no log records', async () => {
    await makeEnvironment(app, 'quiet')
    await report(app, 'quiet', 'c1')
    const reader = await open()
    await until(() => reader.events().length === 1)
    app.clock.advance(60_000)
    const isReported = () =>
      reader.events().some(({ data }) => data.environment === 'quiet' && data.kind === 'environment_reported')
    await report(app, 'quiet', 'c1')
    await until(isReported)
    expect(reader.events().find(({ data }) => data.kind === 'environment_reported')?.id).toBeUndefined()
  })

  it('opens no stream for HEAD', async () => {
    const { status, headers } = await app.reader.call('HEAD', '/events/acme/stream')
    expect(status).toBe(200)
    expect(headers['content-type']).toContain('text/event-stream')
    await until(() => app.app.streams.counters.open === 0)
  })

  it('accepts a session', async () => {
    await addPerson(app, 'sina', 'reader')
    const secret = await insertSession(app, 'sina')
    const reader = await open({ key: undefined, cookie: `${SESSION_COOKIE}=${secret}` })
    await addFlow()
    await untilKind(reader, 'flow_created')
  })

  it('shows nothing of another organization', async () => {
    const foreign = await open({ key: app.outsider.key, org: 'other-corp' })
    const reader = await open()
    expect((await app.outsider.put('/flows/other-corp', { name: 'foreign', description: '' })).status).toBe(
      201,
    )
    await addFlow()
    await untilKind(reader, 'flow_created')
    expect(reader.text()).not.toContain('foreign')
    expect(reader.kinds()).toEqual(['flow_created'])
    await untilKind(foreign, 'flow_created')
    expect(listFlows(foreign)).toEqual(['foreign'])
  })
})

describe('400', () => {
  it('refuses a wrong follow', async () => {
    expect((await app.reader.get('/events/acme/stream?follow=perhaps')).status).toBe(400)
  })
})

describe('401 and 403', () => {
  it('refuses whoever may not read the organization', async () => {
    expect((await app.anonymous.get('/events/acme/stream')).status).toBe(401)
    expect((await app.outsider.get('/events/acme/stream')).status).toBe(403)
  })
})

describe('a stream ends', () => {
  it('when its key is revoked, and sends nothing more', async () => {
    const person = await addPerson(app, 'rika', 'member')
    const reader = await open({ key: person.key })
    await until(() => reader.events().length === 1)
    const { body } = await person.get('/user/api-keys')
    await person.delete(`/user/api-keys/${body[0].id}`)
    await addFlow()
    await until(reader.isOver)
    expect(reader.isComplete()).toBe(true)
    expect(reader.kinds()).not.toContain('flow_created')
  })

  it.each([
    ['loses the membership', async (name: string) => app.admin.delete(`/members/acme/${name}`)],
    ['gets another role', async (name: string) => app.admin.put(`/members/acme/${name}`, { role: 'reader' })],
  ])('when its reader %s', async (what, change) => {
    const name = `person-${what.length}`
    const person = await addPerson(app, name, 'member')
    const reader = await open({ key: person.key })
    await until(() => reader.events().length === 1)
    expect((await change(name)).status).toBe(200)
    await until(reader.isOver)
    await addFlow()
    expect(reader.kinds()).not.toContain('flow_created')
  })

  it('when its key expires, at the next event', async () => {
    const person = await addPerson(app, 'exa', 'member')
    await app.sql(
      `update personal_keys set expires_at = $1 where user_id = (select user_id from users where name = 'exa')`,
      [new Date(app.clock.now().getTime() + 60_000)],
    )
    const reader = await open({ key: person.key })
    await until(() => reader.events().length === 1)
    app.clock.advance(61_000)
    await addFlow()
    await until(reader.isOver)
    expect(reader.kinds()).not.toContain('flow_created')
  })
})

describe('429', () => {
  it('refuses more streams than one person may have, and accepts others', async () => {
    const person = await addPerson(app, 'tabs', 'reader')
    for (let i = 0; i < STREAM_LIMITS.per_caller; i++) {
      expect((await open({ key: person.key })).status).toBe(200)
    }
    const refused = await open({ key: person.key })
    expect(refused.status).toBe(429)
    expect(refused.headers['retry-after']).toBe('10')
    expect((await open()).status).toBe(200)
    opened[0]?.close()
    await until(async () => {
      const again = await open({ key: person.key })
      return again.status === 200
    })
  })
})
