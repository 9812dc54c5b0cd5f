// Worker threads under supervision: started when the first work comes, ended when idle, killed when a step computes for
// too long. Callers wait for their turn in turns.ts and not in Piscina, which knows no organizations and forgets its queue
// when all threads are killed.
import { join } from 'node:path'
import { MessageChannel, type MessagePort } from 'node:worker_threads'
import type { Piscina } from 'piscina'
import type { Clock } from '../lib/clock.ts'
import { overQuota, starved } from '../lib/errors.ts'
import { packageRoot } from '../lib/package-root.ts'
import { type HourlyUse, makeHourlyUse } from './hourly-use.ts'
import { makeMeter } from './processor-time.ts'
import { makeTurns, type Turn } from './turns.ts'

const IDLE_MS = 30_000
const RETRY_AFTER_SECONDS = 1
/** JavaScript's own memory; the WebAssembly memory is capped in the worker. */
const RESOURCES = { maxOldGenerationSizeMb: 128, maxYoungGenerationSizeMb: 16 }

const WORKER = join(packageRoot, 'src', 'jq', 'worker.mjs')

export interface JqLimits {
  /** Processor time of one step: a program, or a schema. */
  step_ms: number
  /** Processor time of all steps of one piece of work together. */
  work_ms: number
  /** Real time until a turn comes, and until a thread that was just started takes it. */
  wait_ms: number
  /** Real time of one piece of work: for a thread that gets no processor time. */
  hang_ms: number
}

export const JQ_LIMITS: JqLimits = { step_ms: 1_000, work_ms: 10_000, wait_ms: 10_000, hang_ms: 60_000 }

export type WorkOutcome<R> =
  | { stopped: false; result: R }
  /** `finished` are the outcomes of the steps before the one that was stopped. */
  | { stopped: true; reason: string; finished: unknown[] }

export interface JqOrg {
  org_id: string
  /** Processor time; null for no quota. */
  seconds_per_hour: number | null
}

export interface Pool {
  run<R>(org: JqOrg, work: string, task: object): Promise<WorkOutcome<R>>
  /** Processor time of the last hour. */
  used_ms(org_id: string): number
  close(): Promise<void>
}

export function makePool(limits: JqLimits, clock: Clock): Pool {
  const turns = makeTurns(limits.wait_ms, clock)
  const hour = makeHourlyUse(clock)
  /** A pool for each thread, so that it is known which one was killed. */
  const started = new Map<number, Promise<Piscina>>()
  let isClosed = false
  /** A killed thread is replaced before anybody gets its turn: nobody else waits until jq is loaded again. */
  const endTurn = async (turn: Turn, kill: Kill): Promise<void> => {
    const threads = await started.get(turn.thread)
    if (kill.reason() !== undefined && !isClosed)
      await threads?.run({}, { name: 'load' }).catch(() => undefined)
    turn.end(kill.computed_ms())
  }
  return {
    run: async <R>(org: JqOrg, work: string, task: object) => {
      refuseOverQuota(hour, org)
      const turn = await turns.take(org.org_id)
      const kill = makeKill(limits)
      try {
        // Those before it in the queue may have used up the rest.
        refuseOverQuota(hour, org)
        const threads = started.get(turn.thread) ?? startThread()
        started.set(turn.thread, threads)
        return await supervise<R>(await threads, kill, work, task)
      } finally {
        kill.cancel()
        hour.add(org.org_id, kill.computed_ms())
        void endTurn(turn, kill)
      }
    },
    used_ms: hour.used_ms,
    close: async () => {
      isClosed = true
      turns.close()
      for (const threads of started.values()) await (await threads).destroy()
    },
  }
}

function refuseOverQuota(hour: HourlyUse, { org_id, seconds_per_hour }: JqOrg): void {
  if (seconds_per_hour === null) return
  const wait_seconds = hour.secondsUntilBelow(org_id, seconds_per_hour * 1000)
  if (wait_seconds === 0) return
  throw overQuota(
    `The organization has used its quota of ${seconds_per_hour} s of processor time per hour for rules and schemas; try again later`,
    wait_seconds,
  )
}

async function startThread(): Promise<Piscina> {
  // The library alone is 7 MB, and many installations never define a type of their own.
  const { Piscina } = await import('piscina')
  const thread = new Piscina({
    filename: WORKER,
    minThreads: 0,
    maxThreads: 1,
    idleTimeout: IDLE_MS,
    resourceLimits: RESOURCES,
    // Nothing of ours goes along: no environment, no arguments, no loaders of a test runner.
    env: {},
    argv: [],
    execArgv: [],
  })
  // A thread that dies with work rejects that work; one that dies idle is replaced when there is work again.
  thread.on('error', () => undefined)
  return thread
}

/** What the worker says of itself while it works. */
interface Progress {
  /** A step begins, in this thread. */
  began?: { thread?: string }
  finished?: unknown
  gave_up?: string
}

async function supervise<R>(
  threads: Piscina,
  kill: Kill,
  work: string,
  task: object,
): Promise<WorkOutcome<R>> {
  const { port1: own, port2: port } = new MessageChannel()
  const finished: unknown[] = []
  own.on('message', (progress: Progress) => {
    if (progress.began) kill.whenStepTakesLong(makeMeter(progress.began.thread))
    if ('finished' in progress) finished.push(progress.finished)
    if (progress.gave_up !== undefined) kill.now(progress.gave_up)
  })
  try {
    const options = { name: work, signal: kill.signal, transferList: [port] }
    return { stopped: false, result: await threads.run({ ...task, port }, options) }
  } catch (error) {
    const reason = kill.reason() ?? reasonOfDeath(error)
    if (reason === undefined) throw error
    if (reason === STARVED) throw starved(RETRY_AFTER_SECONDS)
    return { stopped: true, reason, finished }
  } finally {
    closeBoth(own, port)
  }
}

/** Before any limit of processor time was reached, so that it is no fault of the program. */
const STARVED = 'starved'

type Kill = ReturnType<typeof makeKill>

function makeKill({ step_ms, work_ms, wait_ms, hang_ms }: JqLimits) {
  const controller = new AbortController()
  let reason: string | undefined
  let meter: (() => number) | undefined
  let work_began_ms = 0
  const computed_ms = () => (meter ? meter() - work_began_ms : 0)
  const now = (why: string) => {
    reason ??= why
    // Nobody can read the meter of a thread that has ended; it then answers what it read last.
    computed_ms()
    controller.abort()
  }
  let next = setTimeout(now, wait_ms, STARVED)
  let hang: NodeJS.Timeout | undefined
  return {
    signal: controller.signal,
    reason: () => reason,
    now,
    /** Of all steps so far. */
    computed_ms,
    whenStepTakesLong: (ofThread: () => number) => {
      clearTimeout(next)
      hang ??= setTimeout(now, hang_ms, STARVED)
      if (!meter) work_began_ms = ofThread()
      meter ??= ofThread
      const step_began_ms = computed_ms()
      const step_ends_ms = step_began_ms + step_ms
      // Before so much real time has passed, the thread cannot have computed for as long.
      const lookLater = (so_far_ms: number) => {
        next = setTimeout(look, Math.min(step_ends_ms, work_ms) - so_far_ms)
      }
      const look = () => {
        const so_far_ms = computed_ms()
        if (so_far_ms >= step_ends_ms) now(`takes longer than ${step_ms / 1000} s`)
        else if (so_far_ms >= work_ms) now(`is not reached within ${work_ms / 1000} s`)
        else lookLater(so_far_ms)
      }
      lookLater(step_began_ms)
    },
    cancel: () => {
      clearTimeout(next)
      clearTimeout(hang)
    },
  }
}

function reasonOfDeath(error: unknown): string | undefined {
  const { code } = error as { code?: string }
  return code === 'ERR_WORKER_OUT_OF_MEMORY' ? 'needs more memory than it may have' : undefined
}

/** The other end went to the worker, or is still here when no worker took it. */
function closeBoth(own: MessagePort, port: MessagePort): void {
  own.close()
  port.close()
}
