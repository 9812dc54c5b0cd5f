// Worker threads under supervision: started when the first work comes, ended when idle, killed when a step computes for
// too long. Callers wait for their turn here and not in Piscina, which forgets its queue when both threads are killed.
import { join } from 'node:path'
import { MessageChannel, type MessagePort } from 'node:worker_threads'
import type { Piscina } from 'piscina'
import { starved, tooManyRequests } from '../lib/errors.ts'
import { packageRoot } from '../lib/package-root.ts'
import { meterOf } from './processor-time.ts'

const MOST_WORKERS = 2
const MOST_WAITING = 64
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

export type Ended<R> =
  | { stopped: false; result: R }
  /** `finished` are the outcomes of the steps before the one that was stopped. */
  | { stopped: true; reason: string; finished: unknown[] }

export interface Pool {
  run<R>(work: string, task: object): Promise<Ended<R>>
  close(): Promise<void>
}

export function makePool(limits: JqLimits): Pool {
  const turns = makeTurns(limits.wait_ms)
  let threads: Promise<Piscina> | undefined
  return {
    run: async <R>(work: string, task: object) => {
      const leave = await turns.take()
      try {
        threads ??= startThreads()
        return await supervise<R>(await threads, limits, work, task)
      } finally {
        leave()
      }
    },
    close: async () => {
      await (await threads)?.destroy()
    },
  }
}

async function startThreads(): Promise<Piscina> {
  // The library alone is 7 MB, and many installations never define a type of their own.
  const { Piscina } = await import('piscina')
  const threads = new Piscina({
    filename: WORKER,
    minThreads: 0,
    maxThreads: MOST_WORKERS,
    idleTimeout: IDLE_MS,
    resourceLimits: RESOURCES,
    // Nothing of ours goes along: no environment, no arguments, no loaders of a test runner.
    env: {},
    argv: [],
    execArgv: [],
  })
  // A thread that dies with work rejects that work; one that dies idle is replaced when there is work again.
  threads.on('error', () => undefined)
  return threads
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
  limits: JqLimits,
  work: string,
  task: object,
): Promise<Ended<R>> {
  const { port1: own, port2: port } = new MessageChannel()
  const finished: unknown[] = []
  const kill = makeKill(limits)
  own.on('message', (progress: Progress) => {
    if (progress.began) kill.whenStepTakesLong(meterOf(progress.began.thread))
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
    kill.cancel()
    closeBoth(own, port)
  }
}

/** Before any limit of processor time was reached, so that it is no fault of the program. */
const STARVED = 'starved'

function makeKill({ step_ms, work_ms, wait_ms, hang_ms }: JqLimits) {
  const controller = new AbortController()
  let reason: string | undefined
  const now = (why: string) => {
    reason ??= why
    controller.abort()
  }
  let next = setTimeout(now, wait_ms, STARVED)
  let hang: NodeJS.Timeout | undefined
  let work_began_ms: number | undefined
  return {
    signal: controller.signal,
    reason: () => reason,
    now,
    whenStepTakesLong: (computed_ms: () => number) => {
      clearTimeout(next)
      hang ??= setTimeout(now, hang_ms, STARVED)
      const step_began_ms = computed_ms()
      work_began_ms ??= step_began_ms
      const [step_ends_ms, work_ends_ms] = [step_began_ms + step_ms, work_began_ms + work_ms]
      // Before so much real time has passed, the thread cannot have computed for as long.
      const lookLater = (so_far_ms: number) => {
        next = setTimeout(look, Math.min(step_ends_ms, work_ends_ms) - so_far_ms)
      }
      const look = () => {
        const so_far_ms = computed_ms()
        if (so_far_ms >= step_ends_ms) now(`takes longer than ${step_ms / 1000} s`)
        else if (so_far_ms >= work_ends_ms) now(`is not reached within ${work_ms / 1000} s`)
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

interface Waiting {
  begin: () => void
  timer: NodeJS.Timeout
}

/** As many pieces of work at a time as there are threads; a queue of bounded length and patience. */
function makeTurns(wait_ms: number) {
  const waiting: Waiting[] = []
  let busy = 0
  const leave = () => {
    const next = waiting.shift()
    if (next) next.begin()
    else busy -= 1
  }
  const take = (): Promise<() => void> =>
    new Promise((resolve, reject) => {
      if (busy < MOST_WORKERS) {
        busy += 1
        resolve(leave)
        return
      }
      if (waiting.length >= MOST_WAITING) {
        reject(tooManyRequests(RETRY_AFTER_SECONDS))
        return
      }
      const timer = setTimeout(() => {
        waiting.splice(waiting.indexOf(turn), 1)
        reject(starved(RETRY_AFTER_SECONDS))
      }, wait_ms)
      const begin = () => {
        clearTimeout(timer)
        resolve(leave)
      }
      const turn: Waiting = { begin, timer }
      waiting.push(turn)
    })
  return { take }
}
