// Supervised worker threads: started with the first task, stopped when idle, killed when a step computes for too long.
// Tasks wait in turns.ts and not in Piscina, which does not know organizations and loses its queue when all threads are
// killed.
import { join } from 'node:path'
import { MessageChannel, type MessagePort } from 'node:worker_threads'
import type { Piscina } from 'piscina'
import type { Clock } from '../lib/clock.ts'
import { overQuota, tooBusyToEvaluate } from '../lib/errors.ts'
import { packageRoot } from '../lib/package-root.ts'
import { type HourlyUse, makeHourlyUse } from './hourly-use.ts'
import { makeMeter } from './processor-time.ts'
import { makeTurns, type Turn, type TurnTaker } from './turns.ts'

const IDLE_MS = 30_000
const RETRY_AFTER_SECONDS = 1
/** Limits of JavaScript's memory; the worker limits the WebAssembly memory. */
const RESOURCE_LIMITS = { maxOldGenerationSizeMb: 128, maxYoungGenerationSizeMb: 16 }

const WORKER = join(packageRoot, 'src', 'jq', 'worker.mjs')

export interface JqLimits {
  /** Processor time of one step: a program, or a schema. */
  step_ms: number
  /** Processor time of all steps of one task together. */
  work_ms: number
  /** Real time for waiting in the queue, and for a new thread to start. */
  wait_ms: number
  /** Real time of one task, which limits a thread that gets no processor time. */
  hang_ms: number
}

export const JQ_LIMITS: JqLimits = { step_ms: 1_000, work_ms: 10_000, wait_ms: 10_000, hang_ms: 60_000 }

export type WorkOutcome<R> =
  | { stopped: false; result: R }
  /** `finished` has the outcomes of the steps before the stopped one. */
  | { stopped: true; reason: string; finished: unknown[] }

export interface JqOrg extends TurnTaker {
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
  /** One pool per thread, to know which thread was killed. */
  const started = new Map<number, Promise<Piscina>>()
  let isClosed = false
  /** Replaces a killed thread before its turn ends, so that nobody else waits for jq to load. */
  const endTurn = async (turn: Turn, kill: Kill): Promise<void> => {
    const threads = await started.get(turn.thread)
    if (kill.reason() !== undefined && !isClosed)
      await threads?.run({}, { name: 'load' }).catch(() => undefined)
    turn.end(kill.computed_ms())
  }
  return {
    run: async <R>(org: JqOrg, work: string, task: object) => {
      refuseOverQuota(hour, org)
      const turn = await turns.take(org)
      const kill = makeKill(limits)
      try {
        // Earlier tasks in the queue may have used up the quota.
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
  // Loaded on first use: the library takes 7 MB, and many installations never define custom types.
  const { Piscina } = await import('piscina')
  const thread = new Piscina({
    filename: WORKER,
    minThreads: 0,
    maxThreads: 1,
    idleTimeout: IDLE_MS,
    resourceLimits: RESOURCE_LIMITS,
    // The thread inherits nothing from us: no environment, no arguments, no loaders of a test runner.
    env: {},
    argv: [],
    execArgv: [],
  })
  // A thread that dies during a task rejects it; one that dies idle is replaced for the next task.
  thread.on('error', () => undefined)
  return thread
}

/** Messages from a working worker. */
interface Progress {
  /** A step begins in this thread. */
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
    if (progress.began) kill.watchStep(makeMeter(progress.began.thread))
    if ('finished' in progress) finished.push(progress.finished)
    if (progress.gave_up !== undefined) kill.stop(progress.gave_up)
  })
  try {
    const options = { name: work, signal: kill.signal, transferList: [port] }
    return { stopped: false, result: await threads.run({ ...task, port }, options) }
  } catch (error) {
    const reason = kill.reason() ?? explainExit(error)
    if (reason === undefined) throw error
    if (reason === TOO_BUSY) throw tooBusyToEvaluate(RETRY_AFTER_SECONDS)
    return { stopped: true, reason, finished }
  } finally {
    closeBoth(own, port)
  }
}

/** The thread got too little processor time to reach a limit, so the program is not at fault. */
const TOO_BUSY = 'too busy'

type Kill = ReturnType<typeof makeKill>

function makeKill({ step_ms, work_ms, wait_ms, hang_ms }: JqLimits) {
  const controller = new AbortController()
  let reason: string | undefined
  let meter: (() => number) | undefined
  let work_began_ms = 0
  const computed_ms = () => (meter ? meter() - work_began_ms : 0)
  const stop = (stopReason: string) => {
    reason ??= stopReason
    // Reads the meter now: once the thread has ended, it only returns the last value.
    computed_ms()
    controller.abort()
  }
  let next = setTimeout(stop, wait_ms, TOO_BUSY)
  let hang: NodeJS.Timeout | undefined
  return {
    signal: controller.signal,
    reason: () => reason,
    stop,
    /** Processor time of all steps so far. */
    computed_ms,
    watchStep: (threadMeter: () => number) => {
      clearTimeout(next)
      hang ??= setTimeout(stop, hang_ms, TOO_BUSY)
      if (!meter) work_began_ms = threadMeter()
      meter ??= threadMeter
      const step_began_ms = computed_ms()
      const step_ends_ms = step_began_ms + step_ms
      // A thread cannot have computed for longer than the real time that has passed.
      const scheduleCheck = (so_far_ms: number) => {
        next = setTimeout(check, Math.min(step_ends_ms, work_ms) - so_far_ms)
      }
      const check = () => {
        const so_far_ms = computed_ms()
        if (so_far_ms >= step_ends_ms) stop(`takes longer than ${step_ms / 1000} s`)
        else if (so_far_ms >= work_ms) stop(`is not reached within ${work_ms / 1000} s`)
        else scheduleCheck(so_far_ms)
      }
      scheduleCheck(step_began_ms)
    },
    cancel: () => {
      clearTimeout(next)
      clearTimeout(hang)
    },
  }
}

function explainExit(error: unknown): string | undefined {
  const { code } = error as { code?: string }
  return code === 'ERR_WORKER_OUT_OF_MEMORY' ? 'needs more memory than allowed' : undefined
}

/** The other port was transferred to the worker, or is still here if no worker received it. */
function closeBoth(own: MessagePort, port: MessagePort): void {
  own.close()
  port.close()
}
