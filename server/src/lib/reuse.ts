// Limits how often and how long something is measured, however many callers want the result.
import type { Clock } from './clock.ts'

/** Concurrent callers share one call of `look`, and later callers its result while it is fresh. */
export function reuse<T>(clock: Clock, getFreshMs: () => number, look: () => Promise<T>): () => Promise<T> {
  let running: Promise<T> | undefined
  let last: { at_ms: number; result: T } | undefined
  return async () => {
    if (last && clock.monotonic_ms() - last.at_ms < getFreshMs()) return last.result
    running ??= look().finally(() => {
      running = undefined
    })
    const result = await running
    last = { at_ms: clock.monotonic_ms(), result }
    return result
  }
}

/** Rejects if the work takes longer; the work itself goes on. */
export function withTimeout<T>(limit_ms: number, work: Promise<T>): Promise<T> {
  return new Promise((resolve, reject) => {
    const timer = setTimeout(() => reject(new Error(`no answer within ${limit_ms} ms`)), limit_ms)
    work.then(resolve, reject).finally(() => clearTimeout(timer))
  })
}
