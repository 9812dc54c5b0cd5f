// Worker threads under supervision: started when the first work comes, ended when idle, killed when a step takes too
// long. Callers wait for their turn here and not in Piscina, which forgets its queue when both threads are killed.
import { join } from 'node:path'
import { MessageChannel, type MessagePort } from 'node:worker_threads'
import type { Piscina } from 'piscina'
import { tooManyRequests } from '../lib/errors.ts'
import { packageRoot } from '../lib/package-root.ts'

const MOST_WORKERS = 2
const MOST_WAITING = 64
const IDLE_MS = 30_000
const STEP_MS = 1_000
/** All steps of one piece of work together. */
const WORK_MS = 10_000
/** Until a turn comes, and until a thread that was just started takes it. */
const WAIT_MS = 10_000
const RETRY_AFTER_SECONDS = 1
/** JavaScript's own memory; the WebAssembly memory is capped in the worker. */
const RESOURCES = { maxOldGenerationSizeMb: 128, maxYoungGenerationSizeMb: 16 }

const WORKER = join(packageRoot, 'src', 'jq', 'worker.mjs')

export type Ended<R> =
  | { stopped: false; result: R }
  /** `finished` are the outcomes of the steps before the one that was stopped. */
  | { stopped: true; reason: string; finished: unknown[] }

export interface Pool {
  run<R>(work: string, task: object): Promise<Ended<R>>
  close(): Promise<void>
}

export function makePool(): Pool {
  const turns = makeTurns()
  let threads: Promise<Piscina> | undefined
  return {
    run: async <R>(work: string, task: object) => {
      const leave = await turns.take()
      try {
        threads ??= startThreads()
        return await supervise<R>(await threads, work, task)
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
  began?: true
  finished?: unknown
  gave_up?: string
}

async function supervise<R>(threads: Piscina, work: string, task: object): Promise<Ended<R>> {
  const { port1: own, port2: port } = new MessageChannel()
  const finished: unknown[] = []
  const kill = makeKill()
  own.on('message', (progress: Progress) => {
    if (progress.began) kill.afterStep()
    if ('finished' in progress) finished.push(progress.finished)
    if (progress.gave_up !== undefined) kill.now(progress.gave_up)
  })
  try {
    const options = { name: work, signal: kill.signal, transferList: [port] }
    return { stopped: false, result: await threads.run({ ...task, port }, options) }
  } catch (error) {
    const reason = kill.reason() ?? reasonOfDeath(error)
    if (reason === undefined) throw error
    if (reason === NEVER_BEGAN) throw tooManyRequests(RETRY_AFTER_SECONDS)
    return { stopped: true, reason, finished }
  } finally {
    kill.cancel()
    closeBoth(own, port)
  }
}

const NEVER_BEGAN = 'never began'

function makeKill() {
  const controller = new AbortController()
  let reason: string | undefined
  const now = (why: string) => {
    reason ??= why
    controller.abort()
  }
  let step = setTimeout(now, WAIT_MS, NEVER_BEGAN)
  let work: NodeJS.Timeout | undefined
  return {
    signal: controller.signal,
    reason: () => reason,
    now,
    afterStep: () => {
      clearTimeout(step)
      step = setTimeout(now, STEP_MS, `takes longer than ${STEP_MS / 1000} s`)
      work ??= setTimeout(now, WORK_MS, `is not reached within ${WORK_MS / 1000} s`)
    },
    cancel: () => {
      clearTimeout(step)
      clearTimeout(work)
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
function makeTurns() {
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
      const refuse = () => reject(tooManyRequests(RETRY_AFTER_SECONDS))
      if (waiting.length >= MOST_WAITING) {
        refuse()
        return
      }
      const timer = setTimeout(() => {
        waiting.splice(waiting.indexOf(turn), 1)
        refuse()
      }, WAIT_MS)
      const begin = () => {
        clearTimeout(timer)
        resolve(leave)
      }
      const turn: Waiting = { begin, timer }
      waiting.push(turn)
    })
  return { take }
}
