// Two processes of one service on machines with wrong clocks: one is an hour behind, the other an hour ahead. What
// they store and accept follows the database's clock.

import { join } from 'node:path'
import { pathToFileURL } from 'node:url'
import type pg from 'pg'
import { beforeAll, describe, expect, it } from 'vitest'
import { root } from '../../scripts/run/prepare.mjs'
import { buildPodReport } from './environments.ts'
import { createDatabase, makeScratchFolder, runProgram, type Service, startService } from './service.ts'

const HOUR_MS = 3_600_000
const SHIFTED = pathToFileURL(join(root, 'packages', 'testing', 'src', 'shifted-clock.mjs')).href
const FLOWS = '/api/v2/flows/demo-org'

let owner: pg.Client
let late: Service
let early: Service
let both: Service[]
let key: string
let settings: Record<string, string>

beforeAll(async () => {
  const database = await createDatabase()
  owner = database.owner
  settings = {
    DATABASE_URL: database.url,
    WAYBILL_EVIDENCE_URL: `file://${makeScratchFolder()}`,
    WAYBILL_SECRET_KEY: 'a secret key of the tests, long enough',
    WAYBILL_LOG_LEVEL: 'warn',
    WAYBILL_DNS_SERVER: '127.0.0.1:9',
  }
  late = await startShifted(-HOUR_MS)
  early = await startShifted(HOUR_MS)
  both = [late, early]
  key = late.key ?? ''
})

const shift = (ms: number) => ({ NODE_OPTIONS: `--import=${SHIFTED}`, CLOCK_SHIFT_MS: String(ms) })
const startShifted = (ms: number) =>
  startService({ data_dir: makeScratchFolder(), env: { ...settings, ...shift(ms) } })

async function put(at: Service, path: string, body: unknown): Promise<void> {
  const { status, text } = await at.call('PUT', `/api/v2${path}`, { key, body })
  expect(status, text).toBeLessThan(300)
}

/** A new key of the first user, whose expiry follows the database's clock. */
async function makeKey(expires_in: string): Promise<string> {
  const made = await late.call('POST', '/api/v2/user/api-keys', { key, body: { description: expires_in } })
  const parsed = JSON.parse(made.text)
  await owner.query(
    `update personal_keys set expires_at = clock_timestamp() + $1::interval where description = $1`,
    [expires_in],
  )
  return parsed.key
}

const readStatuses = (path: string, with_key: string) =>
  Promise.all(both.map(async at => (await at.call('GET', path, { key: with_key })).status))

/** The difference to the database's clock, in whole hours. */
const countHours = async (select: string) =>
  (
    await owner.query(`select round(extract(epoch from at - clock_timestamp()) / 3600)::int as hours
    from (${select}) stored(at)`)
  ).rows.map(({ hours }) => hours)

describe('processes with wrong clocks', () => {
  it('accept a key that is valid by the clock of the database', async () => {
    expect(await readStatuses(FLOWS, await makeKey('30 minutes'))).toEqual([200, 200])
  })

  it('refuse a key that has expired by the clock of the database', async () => {
    expect(await readStatuses(FLOWS, await makeKey('-30 minutes'))).toEqual([401, 401])
  })

  it('store the times of the database, even at the first start', async () => {
    for (const [i, at] of both.entries())
      await put(at, '/flows/demo-org', { name: `flow-${i}`, description: '' })
    expect(await countHours('select created_at from users')).toEqual([0])
    expect(await countHours('select created_at from flows')).toEqual([0, 0])
    const hours = await countHours('select happened_at from events')
    expect(new Set(hours)).toEqual(new Set([0]))
  })

  it('find the snapshot that the other one has just taken', async () => {
    await put(late, '/environments/demo-org', { name: 'prod', type: 'K8S', description: '' })
    for (const [i, at] of [late, early, late].entries()) {
      await put(at, '/environments/demo-org/prod/report/K8S', buildPodReport(String(1000 + i)))
      for (const reader of both) {
        const { text } = await reader.call('GET', '/api/v2/snapshots/demo-org/prod/@%7Bnow%7D', { key })
        expect(JSON.parse(text).index).toBe(i + 1)
      }
    }
    expect(await countHours('select created_at from snapshots')).toEqual([0, 0, 0])
  })

  it('let the admin program store the times of the database', async () => {
    const args = ['admin', 'user', 'create', 'mira', '--email', 'mira@example.com']
    const { code, stderr } = await runProgram(args, {
      data_dir: makeScratchFolder(),
      env: { ...settings, ...shift(HOUR_MS) },
    })
    expect([code, stderr]).toEqual([0, ''])
    expect(await countHours(`select created_at from users where name = 'mira'`)).toEqual([0])
    expect(
      await countHours(`select created_at from personal_keys where description like '%with the user'`),
    ).toEqual([0])
  })

  it('show their time to operators, and adopt the clock of the database when it is ahead', async () => {
    const options = { data_dir: makeScratchFolder(), env: { ...settings, ...shift(HOUR_MS) } }
    const show = async () =>
      JSON.parse((await runProgram(['admin', 'clock', 'show', '--json'], options)).stdout)
    expect(Math.round((await show()).ahead_s / 60)).toBe(0)
    // As if the database's clock had been two hours ahead until now.
    await owner.query(
      `update clock_mark set database_at = database_at + interval '2 h', time_at = time_at + interval '2 h'`,
    )
    expect(Math.round((await show()).ahead_s / 60)).toBe(120)
    const { code, stdout } = await runProgram(['admin', 'clock', 'reset'], options)
    expect([code, stdout.slice(0, 33)]).toEqual([0, 'the time is that of the database,'])
    expect((await owner.query('select resets from clock_mark')).rows).toEqual([{ resets: 1 }])
  })
})
