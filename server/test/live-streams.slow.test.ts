// Streams of changes in context: several processes, cut connections, slow readers, and a service that stops.
import { type Cut, type CuttingProxy, startCuttingProxy } from '@waybill/testing/cutting-proxy'
import { afterEach, beforeEach, describe, expect, it } from 'vitest'
import { SESSION_COOKIE } from '../src/lib/session-token.ts'
import { insertSession } from './browser.ts'
import { listen, type OpenOptions, openStream, type StreamReader, untilKind } from './event-stream.ts'
import { PATIENT_LIMITS, startTestApp, type TestApp, type TestOptions } from './harness.ts'
import { until } from './patience.ts'
import { addPerson } from './people.ts'

let app: TestApp
const cleanUps: (() => unknown)[] = []
beforeEach(async () => {
  app = await startTestApp({ listens: true })
  cleanUps.push(app.stop)
})
afterEach(async () => {
  for (const cleanUp of cleanUps.splice(0).toReversed()) await cleanUp()
})

async function startBeside(options: TestOptions = {}): Promise<TestApp> {
  const other = await startTestApp({ beside: app, ...options })
  cleanUps.push(other.stop)
  return other
}

async function open(port: number, options: OpenOptions = {}): Promise<StreamReader> {
  const reader = await openStream(port, { key: app.reader.key, ...options })
  cleanUps.push(reader.close)
  return reader
}

const addFlow = async (where: TestApp, name: string) =>
  expect((await where.member.put('/flows/acme', { name, description: '' })).status).toBe(201)
const listFlows = (reader: StreamReader) =>
  reader.events().flatMap(({ data }) => (typeof data.flow === 'string' ? [data.flow] : []))

describe('several processes', () => {
  it('report changes that any of them makes', async () => {
    const port = await listen(app)
    const other = await startBeside()
    const reader = await open(port)
    await addFlow(other, 'made-elsewhere')
    await untilKind(reader, 'flow_created')
    expect(listFlows(reader)).toEqual(['made-elsewhere'])
  })

  it('end the stream of a key that another of them revokes', async () => {
    const port = await listen(app)
    const other = await startBeside({ listens: true })
    const person = await addPerson(app, 'rika', 'member')
    const reader = await open(port, { key: person.key })
    await until(() => reader.events().length === 1)
    const there = other.makeClientWith(person.key)
    const { body } = await there.get('/user/api-keys')
    expect((await there.delete(`/user/api-keys/${body[0].id}`)).status).toBe(200)
    await until(reader.isOver)
    expect(app.app.streams.counters.ended.refused).toBe(1)
  })

  it('lose nothing for a reader that switches to another one when the first one stops', async () => {
    const other = await startBeside()
    const first = await open(await listen(other))
    await addFlow(app, 'before')
    await untilKind(first, 'flow_created')
    await other.app.stop()
    await until(first.isOver)
    expect(first.isComplete()).toBe(true)
    expect(other.app.streams.counters.ended.stopped).toBe(1)
    await addFlow(app, 'meanwhile')
    const second = await open(await listen(app), { last_event_id: first.lastId() })
    await addFlow(app, 'after')
    await until(() => listFlows(second).length === 2)
    expect(listFlows(second)).toEqual(['meanwhile', 'after'])
  })
})

const LAST = 'the-last-one'

/** Reads through a proxy, and reconnects after each cut with the last id that it received completely. */
async function followThrough(proxy: CuttingProxy, from: string | undefined): Promise<string[]> {
  const port = Number(new URL(proxy.url).port)
  const flows: string[] = []
  let last_event_id = from
  while (!flows.includes(LAST)) {
    const reader = await open(port, { last_event_id }).catch(() => undefined)
    if (!reader) continue
    await until(() => reader.isOver() || listFlows(reader).includes(LAST))
    flows.push(...listFlows(reader))
    last_event_id = reader.lastId() ?? last_event_id
    reader.close()
  }
  return flows
}

describe('a connection that is cut', () => {
  const cuts: Cut[] = ['at once', 'within the request', 'before the answer', 'within the answer']
  for (let bytes = 0; bytes < 2_600; bytes += 130) cuts.push(bytes)

  it('at any point loses no change and repeats none', async () => {
    const proxy = await startCuttingProxy(await listen(app))
    cleanUps.push(proxy.stop)
    const { text } = await app.reader.get('/events/acme/stream?follow=false')
    proxy.plan(cuts)
    const followed = followThrough(proxy, /^id: (.+)$/m.exec(text)?.[1])
    const names: string[] = []
    while (proxy.countCut() < cuts.length) {
      names.push(`flow-${names.length}`)
      await addFlow(app, names.at(-1) ?? '')
    }
    await addFlow(app, LAST)
    expect(await followed).toEqual([...names, LAST])
  })
})

describe('a stream', () => {
  it('holds no database connection', async () => {
    const port = await listen(app)
    const streams = await Promise.all(Array.from({ length: 15 }, () => open(port)))
    await until(() => streams.every(reader => reader.events().length === 1))
    expect(app.app.streams.counters.open).toBe(15)
    await until(() => app.db.pool().total === app.db.pool().idle)
  })

  it('is cut if its reader does not read', async () => {
    const port = await listen(app)
    const slow = await open(port)
    await until(() => slow.events().length === 1)
    slow.pause()
    const name = 'n'.repeat(200)
    // More than the connection's buffers hold.
    while (app.app.streams.counters.ended.slow === 0) {
      await app.sql(
        `with moved as (update log_heads set size = size + 900 where org_id = (select org_id from orgs where name = 'acme')
           returning org_id, epoch, size)
         insert into log_leaves (org_id, epoch, seq, event_id, kind, logged_ms, body_hash, tags, leaf_hash)
         select org_id, epoch, size - 900 + i - 1, gen_random_uuid(), $1, 0, decode(repeat('00', 32), 'hex'), '', decode(repeat('00', 32), 'hex')
         from moved, generate_series(1, 900) i`,
        [name],
      )
      const had = app.app.streams.counters.sent
      await until(() => app.app.streams.counters.sent > had || app.app.streams.counters.ended.slow === 1)
    }
    expect(app.app.streams.counters.open).toBe(0)
  })

  it('regularly sends a sign of life and the current time', async () => {
    const other = await startBeside({
      time_limits: { streams: { ...PATIENT_LIMITS.streams, beat_ms: 20 } },
    })
    const reader = await open(await listen(other))
    await until(() => reader.events().filter(({ event }) => event === 'time').length >= 2)
    other.clock.advance(90_000)
    const now = other.clock.now().getTime() / 1000
    await until(() => reader.events().some(({ data }) => data.now === now))
  })

  it('is counted in the metrics', async () => {
    const port = await listen(app)
    const reader = await open(port)
    await addFlow(app, 'counted')
    await untilKind(reader, 'flow_created')
    const { body } = await app.server.inject({ url: '/metrics', remoteAddress: '127.0.0.1' })
    expect(body).toContain('waybill_streams_open 1')
    expect(body).toContain('waybill_stream_events_sent_total 1')
    expect(body).toContain('waybill_streams_ended_total{reason="client"} 0')
  })

  it('does not keep a session from expiring', async () => {
    const port = await listen(app)
    const { key, seen } = await startSession()
    const reader = await open(port, { key: undefined, cookie: key })
    await until(() => reader.events().length === 1)
    const before = await seen()
    app.clock.advance(3_600_000)
    await addFlow(app, 'seen')
    await untilKind(reader, 'flow_created')
    expect(await seen()).toEqual(before)
  })
})

async function startSession() {
  await addPerson(app, 'sina', 'reader')
  const secret = await insertSession(app, 'sina')
  const seen = () => app.sql('select last_seen_at from sessions')
  return { key: `${SESSION_COOKIE}=${secret}`, seen }
}
