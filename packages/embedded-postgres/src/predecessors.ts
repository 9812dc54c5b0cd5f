// Finds the PostgreSQL processes of a cluster and stops those that a killed run left behind. The caller has locked the
// data directory, so nobody else uses these processes.
import { execFile } from 'node:child_process'
import { readdir, readFile, stat } from 'node:fs/promises'
import { promisify } from 'node:util'
import { getErrorCode, ignoreAbsent } from './file-system.ts'
import { endBySteps } from './server-process.ts'

interface FoundProcess {
  pid: number
  is_postmaster: boolean
}

const run = promisify(execFile)
const FAST_SHUTDOWN_MS = 10_000
// Backends without a postmaster exit by themselves, unless they are busy with a long query.
const NOTICE_MS = 1_000
const FORCED_MS = 5_000

/**
 * Identifies one cluster on the command line and in every process title (`cluster_name`). The working directory would
 * do too, but root without CAP_SYS_PTRACE, as in most containers, cannot read it for processes of other users.
 */
export async function readClusterMarker(cluster_dir: string): Promise<string> {
  const { dev, ino } = await stat(cluster_dir, { bigint: true })
  return `waybill-${dev}-${ino}.db`
}

export async function isServerProcess(pid: number, marker: string): Promise<boolean> {
  return (await findProcesses(marker)).some(found => found.pid === pid && found.is_postmaster)
}

export async function endPredecessors(marker: string, onLog: (line: string) => void): Promise<void> {
  const found = await findProcesses(marker)
  if (found.length === 0) return
  onLog('Stopping PostgreSQL processes that an earlier run left behind')
  const send = (signal: NodeJS.Signals) => sendToAll(marker, signal)
  const isHeadless = async () => !(await findProcesses(marker)).some(process => process.is_postmaster)
  const isOver = async () => (await findProcesses(marker)).length === 0
  // First let the postmaster shut down cleanly. One that was just killed may still be visible briefly.
  await endBySteps({ isOver: isHeadless, send }, [{ signal: 'SIGINT', wait_ms: FAST_SHUTDOWN_MS }])
  const is_over = await endBySteps({ isOver, send }, [
    { signal: 'SIGINT', wait_ms: NOTICE_MS },
    { signal: 'SIGQUIT', wait_ms: FORCED_MS },
    { signal: 'SIGKILL', wait_ms: FORCED_MS },
  ])
  if (!is_over) throw new Error('PostgreSQL processes of an earlier run could not be stopped')
}

async function sendToAll(marker: string, signal: NodeJS.Signals): Promise<void> {
  for (const { pid, is_postmaster } of await findProcesses(marker)) {
    // SIGINT means shutdown only to the postmaster; the checkpointer reacts to it differently.
    if (signal === 'SIGINT' && !is_postmaster) continue
    try {
      process.kill(pid, signal)
    } catch (error) {
      if (getErrorCode(error) !== 'ESRCH') throw error
    }
  }
}

async function findProcesses(marker: string): Promise<FoundProcess[]> {
  return (await readCommandLines())
    .filter(({ command }) => command.includes(marker) && /^(postgres:|.*\/postgres -D )/.test(command))
    .map(({ pid, command }) => ({ pid, is_postmaster: command.includes(`cluster_name=${marker}`) }))
}

/** Of all processes of the machine. */
export const readCommandLines = (): Promise<{ pid: number; command: string }[]> =>
  process.platform === 'linux' ? readCommandLinesFromProc() : readCommandLinesFromPs()

// A zombie has an empty command line, so it rightly counts as gone.
async function readCommandLinesFromProc(): Promise<{ pid: number; command: string }[]> {
  const pids = (await readdir('/proc')).filter(entry => /^\d+$/.test(entry))
  return Promise.all(
    pids.map(async pid => {
      const command = await readFile(`/proc/${pid}/cmdline`, 'utf8').catch(ignoreGone)
      return { pid: Number(pid), command: command.replaceAll('\0', ' ') }
    }),
  )
}

function ignoreGone(error: unknown): string {
  if (getErrorCode(error) === 'ESRCH') return ''
  return ignoreAbsent(error) ?? ''
}

async function readCommandLinesFromPs(): Promise<{ pid: number; command: string }[]> {
  const { stdout } = await run('ps', ['-axww', '-o', 'pid=,command='])
  return stdout.split('\n').map(line => {
    const [pid = '', ...command] = line.trim().split(' ')
    return { pid: Number(pid), command: command.join(' ').trimStart() }
  })
}
