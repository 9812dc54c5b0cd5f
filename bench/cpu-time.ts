// Processor time of the service and its PostgreSQL. On a shared machine it is more meaningful than the clock.
import { readdirSync, readFileSync } from 'node:fs'
import { join } from 'node:path'

/** Linux counts in hundredths of a second. */
const US_PER_TICK = 10_000

export interface CpuTime {
  service_us: number
  database_us: number
}

/** The processes of the service, and the data directory of their PostgreSQL. */
export interface Measured {
  pids: readonly number[]
  data_dir: string
}

function readCpuTime({ pids, data_dir }: Measured): CpuTime {
  const own = pids.reduce((sum, pid) => sum + (readProcess(pid)?.ticks ?? 0), 0)
  const postmaster = readPostmaster(data_dir)
  const children = readdirSync('/proc')
    .filter(name => /^\d+$/.test(name))
    .flatMap(name => readProcess(Number(name)) ?? [])
    .filter(({ parent }) => parent === postmaster)
  const root = readProcess(postmaster)
  // Linux adds the time of ended children to their parent.
  const ticks = children.reduce((sum, child) => sum + child.ticks, (root?.ticks ?? 0) + (root?.ended ?? 0))
  return { service_us: own * US_PER_TICK, database_us: ticks * US_PER_TICK }
}

export async function measureCpu<T>(
  measured: Measured,
  work: () => Promise<T>,
): Promise<{ result: T; cpu: CpuTime }> {
  const before = readCpuTime(measured)
  const result = await work()
  const after = readCpuTime(measured)
  return {
    result,
    cpu: {
      service_us: after.service_us - before.service_us,
      database_us: after.database_us - before.database_us,
    },
  }
}

function readPostmaster(data_dir: string): number {
  return Number(readFileSync(join(data_dir, 'postgres', 'postmaster.pid'), 'utf8').split('\n', 1)[0])
}

/** Undefined for a process that has ended meanwhile. */
function readProcess(pid: number): { parent: number; ticks: number; ended: number } | undefined {
  try {
    const text = readFileSync(`/proc/${pid}/stat`, 'utf8')
    // The name of the program, in parentheses, may contain spaces.
    const fields = text
      .slice(text.lastIndexOf(')') + 2)
      .split(' ')
      .map(Number)
    const [, parent = 0] = fields
    const [user = 0, system = 0, ended_user = 0, ended_system = 0] = fields.slice(11, 15)
    return { parent, ticks: user + system, ended: ended_user + ended_system }
  } catch {
    return undefined
  }
}
