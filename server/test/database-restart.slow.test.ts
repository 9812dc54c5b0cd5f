// The database fails under a running service. The service stays alive, answers 503 instead of guessing, never
// acknowledges a write that is not stored, and recovers by itself once the database is back.
import { readdirSync, readFileSync } from 'node:fs'
import { setTimeout as sleep } from 'node:timers/promises'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { until as waitFor } from './patience.ts'
import {
  type Answer,
  connectOwner,
  killPostmaster,
  makeDataDirectory,
  readPostmasterPid,
  type Service,
  startService,
} from './service.ts'

const WRITERS = 8
const TERMINATIONS = 10

interface Load {
  acknowledged: string[]
  /** Responses other than 201, as `status retry-after`. */
  others: string[]
  stop(): Promise<void>
}

let service: Service
let ended: Promise<never>
beforeAll(async () => {
  const env = { WAYBILL_LOG_LEVEL: 'error' }
  service = await startService({ data_dir: makeDataDirectory(), env })
  ended = service.ended.then(() => {
    throw new Error(`the service ended: ${service.stderr().slice(-2000)}`)
  })
  // until() reports it; after the last test it is expected.
  ended.catch(() => undefined)
  expect((await putFlow('load')).status).toBe(201)
})

/** The service was never restarted: one process from the first test to the last. */
afterAll(async () => {
  service.signal('SIGTERM')
  expect(await service.ended).toEqual({ code: 0, signal: null })
})

describe('the database goes away', () => {
  it('all sessions terminated ten times: 2xx or 503, nothing acknowledged is lost', async () => {
    const load = startLoad('terminated')
    const owner = await connectOwner(service.data_dir)
    let terminated = 0
    for (let i = 0; i < TERMINATIONS; i++) {
      await until(makeRecoveryCheck(load))
      const done = await owner.query(
        "select pg_terminate_backend(pid) from pg_stat_activity where application_name = 'waybill'",
      )
      terminated += done.rowCount ?? 0
      await sleep(30 + Math.random() * 100)
    }
    await until(makeRecoveryCheck(load))
    await load.stop()
    const open = "select 1 from pg_stat_activity where application_name = 'waybill' and state like 'idle in%'"
    await until(async () => (await owner.query(open)).rowCount === 0)
    await owner.end()
    expect(terminated).toBeGreaterThan(TERMINATIONS)
    await expectNothingLost(load)
    expect((await service.call('GET', '/ready')).status).toBe(200)
  })

  it.each(['SIGKILL', 'SIGQUIT', 'SIGINT', 'SIGTERM'] as const)(
    'PostgreSQL ended by %s: unready, then ready again',
    async signal => {
      const load = startLoad(signal)
      const probes = startProbes()
      await until(makeRecoveryCheck(load))
      const before = readPostmasterPid(service.data_dir)
      await endPostgresUntilNoticed(signal, load, () => probes.ready.includes(503))
      await until(() => probes.ready.at(-1) === 200)
      expect(readPostmasterPid(service.data_dir)).not.toBe(before)
      await until(makeRecoveryCheck(load))
      await load.stop()
      await probes.stop()
      await expectNothingLost(load)
      expect(load.others.length).toBeGreaterThan(0)
      expect(new Set(probes.ready)).toEqual(new Set([200, 503]))
      expect(new Set(probes.healthz)).toEqual(new Set([200]))
    },
  )

  it('PostgreSQL hangs: requests end with 503, the process stays alive, and all is well afterwards', async () => {
    const frozen = freezePostgres()
    try {
      const answers = await Promise.all([
        beginTrail('frozen'),
        putFlow('frozen'),
        service.call('GET', '/healthz'),
      ])
      expect(answers.map(({ status }) => status)).toEqual([503, 503, 200])
      // The result of a probe just before may still be reused.
      await until(async () => (await service.call('GET', '/ready')).status === 503)
    } finally {
      for (const pid of frozen) sendSignal(pid, 'SIGCONT')
    }
    await until(async () => (await service.call('GET', '/ready')).status === 200)
    expect((await beginTrail('thawed')).status).toBe(201)
    expect((await putFlow('thawed')).status).toBe(201)
  })
})

/** Fails immediately if the service ends. */
function until(condition: Parameters<typeof waitFor>[0]): Promise<void> {
  return Promise.race([waitFor(condition), ended])
}

/** Ends it again if nobody noticed: a probe reuses its result for a second, and PostgreSQL may be back sooner. */
async function endPostgresUntilNoticed(
  signal: NodeJS.Signals,
  load: Load,
  isNoticed: () => boolean,
): Promise<void> {
  while (!isNoticed()) {
    const pid = readPostmasterPid(service.data_dir)
    killPostmaster(service.data_dir, signal)
    const isAnother = () => ![undefined, pid].includes(readPostmasterPid(service.data_dir))
    await until(() => isNoticed() || isAnother())
    const isBack = makeRecoveryCheck(load)
    await until(() => isNoticed() || isBack())
  }
}

/** Starts writers that never give up. A request without a response fails the test. */
function startLoad(prefix: string): Load {
  const load: Load = { acknowledged: [], others: [], stop: () => Promise.resolve() }
  let stopping = false
  const writers = Array.from({ length: WRITERS }, async (_, writer) => {
    for (let i = 0; !stopping; i++) {
      const name = `${prefix}-${writer}-${i}`
      const { status, headers } = await (writer % 2 === 0 ? beginTrail(name) : putFlow(name))
      if (status === 201) load.acknowledged.push(name)
      else load.others.push(`${status} ${headers['retry-after']}`)
      await sleep(status === 201 ? 2 : 20)
    }
  })
  const finished = Promise.all(writers)
  // Reported by stop(); until then a failed writer must not count as unhandled.
  finished.catch(() => undefined)
  load.stop = async () => {
    stopping = true
    await finished
  }
  return load
}

function startProbes() {
  const probes = { ready: [] as number[], healthz: [] as number[], stop: () => Promise.resolve() }
  let stopping = false
  const finished = (async () => {
    while (!stopping) {
      probes.ready.push((await service.call('GET', '/ready')).status)
      probes.healthz.push((await service.call('GET', '/healthz')).status)
      await sleep(10)
    }
  })()
  finished.catch(() => undefined)
  probes.stop = () => {
    stopping = true
    return finished
  }
  return probes
}

/** True once every writer could have had another write acknowledged. */
function makeRecoveryCheck(load: Load): () => boolean {
  const had = load.acknowledged.length
  return () => load.acknowledged.length >= had + WRITERS
}

async function expectNothingLost(load: Load): Promise<void> {
  expect([...new Set(load.others)].filter(other => other !== '503 1')).toEqual([])
  const owner = await connectOwner(service.data_dir)
  const stored = new Set(
    (await owner.query('select name from trails union all select name from flows')).rows.map(row => row.name),
  )
  await owner.end()
  expect(load.acknowledged.filter(name => !stored.has(name))).toEqual([])
}

/** One statement, one wait. */
function beginTrail(name: string): Promise<Answer> {
  return service.call('PUT', '/api/v2/trails/demo-org/load', { key: service.key, body: { name } })
}

/** A transaction of several statements. */
function putFlow(name: string): Promise<Answer> {
  const body = { name, description: '' }
  return service.call('PUT', '/api/v2/flows/demo-org', { key: service.key, body })
}

/** Stops every process of the service's PostgreSQL: the parent first, so that it starts no new one meanwhile. */
function freezePostgres(): number[] {
  const postmaster = readPostmasterPid(service.data_dir)
  if (postmaster === undefined) throw new Error('PostgreSQL does not run')
  process.kill(postmaster, 'SIGSTOP')
  return [postmaster, ...listChildren(postmaster).filter(pid => sendSignal(pid, 'SIGSTOP'))]
}

function listChildren(parent: number): number[] {
  const processes = readdirSync('/proc').filter(entry => /^\d+$/.test(entry))
  return processes.map(Number).filter(pid => {
    try {
      // The parent is the second word after the name, which is in brackets and may contain anything.
      const words = readFileSync(`/proc/${pid}/stat`, 'utf8').split(') ').at(-1)?.split(' ')
      return Number(words?.[1]) === parent
    } catch {
      // The process has ended meanwhile.
      return false
    }
  })
}

/** A child that was about to end, such as an autovacuum worker, may be gone already. */
function sendSignal(pid: number, signal: NodeJS.Signals): boolean {
  try {
    return process.kill(pid, signal)
  } catch (error) {
    if (error instanceof Error && 'code' in error && error.code === 'ESRCH') return false
    throw error
  }
}
