// Stores large reports in a separate thread. Parsing, checking, comparing and writing tens of thousands of artifacts
// takes seconds of computing, in which the event loop could serve nobody. The thread starts with the first large
// report and ends when it is idle, which returns its memory.
import { join } from 'node:path'
import { Worker } from 'node:worker_threads'
import type { LargeReport, LargeReports, StoredReport } from '../api/large-reports.ts'
import type { Database, PoolSettings } from '../db/database.ts'
import type { LoggedLeaf } from '../events/leaf-receipt.ts'
import { makeTurns } from '../jq/turns.ts'
import type { Clock } from '../lib/clock.ts'
import { AppError, tooBusyToEvaluate } from '../lib/errors.ts'
import { packageRoot } from '../lib/package-root.ts'
import type { FromThread, Outcome, ThreadData, ToThread } from './messages.ts'

const WORKER = join(packageRoot, 'dist', 'report-worker.js')
const IDLE_MS = 10_000
const RETRY_AFTER_SECONDS = 5
/** As many as turns.ts lets run at once. */
const CONNECTIONS = 3
/** Much of what a report allocates lives until it is stored: a small young generation would copy it often. */
const RESOURCE_LIMITS = { maxOldGenerationSizeMb: 2048, maxYoungGenerationSizeMb: 192 }

export interface ThreadParts {
  /** The settings with which the thread connects. */
  database: PoolSettings
  db: Pick<Database, 'countSent'>
  base_url: string
  clock: Clock
  /** How long a report may wait for other organizations' reports. */
  wait_ms: number
  /** The code of the thread; tests use another file. */
  file?: string | URL
}

export interface ReportThread extends LargeReports {
  isRunning(): boolean
  /** Ends the thread after the reports in progress. */
  close(): Promise<void>
}

export function makeReportThread(parts: ThreadParts): ReportThread {
  const { database, db, base_url, clock, wait_ms, file = WORKER } = parts
  const turns = makeTurns(wait_ms, clock)
  const data: ThreadData = { database: { ...database, max: CONNECTIONS }, base_url }
  let running: Running | undefined
  let idle: NodeJS.Timeout | undefined
  const stop = async () => {
    clearTimeout(idle)
    const ending = running
    running = undefined
    await ending?.end()
  }
  return {
    isRunning: () => running !== undefined,
    store: async report => {
      const turn = await turns.take(report.org)
      clearTimeout(idle)
      // Replaces a thread that ended while idle.
      if (running?.hasEnded()) running = undefined
      running ??= startThread(file, data)
      const used = running
      try {
        const { sent, outcome } = await used.run(report)
        db.countSent(sent)
        return readOutcome(outcome)
      } finally {
        turn.end(0)
        clearTimeout(idle)
        if (used.hasEnded() && running === used) running = undefined
        idle = setTimeout(() => running?.isIdle() && stop(), IDLE_MS).unref()
      }
    },
    close: async () => {
      turns.close()
      await stop()
    },
  }
}

interface Running {
  run(report: LargeReport): Promise<FromThread>
  isIdle(): boolean
  /** Includes threads that ended unasked, for example for lack of memory. */
  hasEnded(): boolean
  end(): Promise<void>
}

interface Waiting {
  resolve(message: FromThread): void
  reject(error: Error): void
}

function startThread(file: string | URL, workerData: ThreadData): Running {
  // Leaves out the arguments of a test runner.
  const worker = new Worker(file, { workerData, resourceLimits: RESOURCE_LIMITS, argv: [], execArgv: [] })
  const ended = new Promise<void>(resolve => worker.once('exit', () => resolve()))
  const waiting = new Map<number, Waiting>()
  let last = 0
  worker.on('message', (message: FromThread) => {
    waiting.get(message.number)?.resolve(message)
    waiting.delete(message.number)
  })
  // For lack of memory, for example. Its transactions are rolled back when its connections end.
  let cause: Error | undefined
  let hasEnded = false
  worker.on('error', error => {
    cause = error
  })
  worker.on('exit', () => {
    hasEnded = true
    const busy = tooBusyToEvaluate(RETRY_AFTER_SECONDS)
    busy.cause = cause
    for (const { reject } of waiting.values()) reject(busy)
    waiting.clear()
  })
  const send = (message: ToThread, moved: ArrayBuffer[] = []) => worker.postMessage(message, moved)
  return {
    run: report =>
      new Promise((resolve, reject) => {
        const number = ++last
        waiting.set(number, { resolve, reject })
        // Moves the buffer instead of copying it, unless it shares its memory with other buffers.
        const { buffer, byteLength } = report.body
        send({ number, report }, buffer.byteLength === byteLength ? [buffer as ArrayBuffer] : [])
      }),
    isIdle: () => waiting.size === 0,
    hasEnded: () => hasEnded,
    end: async () => {
      send('close')
      await ended
    },
  }
}

function readOutcome(outcome: Outcome): StoredReport {
  if ('leaves' in outcome) return { ...outcome, leaves: outcome.leaves.map(toLeaf) }
  if ('failure' in outcome) throw new Error(`A large report failed in its thread: ${outcome.failure}`)
  const { status, message, errors, headers } = outcome.refusal
  throw new AppError(status, message, errors, headers)
}

/** A buffer arrives from another thread as plain bytes. */
function toLeaf(leaf: LoggedLeaf): LoggedLeaf {
  return { ...leaf, leaf_hash: Buffer.from(leaf.leaf_hash) }
}
