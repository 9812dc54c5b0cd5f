// Several processes whose own clocks are hours apart, on one database. Their clocks stand still, so reading the
// database's clock takes no time and gives exactly its time: nothing depends on the speed of the machine.
import { afterEach, beforeEach, describe, expect, it } from 'vitest'
import { resetClock } from '../src/db/database-clock.ts'
import { makeOwnerDb } from '../src/db/owner.ts'
import { SESSION_COOKIE } from '../src/lib/session-token.ts'
import { insertSession } from './browser.ts'
import { makeEnvironment, report } from './environments.ts'
import { makeTestClock, startTestApp, type TestApp } from './harness.ts'
import { addPerson } from './people.ts'
import { BEGINNING_MS } from './seed.ts'

const MINUTE_MS = 60_000
const HOUR_MS = 60 * MINUTE_MS
const READ = '/flows/acme'
const AUTH_CACHE_MS = 3_000

let late: TestApp
let early: TestApp
let all: TestApp[]

beforeEach(async () => {
  late = await startTestApp({ process_clock: makeTestClock(BEGINNING_MS - HOUR_MS) })
  early = await startBeside(HOUR_MS)
  all = [early, late]
})
afterEach(async () => {
  for (const app of all) await app.stop()
})

const startBeside = (shift_ms: number) =>
  startTestApp({ beside: late, process_clock: makeTestClock(BEGINNING_MS + shift_ms) })

/** A new process, after the others. */
async function startAgain(): Promise<TestApp> {
  const app = await startBeside(5 * HOUR_MS)
  all.unshift(app)
  return app
}

async function addKey(name: string, expires_at: string): Promise<(app: TestApp) => Promise<number>> {
  const { key } = await addPerson(late, name, 'reader')
  await late.sql(
    `update personal_keys k set expires_at = ${expires_at} from users u where u.user_id = k.user_id and u.name = $1`,
    [name],
  )
  return async app => (await app.makeClientWith(key).get(READ)).status
}

async function put(app: TestApp, path: string, body: unknown): Promise<void> {
  await app.measureClock()
  expect((await app.member.put(path, body)).status).toBe(201)
}

const readLatest = async (app: TestApp) => (await app.reader.get('/snapshots/acme/prod/@%7Bnow%7D')).body

describe('processes with clocks that are hours apart', () => {
  it('agree which keys have expired', async () => {
    const valid = await addKey('vera', `clock_timestamp() + interval '30 min'`)
    const expired = await addKey('egon', `clock_timestamp() - interval '1 s'`)
    for (const app of all) {
      await app.measureClock()
      expect([await valid(app), await expired(app)]).toEqual([200, 401])
    }
  })

  it('agree which sessions have expired', async () => {
    const session = await insertSession(late, 'rita')
    const readStatus = async ({ server }: TestApp) =>
      (await server.inject({ url: `/api/v2${READ}`, headers: { cookie: `${SESSION_COOKIE}=${session}` } }))
        .statusCode
    for (const app of all) expect(await readStatus(app)).toBe(200)
    await late.sql(`update sessions set expires_at = clock_timestamp() - interval '1 s'`)
    const third = await startAgain()
    expect(await readStatus(third)).toBe(401)
    for (const app of [early, late]) {
      // After the time for which they cache the session.
      app.clock.advance(AUTH_CACHE_MS)
      await app.measureClock()
      expect(await readStatus(app)).toBe(401)
    }
  })

  it('list events and trails in the order in which they were acknowledged', async () => {
    await put(late, '/flows/acme', { name: 'ci', description: '' })
    const names = ['a', 'b', 'c', 'd', 'e', 'f']
    for (const [i, name] of names.entries()) await put(i % 2 ? late : early, '/trails/acme/ci', { name })
    const { body } = await early.admin.get('/audit-events/acme?kind=trail_reported')
    const events = body.events.map(
      ({ data }: { data: { trail_data_json: { name: string } } }) => data.trail_data_json.name,
    )
    expect(events).toEqual(names.toReversed())
    const trails = (await late.reader.get('/trails/acme')).body.data.map(({ name }: { name: string }) => name)
    expect(trails).toEqual(names.toReversed())
  })

  it('find the snapshot that the other one has just taken, and number snapshots in the order of their times', async () => {
    await makeEnvironment(late, 'prod')
    for (const [i, app] of [early, late, early].entries()) {
      // The reader has not read the clock since before the snapshot.
      await app.measureClock()
      expect((await report(app, 'prod', String(1000 + i))).status).toBe(200)
      for (const reader of all) expect((await readLatest(reader)).index).toBe(i + 1)
    }
    const taken = await late.sql('select created_at from snapshots order by snapshot_index')
    expect(taken).toEqual(taken.toSorted((a, b) => Number(a.created_at) - Number(b.created_at)))
  })
})

describe('a database clock that is set back an hour', () => {
  /** The process has advanced an hour since its last reading, and the database's clock has not. */
  async function setBack(app: TestApp): Promise<void> {
    app.clock.advance(HOUR_MS)
    await app.measureClock()
  }

  it('does not revive a key that has expired, in this process and in one that starts later', async () => {
    const use = await addKey('egon', `clock_timestamp() + interval '30 min'`)
    expect(await use(late)).toBe(200)
    await setBack(late)
    expect(await use(late)).toBe(401)
    expect(await use(await startAgain())).toBe(401)
    // A process that was already running follows at its next reading.
    await early.measureClock()
    expect(await use(early)).toBe(401)
  })

  it('does not hide the latest snapshot, and later ones have later times', async () => {
    await makeEnvironment(late, 'prod')
    await report(late, 'prod', '1000')
    late.clock.advance(HOUR_MS)
    expect((await report(late, 'prod', '2000')).status).toBe(200)
    await late.measureClock()
    const restarted = await startAgain()
    const second = await readLatest(restarted)
    expect(second.index).toBe(2)
    restarted.clock.advance(1000)
    await report(restarted, 'prod', '3000')
    const third = await readLatest(late)
    expect(third.index).toBe(3)
    expect(third.timestamp).toBeGreaterThan(second.timestamp)
  })

  it('does not move the time of a process back', async () => {
    const before = late.clock.now()
    await setBack(late)
    expect(late.clock.now().getTime()).toBeGreaterThanOrEqual(before.getTime() + HOUR_MS - 1000)
  })

  it('slows the time down until the two agree', async () => {
    await setBack(late)
    // Beyond the measurement error, for which the time stands still.
    late.clock.advance(MINUTE_MS)
    const reached_ms = late.clock.now().getTime()
    late.clock.advance(HOUR_MS)
    expect(Math.round((late.clock.now().getTime() - reached_ms) / 1000)).toBe(1800)
    late.clock.advance(2 * HOUR_MS)
    expect((await late.anonymous.get('/ready')).text).toBe('OK')
    const agreed_ms = late.clock.now().getTime()
    late.clock.advance(HOUR_MS)
    expect(late.clock.now().getTime() - agreed_ms).toBe(HOUR_MS)
  })

  it('is survived by a process that cannot store the time, and by one that starts then', async () => {
    const use = await addKey('egon', `clock_timestamp() + interval '30 min'`)
    await setBack(late)
    await late.sql(`alter database ${late.database} set default_transaction_read_only = on`)
    const restarted = await startAgain()
    expect(await use(restarted)).toBe(401)
    await setBack(restarted)
    expect(restarted.clock.now().getTime() - late.clock.now().getTime()).toBeGreaterThan(HOUR_MS / 2 - 60_000)
    expect((await restarted.anonymous.get('/ready')).text).toContain(
      'the database cannot be written: it is read-only',
    )
  })

  it('is a warning at /ready, until an operator accepts it', async () => {
    const readReady = async (app: TestApp) => {
      const { status, text } = await app.anonymous.get('/ready')
      return [status, text.replace(/\d+/, 'N')]
    }
    expect(await readReady(late)).toEqual([200, 'OK'])
    const use = await addKey('egon', `clock_timestamp() + interval '30 min'`)
    await setBack(late)
    await early.measureClock()
    const warning =
      'OK\nwarning: the clock of the database is N s behind the time that was reached; until they agree, time passes slowly'
    for (const app of all) expect(await readReady(app)).toEqual([200, warning])
    await resetClock(makeOwnerDb(late.owner).run)
    for (const app of all) await app.measureClock()
    for (const app of all) expect([await readReady(app), await use(app)]).toEqual([[200, 'OK'], 200])
  })
})
