// Measures the processor time of a thread. Real time would be unfair: on a busy machine a harmless program takes many
// times as long as on an idle one, and must not be stopped for that.
import { readFileSync } from 'node:fs'
import { systemClock } from '../lib/clock.ts'

/** The unit of processor time in /proc, the same on every Linux machine. */
const TICK_MS = 10
/** Positions of user and system time, counted from the word after the program name. */
const [USER_TICKS, SYSTEM_TICKS] = [11, 12]

/**
 * Returns a function that reads the milliseconds that a thread has computed. `thread` is the thread's name in /proc
 * (`readOwnThread` in worker.mjs). Systems without /proc measure real time instead.
 */
export function makeMeter(thread: string | undefined): () => number {
  if (thread === undefined) return systemClock.monotonic_ms
  let last_ms = 0
  return () => {
    last_ms = readComputedMs(thread) ?? last_ms
    return last_ms
  }
}

function readComputedMs(thread: string): number | undefined {
  try {
    const text = readFileSync(`/proc/${thread}/stat`, 'utf8')
    // The program name is in parentheses and may contain any character.
    const words = text.slice(text.lastIndexOf(')') + 2).split(' ')
    return (Number(words[USER_TICKS]) + Number(words[SYSTEM_TICKS])) * TICK_MS
  } catch {
    // The thread has ended.
    return undefined
  }
}
