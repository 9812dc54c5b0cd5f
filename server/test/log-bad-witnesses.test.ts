// Witnesses that hang, lie, contradict themselves or are gone: each is reported with a sentence, and nothing that
// they send is stored. Writes and checkpoints continue.
import type { ServerResponse } from 'node:http'
import { generateKey, parseNote } from '@waybill/transparency-log'
import { afterAll, beforeAll, beforeEach, describe, expect, it } from 'vitest'
import { ORG, startTestApp, type TestApp } from './harness.ts'
import { askNow, cosign, type FakeWitness, passMinute, startFakeWitness } from './witnesses.ts'

let app: TestApp
let fake: FakeWitness
let good: FakeWitness
beforeAll(async () => {
  fake = await startFakeWitness('fake.example/w1')
  good = await startFakeWitness('good.example/w1')
  app = await startTestApp()
  const org_id = String((await app.sql('select org_id from orgs where name = $1', [ORG]))[0]?.org_id)
  await write()
  // Only this log counts: the seed has others.
  await app.sql('delete from log_heads where org_id <> $1', [org_id])
})
afterAll(() => app.stop())
beforeEach(async () => {
  for (const table of ['log_witnesses', 'log_cosigned']) await app.sql(`delete from ${table}`)
})

const buildLine = (name: string, { vkey, url }: FakeWitness) => `witness ${name} ${vkey} ${url}`
const alone = () => `${buildLine('fake', fake)}\nquorum none\n`
const ask = (text = alone(), limit_ms?: number) => askNow(app, text, limit_ms)
const readFake = async () =>
  (await app.sql('select size::int, state, message from log_witnesses where vkey = $1', [fake.vkey]))[0]

let written = 0
const write = async () => {
  const { status } = await app.admin.put(`/flows/${ORG}`, { name: `flow-${written++}`, description: '' })
  expect(status).toBe(201)
}

describe('a witness that misbehaves', () => {
  const answerSize = (size: number | string) => (_: string, response: ServerResponse) => {
    response.writeHead(409, { 'content-type': 'text/x.tlog.size' }).end(`${size}\n`)
  }
  let next = 1
  it.each<[string, FakeWitness['answer'], string, RegExp, number]>([
    [
      'has a wrong cosignature',
      async (body, response) => void response.end(await cosign(fake.key, body.replace('/log/', '/lag/'))),
      'behind',
      /cannot be used: The signature of 'fake.example\/w1' .* is wrong/,
      1,
    ],
    [
      'signs with another key',
      async (body, response) =>
        void response.end(await cosign(generateKey(fake.key.name, 'cosignature'), body)),
      'behind',
      /has no signature of the key fake/,
      1,
    ],
    [
      'signs as a log does',
      async (body, response) => void response.end(await cosign(generateKey(fake.key.name, 'note'), body)),
      'behind',
      /has no signature of the key fake/,
      1,
    ],
    [
      'names another size each time',
      (body, response) => answerSize(next++)(body, response),
      'behind',
      /names another size each time/,
      2,
    ],
    ['contradicts itself', answerSize(1), 'behind', /^The witness contradicts itself/, 2],
    ['refuses the size that was sent', answerSize(0), 'behind', /^The witness contradicts itself/, 1],
    ['names no number', answerSize('many'), 'behind', /is not a decimal number/, 1],
    ['names a size that nobody has', answerSize(10_000), 'fork', /has cosigned 10000 leaves/, 1],
    [
      'does not know the log',
      (_, response) => void response.writeHead(404).end(),
      'behind',
      /does not know this log/,
      1,
    ],
    [
      'does not trust the key',
      (_, response) => void response.writeHead(403).end(),
      'behind',
      /does not trust the keys/,
      1,
    ],
    ['refuses a first proof', (_, response) => void response.writeHead(422).end(), 'behind', /status 422/, 1],
    ['fails', (_, response) => void response.writeHead(500).end('oops'), 'behind', /status 500/, 1],
    [
      'redirects',
      (_, response) => void response.writeHead(307, { location: 'http://127.0.0.1:1/' }).end(),
      'unreachable',
      /redirect/,
      1,
    ],
    [
      'talks without end',
      (_, response) => void response.end('x'.repeat(1_000_000)),
      'behind',
      /more than 16384 bytes/,
      1,
    ],
    ['hangs up', (_, response) => void response.destroy(), 'unreachable', /connection was lost/, 1],
  ])(
    'and %s is reported with a sentence, and nothing of it is kept',
    async (_, answer, state, sentence, posts) => {
      await write()
      const before = fake.bodies.length
      fake.answer = answer
      await ask(alone())
      expect(await readFake()).toEqual({ size: 0, state, message: expect.stringMatching(sentence) })
      expect(fake.bodies.length - before).toBe(posts)
      expect(await app.sql('select from log_cosigned')).toEqual([])
      await write()
      const { text } = await app.reader.get(`/log/${ORG}/checkpoint`)
      expect(parseNote(text).signatures).toHaveLength(1)
    },
  )

  it('and never responds does not delay the others', async () => {
    fake.answer = () => undefined
    await ask(`${buildLine('good', good)}\n${alone()}`, 300)
    expect(await readFake()).toMatchObject({
      state: 'unreachable',
      message: 'The witness did not answer within 0.3 seconds',
    })
    expect(await app.sql('select state from log_witnesses where vkey = $1', [good.vkey])).toEqual([
      { state: 'ok' },
    ])
    expect(await app.sql('select has_quorum from log_cosigned')).toEqual([{ has_quorum: true }])
    await write()
  })

  it('and slowly sends an endless response is abandoned', async () => {
    fake.answer = (_, response) => {
      response.write('— ')
    }
    await ask(alone(), 300)
    expect(await readFake()).toMatchObject({ state: 'unreachable' })
  })
})

describe('several processes', () => {
  it('ask a witness once, and a killed one is replaced after a minute', async () => {
    fake.answer = async (body, response) => void response.end(await cosign(fake.key, body))
    await write()
    const before = fake.bodies.length
    await Promise.all([ask(alone()), ask(alone()), ask(alone()), ask(alone())])
    expect(fake.bodies.length - before).toBe(1)
    // Nothing new, so no witness is asked.
    await passMinute(app)
    await ask(alone())
    expect(fake.bodies.length - before).toBe(1)
    // Claimed by a process that has ended.
    await write()
    await app.sql("update log_witnesses set asked_at = now(), state = 'behind'")
    await ask(alone())
    expect(fake.bodies.length - before).toBe(1)
    await passMinute(app)
    await ask(alone())
    expect(fake.bodies.length - before).toBe(2)
  })
})
