// The built program with the demo in it. The demo is filled once in a run, by the program itself; every file that asks for
// it has a service of its own on a copy, and may change there what it likes.
import { existsSync, readFileSync, writeFileSync } from 'node:fs'
import { cp } from 'node:fs/promises'
import { join } from 'node:path'
import pg from 'pg'
import { inject } from 'vitest'
import { assert } from '../src/lib/assert.ts'
import { systemClock } from '../src/lib/clock.ts'
import { databaseUrl, newDatabase, type Service, scratch, startService } from './service.ts'

const FILLED_DATABASE = 'waybill_demo'
/** Held by whoever fills it, so that the others wait for that. */
const FILLING = 20_261
const SIGN_IN_LINK = /^Sign in: \S+?(\/auth\/link\S+)$/m

/** Nothing of a test may ask anybody outside for a name. */
const ENV = {
  WAYBILL_DNS_SERVER: '127.0.0.1:9',
  WAYBILL_SECRET_KEY: 'the secret key of every service with the demo',
  WAYBILL_LOG_LEVEL: 'error',
}

interface FilledDemo {
  /** Of the first admin. */
  key: string
  /** The path of the link of the first start: works once for each copy. */
  sign_in_path: string
  /** In seconds since 1970; the story ends in between. */
  filled_from: number
  filled_until: number
}

export type DemoService = Service & FilledDemo & { owner: pg.Client }

export async function startDemoService(env: Record<string, string> = {}): Promise<DemoService> {
  const filled = await fillOnce()
  const { url, owner } = await newDatabase(FILLED_DATABASE)
  const data_dir = join(scratch(), 'data')
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
  // Somebody may have failed half-way.
  await cluster.query(`drop database if exists ${FILLED_DATABASE}`)
  await cluster.query(`create database ${FILLED_DATABASE}`)
  const filled_from = readSeconds()
  const service = await startService({
    data_dir: findFilledDirectory(),
    args: ['--demo'],
    // What is to be told is told by the copies.
    env: { ...ENV, DATABASE_URL: databaseUrl(FILLED_DATABASE), WAYBILL_ROLE: 'serve' },
  })
  service.signal('SIGTERM')
  await service.ended
  const sign_in_path = SIGN_IN_LINK.exec(service.stdout())?.[1]
  assert(service.key !== undefined && sign_in_path !== undefined, 'the first start tells both')
  return { key: service.key, sign_in_path, filled_from, filled_until: readSeconds() }
}

const readSeconds = () => Math.floor(systemClock.now().getTime() / 1000)

const findFilledDirectory = () => join(inject('shared_dir'), 'demo')
