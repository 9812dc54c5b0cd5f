// Keys are rotated again and again while the service, or the service and its PostgreSQL, is killed: whoever holds the keys
// that were acknowledged is never locked out, and no rotation is left half done.
import { setTimeout as sleep } from 'node:timers/promises'
import { describe, expect, it } from 'vitest'
import { until } from './patience.ts'
import { repetitions } from './repetitions.ts'
import {
  connectOwner,
  freePort,
  killPostmaster,
  newDataDirectory,
  runProgram,
  type Service,
  startService,
} from './service.ts'

const KILLS = repetitions(5, 10)
const MOST_ROTATIONS = 5
const LONGEST_MOMENT_MS = 60
const QUIET = { WAYBILL_LOG_LEVEL: 'error' }
const ACCOUNTS = '/api/v2/service-accounts/demo-org'
const KEYS = `${ACCOUNTS}/robot/api-keys`

interface Key {
  id: string
  key: string
}

/** What a client knows: every key whose secret it was told, oldest first, and the one to rotate next. */
interface Held {
  keys: Key[]
  head_id: string
  /** How often the one to rotate had been rotated without an answer. */
  unanswered: number
  /** Answers of the two latest keys that let the client in. */
  let_in: number
  /** Everything that must not be answered. */
  strange: string[]
}

describe('kill -9 while keys are rotated', () => {
  it('locks nobody out and leaves nothing half done, however often it is killed', async () => {
    const data_dir = newDataDirectory()
    const port = await freePort()
    let admin: string | undefined
    let held: Held | undefined
    for (let kill = 0; kill < KILLS; kill++) {
      const service = await startService({ data_dir, port, env: QUIET })
      admin ??= service.key
      held ??= await firstKey(service, admin)
      await rotateUntilKilled(service, admin, held, { withDatabase: kill % 2 === 0 })
    }
    const service = await startService({ data_dir, port, env: QUIET })
    if (!held) throw new Error('there was no first key')
    expect(held.strange).toEqual([])
    expect(held.keys.length).toBeGreaterThan(KILLS)
    expect(held.unanswered).toBeLessThanOrEqual(KILLS)
    await rotate(service, admin, held)
    await rotate(service, admin, held)
    expect(held.strange).toEqual([])
    await expectOneChain(service, held)
    await expectOneKeyAfterTheGrace(service, admin, held)
    const check = await runProgram(['admin', 'check', '--json'], { data_dir })
    expect(JSON.parse(check.stdout).ok).toBe(true)
    service.signal('SIGTERM')
    expect(await service.ended).toEqual({ code: 0, signal: null })
  })
})

async function firstKey(service: Service, admin: string | undefined): Promise<Held> {
  const account = { name: 'robot', privilege: 'reader' }
  expect((await service.call('POST', ACCOUNTS, { key: admin, body: account })).status).toBe(201)
  const made = await service.call('POST', KEYS, { key: admin, body: { description: 'rotated' } })
  expect(made.status).toBe(201)
  const { id, key } = JSON.parse(made.text)
  return { keys: [{ id, key }], head_id: id, unanswered: 0, let_in: 0, strange: [] }
}

/** One life of the service: somebody rotates, somebody uses what is held, and in the middle of it all is over. */
async function rotateUntilKilled(
  service: Service,
  admin: string | undefined,
  held: Held,
  { withDatabase }: { withDatabase: boolean },
): Promise<void> {
  const wanted = held.keys.length + 1 + Math.floor(Math.random() * MOST_ROTATIONS)
  const let_in_before = held.let_in
  const work = [untilGone(() => rotate(service, admin, held)), untilGone(() => use(service, held))]
  await until(() => held.keys.length >= wanted && held.let_in > let_in_before)
  await sleep(Math.random() * LONGEST_MOMENT_MS)
  service.signal('SIGKILL')
  if (withDatabase) killPostmaster(service.data_dir, 'SIGKILL')
  expect(await service.ended).toEqual({ code: null, signal: 'SIGKILL' })
  await Promise.all(work)
}

async function untilGone(work: () => Promise<void>): Promise<void> {
  try {
    for (;;) await work()
  } catch {
    // Killed: whether the last rotation was done is what the next life finds out.
  }
}

async function rotate(service: Service, admin: string | undefined, held: Held): Promise<void> {
  const path = `${KEYS}/${held.head_id}/rotate`
  const { status, text } = await service.call('POST', path, { key: admin, body: { grace_period_hours: 1 } })
  if (status === 201) {
    const { id, key } = JSON.parse(text)
    held.keys.push({ id, key })
    held.head_id = id
  } else if (status === 404) {
    await findHead(service, admin, held)
  } else if (status !== 503) held.strange.push(`a rotation answered ${status}: ${text}`)
}

/** It was rotated and nobody heard of it: the latest in the list took its place, and can be rotated in turn. */
async function findHead(service: Service, admin: string | undefined, held: Held): Promise<void> {
  const { status, text } = await service.call('GET', KEYS, { key: admin })
  if (status === 503) return
  const latest_id = JSON.parse(text).at(-1).id
  if (latest_id === held.head_id) held.strange.push(`${latest_id} is the latest and cannot be rotated`)
  held.head_id = latest_id
  held.unanswered += 1
  await rotate(service, admin, held)
}

/** The last key that was acknowledged works, and so does the one before it: its grace period is an hour. */
async function use(service: Service, held: Held): Promise<void> {
  for (const { id, key } of held.keys.slice(-2)) {
    const { status } = await service.call('GET', '/api/v2/flows/demo-org', { key })
    if (status === 200) held.let_in += 1
    else if (status !== 503) held.strange.push(`the key ${id} answered ${status}`)
  }
}

/** From the first key to the last, each replaced by the next: no end is loose, and every link has its event. */
async function expectOneChain(service: Service, held: Held): Promise<void> {
  const owner = await connectOwner(service.data_dir)
  const keys = await owner.query(`
    select left(key_id::text, 32) as id, left(replaced_by::text, 32) as next_id
    from service_account_keys order by key_id`)
  const rotations = await owner.query(`
    select data ->> 'replaced_key_id' as id, data ->> 'key_id' as next_id from events
    where kind = 'api_key_rotated' order by event_id`)
  await owner.end()
  const stored = keys.rows.map(({ id }) => id)
  // Every key is replaced by the one made after it, and only the last by none.
  expect(keys.rows.map(({ next_id }) => next_id)).toEqual([...stored.slice(1), null])
  expect(rotations.rows).toEqual(stored.slice(1).map((next_id, i) => ({ id: stored[i], next_id })))
  expect(held.keys.map(({ id }) => id).filter(id => !stored.includes(id))).toEqual([])
  expect(held.head_id).toBe(stored.at(-1))
  // A key that nobody was told of is the work of a kill, and the client met each of them.
  expect(stored.length - held.keys.length).toBe(held.unanswered)
}

/** The hour is over for all that were replaced. No key was shown to this process, so that nothing is remembered. */
async function expectOneKeyAfterTheGrace(
  service: Service,
  admin: string | undefined,
  held: Held,
): Promise<void> {
  const owner = await connectOwner(service.data_dir)
  await owner.query(
    "update service_account_keys set expires_at = now() - interval '1 second' where replaced_by is not null",
  )
  await owner.end()
  const listed = JSON.parse((await service.call('GET', KEYS, { key: admin })).text)
  expect(listed.map(({ id }: Key) => id)).toEqual([held.head_id])
  const statuses: number[] = []
  for (const { key } of held.keys) {
    statuses.push((await service.call('GET', '/api/v2/flows/demo-org', { key })).status)
  }
  expect(statuses).toEqual([...Array(held.keys.length - 1).fill(401), 200])
}
