// The time from `npm start` until the service is ready, in a clone that is installed and built: with an empty data
// directory, and again. Printed as times, because the targets are times, and as ratios to the unavoidable parts of a
// start.
import { spawn, spawnSync } from 'node:child_process'
import { rm } from 'node:fs/promises'
import { startEmbeddedPostgres } from '@waybill/embedded-postgres'
import {
  buildServiceEnvironment,
  findFreePort,
  makeScratch,
  ROOT,
  stopProcess,
  waitUntilReady,
} from './bench-service.ts'
import { computeMedian, print, printRatio, printTitle } from './report.ts'

const ROUNDS = 3

const times = { node: [], postgres_first: [], postgres_again: [], first: [], again: [] } as Record<
  'node' | 'postgres_first' | 'postgres_again' | 'first' | 'again',
  number[]
>
for (let round = 0; round < ROUNDS; round++) {
  times.node.push(timeSeconds(() => spawnSync(process.execPath, ['-e', '0'])))
  await withScratch(async data_dir => {
    times.postgres_first.push(await startPostgres(data_dir))
    times.postgres_again.push(await startPostgres(data_dir))
  })
  await withScratch(async data_dir => {
    times.first.push(await startWithNpm(data_dir))
    times.again.push(await startWithNpm(data_dir))
  })
}
printTitle(`npm start to ready, ${ROUNDS} rounds`)
print({
  name: 'first, empty data directory',
  value: computeMedian(times.first),
  unit: 's',
  spread: times.first,
  aim: { at_most: 5 },
})
print({
  name: 'again',
  value: computeMedian(times.again),
  unit: 's',
  spread: times.again,
  aim: { at_most: 2 },
})
printRatio('first / embedded PostgreSQL alone, first', times.first, times.postgres_first)
printRatio('again / embedded PostgreSQL alone, again', times.again, times.postgres_again)
printRatio('again / `node -e 0`', times.again, times.node)

async function startWithNpm(data_dir: string): Promise<number> {
  const env = buildServiceEnvironment(data_dir, await findFreePort())
  const started_ms = performance.now()
  const npm = spawn('npm', ['start', '--silent'], { cwd: ROOT, env, stdio: ['ignore', 'pipe', 'inherit'] })
  const { ready_ms } = await waitUntilReady(npm)
  await stopProcess(npm)
  return (ready_ms - started_ms) / 1000
}

async function startPostgres(data_dir: string): Promise<number> {
  const started_ms = performance.now()
  const postgres = await startEmbeddedPostgres({
    data_dir,
    name: 'bench',
    password: 'only for this measurement',
  })
  const elapsed_s = (performance.now() - started_ms) / 1000
  await postgres.stop()
  return elapsed_s
}

async function withScratch(work: (data_dir: string) => Promise<void>): Promise<void> {
  const data_dir = await makeScratch()
  try {
    await work(data_dir)
  } finally {
    await rm(data_dir, { recursive: true, force: true, maxRetries: 5 })
  }
}

function timeSeconds(work: () => void): number {
  const started_ms = performance.now()
  work()
  return (performance.now() - started_ms) / 1000
}
