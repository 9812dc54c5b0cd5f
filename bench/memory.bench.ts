// What the service process occupies when nobody asks anything, ten seconds after it became ready. PostgreSQL's own
// processes are not in it: their memory is shared and counted once per process by every tool.
import { execFileSync, spawn } from 'node:child_process'
import { setTimeout as sleep } from 'node:timers/promises'
import { end, startService } from './bench-service.ts'
import { print, title } from './report.ts'

const IDLE_MS = 10_000

const service = await startService()
const bare = spawn(process.execPath, ['-e', 'setInterval(() => {}, 1000)'], { stdio: 'ignore' })
try {
  await sleep(IDLE_MS)
  const service_mb = residentMb(service.pid)
  title('Memory: resident, idle for 10 s')
  print({ name: 'service process', value: service_mb, unit: 'MB', aim: { at_most: 150 } })
  print({ name: 'service process / bare Node process', value: service_mb / residentMb(bare.pid) })
} finally {
  await end(bare)
  await service.stop()
}

function residentMb(pid: number | undefined): number {
  const kilobytes = execFileSync('ps', ['-o', 'rss=', '-p', String(pid)], { encoding: 'utf8' })
  return (Number(kilobytes) * 1024) / 1e6
}
