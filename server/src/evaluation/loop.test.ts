// When the loop processes pending evaluations, and how it handles an environment that cannot be evaluated.
import { afterAll, afterEach, beforeAll, describe, expect, it } from 'vitest'
import {
  attach,
  buildPolicyRequiring,
  makeEnvironment,
  putPolicy,
  readLatestIndex,
  report,
} from '../../test/environments.ts'
import { startTestApp, type TestApp } from '../../test/harness.ts'
import { until } from '../../test/patience.ts'
import { makeBuild, makeFingerprint, makeFlow, nameTrail } from '../../test/reports.ts'
import { makeIds } from '../lib/ids.ts'
import type { Log } from '../lib/log.ts'
import { makeWorkCounters } from '../lib/work-counters.ts'
import { makeCompiledPolicies } from './compiled-policies.ts'
import { makeRound, startEvaluationLoop } from './loop.ts'

let app: TestApp
const warned: { times?: number; message: string }[] = []
const log = {
  warn: ({ times }: { times?: number }, message: string) =>
    warned.push({ message, ...(times === undefined ? {} : { times }) }),
} as unknown as Log

beforeAll(async () => {
  app = await startTestApp()
  await makeFlow(app, 'ci')
  await makeEnvironment(app, 'prod')
  await putPolicy(app, 'strict', buildPolicyRequiring('unit'))
  await attach(app, 'prod', 'strict')
  await app.member.post('/artifacts/acme/ci', makeBuild(makeFingerprint('a'), nameTrail('run')))
  await report(app, 'prod', 'a')
  await app.evaluate()
})
afterAll(() => app.stop())
afterEach(() => {
  warned.length = 0
})

/** Time passes only when it is advanced, including the waits of the loop. */
const makeParts = () => ({
  db: app.db,
  ids: makeIds(app.clock),
  compiled_policies: makeCompiledPolicies(),
  clock: { now: app.clock.now, monotonic_ms: () => app.clock.now().getTime() },
  log,
  work: makeWorkCounters(),
})

/** Requests an evaluation: each of these changes the verdict. */
const attest = (is_compliant: boolean) =>
  app.member.post('/attestations/acme/ci/trail/run/generic', {
    attestation_name: 'unit',
    is_compliant,
    artifact_fingerprint: makeFingerprint('a'),
  })

const isPending = async () => (await app.reader.get('/environments/acme/prod/compliance')).body.is_pending

describe('a round', () => {
  it('processes evaluations requested 200 ms ago, and leaves newer ones', async () => {
    const round = makeRound(makeParts())
    const before = await readLatestIndex(app, 'prod')
    await attest(true)
    app.clock.advance(199)
    await round()
    expect([await readLatestIndex(app, 'prod'), await isPending()]).toEqual([before, true])
    app.clock.advance(1)
    await round()
    expect([await readLatestIndex(app, 'prod'), await isPending()]).toEqual([before + 1, false])
  })

  it('retries after 1 s, then after twice as long, and logs it', async () => {
    const round = makeRound(makeParts())
    await app.sql(`create function refuse() returns trigger language plpgsql as
      $$ begin raise exception 'no room' using errcode = '53100'; end $$`)
    await app.sql('create trigger refuse before insert on snapshots for each row execute function refuse()')
    await attest(false)
    app.clock.advance(200)
    for (const [wait_ms, tries] of [
      [0, 1],
      [999, 1],
      [1, 2],
      [1_999, 2],
      [1, 3],
      [4_000, 4],
      [8_000, 5],
      [16_000, 6],
      [32_000, 7],
      [60_000, 8],
      [59_999, 8],
      [1, 9],
    ] as const) {
      app.clock.advance(wait_ms)
      await round()
      expect(warned.length, `after ${wait_ms} ms more`).toBe(tries)
    }
    expect(warned[0]).toEqual({ message: 'an environment could not be evaluated', times: 1 })
    await app.sql('drop trigger refuse on snapshots')
    app.clock.advance(60_000)
    await round()
    expect(await isPending()).toBe(false)
  })
})

describe('the evaluation loop', () => {
  it('is unhealthy after 30 s without a round, and healthy when it continues', async () => {
    const loop = startEvaluationLoop(makeParts())
    expect(loop.isHealthy()).toBe(true)
    await app.owner.query('begin')
    await app.owner.query('lock table pending_judgements in access exclusive mode')
    const waits = `select 1 from pg_stat_activity where wait_event_type = 'Lock' and datname = current_database()`
    await until(async () => (await app.sql(waits)).length > 0)
    app.clock.advance(30_000)
    expect(loop.isHealthy()).toBe(false)
    await app.owner.query('rollback')
    await until(() => loop.isHealthy())
    await loop.stop()
  })
})
