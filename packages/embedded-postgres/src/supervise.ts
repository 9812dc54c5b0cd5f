// Keeps one PostgreSQL running until `stop` is called: restarts it when it dies or someone else tells it to stop, with
// growing pauses.
import { setTimeout as sleep } from 'node:timers/promises'
import { type EndingStep, endBySteps, type ServerProcess } from './server-process.ts'

const FIRST_PAUSE_MS = 100
const MAX_PAUSE_MS = 5_000
// A server that ran this long counts as healthy: its next crash starts with the short pause again.
const HEALTHY_AFTER_NS = 10_000_000_000n
const LOOK_EVERY_MS = 500
const SHUTDOWN: EndingStep[] = [
  { signal: 'SIGINT', wait_ms: 20_000 },
  { signal: 'SIGQUIT', wait_ms: 4_000 },
  { signal: 'SIGKILL', wait_ms: 2_000 },
]

export interface Supervision {
  start: () => Promise<ServerProcess>
  waitUntilReady: (server: ServerProcess, stopping: AbortSignal) => Promise<void>
  /** Whether PostgreSQL was told to stop: it refuses new sessions and may wait forever for the open ones. */
  isShuttingDown: (server: ServerProcess) => Promise<boolean>
  /** Returns an error that says more, if more is known. */
  explain: (error: unknown) => Promise<unknown>
  onLog: (line: string) => void
}

export interface Supervised {
  pid(): number | undefined
  stop(): Promise<void>
}

export function supervise(first: ServerProcess, supervision: Supervision): Supervised {
  const stopping = new AbortController()
  let current: ServerProcess | undefined = first
  const finished = keepRunning(first, supervision, stopping.signal, server => {
    current = server
  })
  return {
    pid: () => (current === undefined || current.hasExited() ? undefined : current.pid),
    stop: () => {
      stopping.abort()
      return finished
    },
  }
}

export async function endServer(server: ServerProcess): Promise<void> {
  const is_over = await endBySteps({ isOver: server.hasExited, send: server.send }, SHUTDOWN)
  if (!is_over) throw new Error(`PostgreSQL (process ${server.pid}) could not be stopped`)
}

// One loop owns the process from start to end, so a stop that arrives in the middle of a restart has nothing
// to race with.
async function keepRunning(
  first: ServerProcess,
  supervision: Supervision,
  stopping: AbortSignal,
  onChange: (server: ServerProcess | undefined) => void,
): Promise<void> {
  const stop_requested = new Promise<void>(resolve =>
    stopping.addEventListener('abort', () => resolve(), { once: true }),
  )
  let server: ServerProcess | undefined = first
  let pause_ms = FIRST_PAUSE_MS
  while (!stopping.aborted) {
    const started_ns = process.hrtime.bigint()
    if (server !== undefined) {
      const ending = await waitForEnd(server, supervision, stopping, stop_requested)
      if (stopping.aborted) break
      if (process.hrtime.bigint() - started_ns > HEALTHY_AFTER_NS) pause_ms = FIRST_PAUSE_MS
      supervision.onLog(`PostgreSQL ${ending}`)
      // The server is already shutting down, and this ends its sessions.
      if (!server.hasExited()) await endServer(server)
    }
    await pause(pause_ms, stopping)
    pause_ms = Math.min(pause_ms * 2, MAX_PAUSE_MS)
    if (stopping.aborted) break
    server = await restart(supervision, stopping)
    onChange(server)
  }
  if (server !== undefined) await endServer(server)
}

/** Resolves to text that continues the program's name. */
async function waitForEnd(
  server: ServerProcess,
  supervision: Supervision,
  stopping: AbortSignal,
  stop_requested: Promise<void>,
): Promise<string> {
  const over = new AbortController()
  void Promise.race([server.exited, stop_requested]).then(() => over.abort())
  for (;;) {
    await pause(LOOK_EVERY_MS, over.signal)
    if (over.signal.aborted) break
    if (await supervision.isShuttingDown(server)) return 'was told to stop by someone else, restarting it'
  }
  return stopping.aborted ? 'is being stopped' : `${await server.exited}, restarting`
}

async function restart(supervision: Supervision, stopping: AbortSignal): Promise<ServerProcess | undefined> {
  let server: ServerProcess | undefined
  try {
    server = await supervision.start()
    await supervision.waitUntilReady(server, stopping)
    supervision.onLog('PostgreSQL is back')
  } catch (error) {
    // Not rethrown: the loop tries again, and the service reports itself as not ready meanwhile.
    if (!stopping.aborted)
      supervision.onLog(`PostgreSQL could not be restarted: ${await describe(error, supervision)}`)
  }
  return server
}

async function describe(error: unknown, { explain }: Supervision): Promise<string> {
  const explained = await explain(error).catch(() => error)
  return explained instanceof Error ? explained.message : String(explained)
}

async function pause(pause_ms: number, stopping: AbortSignal): Promise<void> {
  try {
    await sleep(pause_ms, undefined, { signal: stopping })
  } catch {
    // Aborted by a stop request; the caller checks the signal next.
  }
}
