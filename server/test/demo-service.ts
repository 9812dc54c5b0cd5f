// The built program with the demo. The program itself seeds the demo once per run; every test file starts its own
// service on a copy and may change it freely.
import { existsSync, readFileSync, writeFileSync } from 'node:fs'
import { cp } from 'node:fs/promises'
import { join } from 'node:path'
import pg from 'pg'
import { inject } from 'vitest'
import { assert } from '../src/lib/assert.ts'
import { systemClock } from '../src/lib/clock.ts'
import { buildDatabaseUrl, createDatabase, makeScratchFolder, type Service, startService } from './service.ts'

const FILLED_DATABASE = 'waybill_demo'
/** The advisory lock of the worker that seeds the demo; the others wait for it. */
const FILLING = 20_261
const SIGN_IN_LINK = /^Sign in: \S+?(\/auth\/link\S+)$/m

/** No test may query a real name server. */
const ENV = {
  WAYBILL_DNS_SERVER: '127.0.0.1:9',
  WAYBILL_SECRET_KEY: 'the secret key of every service with the demo',
  WAYBILL_LOG_LEVEL: 'error',
}

interface FilledDemo {
  /** The key of the first admin. */
  key: string
  /** The path of the first start's sign-in link; works once per copy. */
  sign_in_path: string
  /** In seconds since 1970; the demo's timeline ends in between. */
  filled_from: number
  filled_until: number
}

export type DemoService = Service & FilledDemo & { owner: pg.Client }

export async function startDemoService(env: Record<string, string> = {}): Promise<DemoService> {
  const filled = await fillOnce()
  const { url, owner } = await createDatabase(FILLED_DATABASE)
  const data_dir = join(makeScratchFolder(), 'data')
  await cp(findFilledDirectory(), data_dir, { recursive: true })
  const service = await startService({ data_dir, env: { ...ENV, DATABASE_URL: url, ...env } })
  return { ...service, ...filled, owner }
}

async function fillOnce(): Promise<FilledDemo> {
  const note = join(inject('shared_dir'), 'demo.json')
  const lock = new pg.Client({ ...inject('cluster') })
  await lock.connect()
  try {
    await lock.query('select pg_advisory_lock($1)', [FILLING])
    if (!existsSync(note)) writeFileSync(note, JSON.stringify(await fill(lock)))
  } finally {
    await lock.end()
  }
  return JSON.parse(readFileSync(note, 'utf8'))
}

async function fill(cluster: pg.Client): Promise<FilledDemo> {
  // An earlier attempt may have failed halfway.
  await cluster.query(`drop database if exists ${FILLED_DATABASE}`)
  await cluster.query(`create database ${FILLED_DATABASE}`)
  const filled_from = readSeconds()
  const service = await startService({
    data_dir: findFilledDirectory(),
    args: ['--demo'],
    // The copies send the notifications.
    env: { ...ENV, DATABASE_URL: buildDatabaseUrl(FILLED_DATABASE), WAYBILL_ROLE: 'serve' },
  })
  service.signal('SIGTERM')
  await service.ended
  const sign_in_path = SIGN_IN_LINK.exec(service.stdout())?.[1]
  assert(service.key !== undefined && sign_in_path !== undefined, 'the first start prints both')
  return { key: service.key, sign_in_path, filled_from, filled_until: readSeconds() }
}

const readSeconds = () => Math.floor(systemClock.now().getTime() / 1000)

const findFilledDirectory = () => join(inject('shared_dir'), 'demo')
