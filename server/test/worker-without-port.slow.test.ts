// A process that only works: it needs no port, and survives when the database closes all of its connections.
import { expect, it } from 'vitest'
import { until } from './patience.ts'
import {
  addCleanUp,
  collectOutput,
  createDatabase,
  makeDataDirectory,
  spawnProgram,
  startService,
  waitForEnd,
} from './service.ts'

const SESSIONS = `from pg_stat_activity where datname = current_database() and pid <> pg_backend_pid()`

it('a worker reconnects after the database has ended all of its sessions', async () => {
  const { url, owner } = await createDatabase()
  const env = { DATABASE_URL: url, WAYBILL_ROLE: 'work' }
  const worker = await startService({ data_dir: makeDataDirectory(), env })
  let ending: unknown
  worker.ended.then(value => {
    ending = value
  })
  const seen = await readLastHeartbeat()
  const ended = await owner.query(`select pg_terminate_backend(pid) ${SESSIONS}`)
  expect(ended.rowCount).toBeGreaterThan(0)
  await until(async () => {
    expect(ending, worker.stderr()).toBeUndefined()
    return (await readLastHeartbeat()) > seen
  })
  worker.signal('SIGTERM')
  expect(await worker.ended).toEqual({ code: 0, signal: null })

  async function readLastHeartbeat(): Promise<number> {
    const { rows } = await owner.query('select extract(epoch from max(seen_at))::float8 as seen from workers')
    return rows[0].seen ?? 0
  }
})

it('"waybill work" is a process that only works, whatever the setting says', async () => {
  const { url } = await createDatabase()
  const worker = spawnProgram(['work'], { DATABASE_URL: url, WAYBILL_ROLE: 'serve' }, makeDataDirectory())
  addCleanUp(() => void worker.kill('SIGKILL'))
  const ended = waitForEnd(worker)
  const output = collectOutput(worker)
  await until(() => output.stdout().includes('\n'))
  expect(output.stdout()).toMatch(/^Waybill is ready: working the outbox\n/)
  worker.kill('SIGTERM')
  expect(await ended).toEqual({ code: 0, signal: null })
})
