// The memory of the idle service process, ten seconds after it became ready: after an `npm start` that built the
// program first, and after a second start. PostgreSQL's processes do not count, because every tool counts their
// shared memory once per process.
import { execFileSync, spawn } from 'node:child_process'
import { rm } from 'node:fs/promises'
import { join } from 'node:path'
import { setTimeout as sleep } from 'node:timers/promises'
import {
  buildServiceEnvironment,
  findFreePort,
  makeScratch,
  ROOT,
  stopProcess,
  waitUntilReady,
} from './bench-service.ts'
import { print, printTitle } from './report.ts'

const IDLE_MS = 10_000
const STAMPS = ['.waybill-built', '.waybill-web-built'].map(name => join(ROOT, 'server', 'dist', name))

const data_dir = await makeScratch()
const bare = spawn(process.execPath, ['-e', 'setInterval(() => {}, 1000)'], { stdio: 'ignore' })
try {
  for (const stamp of STAMPS) await rm(stamp, { force: true })
  const built_mb = await measureStart()
  const again_mb = await measureStart()
  printTitle('Memory: resident, idle for 10 s')
  print({ name: 'service process', value: again_mb, unit: 'MB', aim: { at_most: 150 } })
  print({ name: 'service process / bare Node process', value: again_mb / readResidentMb(bare.pid) })
  print({ name: 'started with a build / started again', value: built_mb / again_mb, aim: { at_most: 1.2 } })
} finally {
  await stopProcess(bare)
  await rm(data_dir, { recursive: true, force: true, maxRetries: 5 })
}

/** Like `npm start`, but without npm, which replaces itself with this process. */
async function measureStart(): Promise<number> {
  const service = spawn(process.execPath, [join(ROOT, 'scripts', 'run', 'start.mjs')], {
    env: buildServiceEnvironment(data_dir, await findFreePort()),
    stdio: ['ignore', 'pipe', 'inherit'],
  })
  await waitUntilReady(service)
  await sleep(IDLE_MS)
  const resident_mb = readResidentMb(service.pid)
  await stopProcess(service)
  return resident_mb
}

function readResidentMb(pid: number | undefined): number {
  const kilobytes = execFileSync('ps', ['-o', 'rss=', '-p', String(pid)], { encoding: 'utf8' })
  return (Number(kilobytes) * 1024) / 1e6
}
