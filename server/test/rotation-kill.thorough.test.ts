// Keys are rotated repeatedly while the service, or the service and its PostgreSQL, is killed: a client with the
// acknowledged keys is never locked out, and no rotation is left half done.
import { setTimeout as sleep } from 'node:timers/promises'
import { describe, expect, it } from 'vitest'
import { until } from './patience.ts'
import {
  connectOwner,
  findFreePort,
  killPostmaster,
  makeDataDirectory,
  runProgram,
  type Service,
  startService,
} from './service.ts'

const KILLS = 10
const MAX_ROTATIONS = 5
const MAX_DELAY_MS = 60
const QUIET = { WAYBILL_LOG_LEVEL: 'error' }
const ACCOUNTS = '/api/v2/service-accounts/demo-org'
const KEYS = `${ACCOUNTS}/robot/api-keys`

interface Key {
  id: string
  key: string
}

/** The client's knowledge: every key whose secret it received, oldest first, and the one to rotate next. */
interface KnownKeys {
  keys: Key[]
  head_id: string
  /** How many rotations succeeded without a response. */
  unanswered: number
  /** How many requests with the two latest keys succeeded. */
  let_in: number
  /** Responses that must not happen. */
  strange: string[]
}

describe('kill -9 while keys are rotated', () => {
  it('locks nobody out and leaves nothing half done, however often the service is killed', async () => {
    const data_dir = makeDataDirectory()
    const port = await findFreePort()
    let admin: string | undefined
    let known: KnownKeys | undefined
    for (let kill = 0; kill < KILLS; kill++) {
      const service = await startService({ data_dir, port, env: QUIET })
      admin ??= service.key
      if (!known) {
        known = await createFirstKey(service, admin)
        await loseResponse(service, admin, known)
      }
      await rotateUntilKilled(service, admin, known, { withDatabase: kill % 2 === 0 })
    }
    const service = await startService({ data_dir, port, env: QUIET })
    if (!known) throw new Error('there was no first key')
    expect(known.strange).toEqual([])
    expect(known.keys.length).toBeGreaterThan(KILLS)
    expect(known.unanswered).toBeGreaterThan(0)
    expect(known.unanswered).toBeLessThanOrEqual(1 + KILLS)
    await rotate(service, admin, known)
    await rotate(service, admin, known)
    expect(known.strange).toEqual([])
    await expectOneChain(service, known)
    await expectOneKeyAfterTheGrace(service, admin, known)
    const check = await runProgram(['admin', 'check', '--json'], { data_dir })
    expect(JSON.parse(check.stdout).ok).toBe(true)
    service.signal('SIGTERM')
    expect(await service.ended).toEqual({ code: 0, signal: null })
  })
})

async function createFirstKey(service: Service, admin: string | undefined): Promise<KnownKeys> {
  const account = { name: 'robot', privilege: 'reader' }
  expect((await service.call('POST', ACCOUNTS, { key: admin, body: account })).status).toBe(201)
  const made = await service.call('POST', KEYS, { key: admin, body: { description: 'rotated' } })
  expect(made.status).toBe(201)
  const { id, key } = JSON.parse(made.text)
  return { keys: [{ id, key }], head_id: id, unanswered: 0, let_in: 0, strange: [] }
}

/** A rotation is stored but the client never learns of it, as after a kill at the wrong moment. */
async function loseResponse(
  service: Service,
  admin: string | undefined,
  { head_id }: KnownKeys,
): Promise<void> {
  const body = { grace_period_hours: 1 }
  expect((await service.call('POST', `${KEYS}/${head_id}/rotate`, { key: admin, body })).status).toBe(201)
}

/** One run of the service: rotates and uses the known keys until the service is killed. */
async function rotateUntilKilled(
  service: Service,
  admin: string | undefined,
  known: KnownKeys,
  { withDatabase }: { withDatabase: boolean },
): Promise<void> {
  const wanted = known.keys.length + 1 + Math.floor(Math.random() * MAX_ROTATIONS)
  const let_in_before = known.let_in
  let isKilled = false
  const untilKilled = async (work: () => Promise<void>) => {
    try {
      for (;;) await work()
    } catch (error) {
      // The next run finds out whether the last rotation was stored.
      if (!isKilled) known.strange.push(`before the kill: ${error}`)
    }
  }
  const work = [untilKilled(() => rotate(service, admin, known)), untilKilled(() => use(service, known))]
  await until(() => {
    expect(known.strange).toEqual([])
    return known.keys.length >= wanted && known.let_in > let_in_before
  })
  await sleep(Math.random() * MAX_DELAY_MS)
  isKilled = true
  service.signal('SIGKILL')
  if (withDatabase) killPostmaster(service.data_dir, 'SIGKILL')
  expect(await service.ended).toEqual({ code: null, signal: 'SIGKILL' })
  await Promise.all(work)
}

async function rotate(service: Service, admin: string | undefined, known: KnownKeys): Promise<void> {
  const path = `${KEYS}/${known.head_id}/rotate`
  const { status, text } = await service.call('POST', path, { key: admin, body: { grace_period_hours: 1 } })
  if (status === 201) {
    const { id, key } = JSON.parse(text)
    known.keys.push({ id, key })
    known.head_id = id
  } else if (status === 409) {
    await findHead(service, admin, known)
  } else if (status !== 503) known.strange.push(`a rotation answered ${status}: ${text}`)
}

/** The key was rotated without a response: the latest key in the list replaced it, and is rotated next. */
async function findHead(service: Service, admin: string | undefined, known: KnownKeys): Promise<void> {
  const { status, text } = await service.call('GET', KEYS, { key: admin })
  if (status === 503) return
  const latest_id = JSON.parse(text).at(-1).id
  if (latest_id === known.head_id) known.strange.push(`${latest_id} is the latest and cannot be rotated`)
  known.head_id = latest_id
  known.unanswered += 1
  await rotate(service, admin, known)
}

/** The last acknowledged key works, and so does the previous one: its grace period is an hour. */
async function use(service: Service, known: KnownKeys): Promise<void> {
  for (const { id, key } of known.keys.slice(-2)) {
    const { status } = await service.call('GET', '/api/v2/flows/demo-org', { key })
    if (status === 200) known.let_in += 1
    else if (status !== 503) known.strange.push(`the key ${id} answered ${status}`)
  }
}

/** Each key is replaced by the next, without gaps, and every rotation has its event. */
async function expectOneChain(service: Service, known: KnownKeys): Promise<void> {
  const owner = await connectOwner(service.data_dir)
  const keys = await owner.query(`
    select left(key_id::text, 32) as id, left(replaced_by::text, 32) as next_id
    from service_account_keys order by key_id`)
  const rotations = await owner.query(`
    select data ->> 'replaced_key_id' as id, data ->> 'key_id' as next_id from events
    where kind = 'api_key_rotated' order by event_id`)
  await owner.end()
  const stored = keys.rows.map(({ id }) => id)
  // Every key is replaced by the one created after it, except the last.
  expect(keys.rows.map(({ next_id }) => next_id)).toEqual([...stored.slice(1), null])
  expect(rotations.rows).toEqual(stored.slice(1).map((next_id, i) => ({ id: stored[i], next_id })))
  expect(known.keys.map(({ id }) => id).filter(id => !stored.includes(id))).toEqual([])
  expect(known.head_id).toBe(stored.at(-1))
  // The client found each key whose response was lost.
  expect(stored.length - known.keys.length).toBe(known.unanswered)
}

/** Ends the grace period of all replaced keys. This process has not seen any key, so none is in its auth cache. */
async function expectOneKeyAfterTheGrace(
  service: Service,
  admin: string | undefined,
  known: KnownKeys,
): Promise<void> {
  const owner = await connectOwner(service.data_dir)
  await owner.query(
    "update service_account_keys set expires_at = now() - interval '1 second' where replaced_by is not null",
  )
  await owner.end()
  const listed = JSON.parse((await service.call('GET', KEYS, { key: admin })).text)
  expect(listed.map(({ id }: Key) => id)).toEqual([known.head_id])
  const statuses: number[] = []
  for (const { key } of known.keys) {
    statuses.push((await service.call('GET', '/api/v2/flows/demo-org', { key })).status)
  }
  expect(statuses).toEqual([...Array(known.keys.length - 1).fill(401), 200])
}
