// How long a thread has been computing. Processor time and not real time, because on a busy machine a harmless program
// takes many times as long as on an idle one, and must not be stopped for that.
import { readFileSync } from 'node:fs'
import { systemClock } from '../lib/clock.ts'

/** The unit in which Linux tells processor time to programs, whatever the machine. */
const TICK_MS = 10
/** Places of user and system time, counted from the word after the name of the program. */
const [USER_TICKS, SYSTEM_TICKS] = [11, 12]

/**
 * Reads the milliseconds that a thread has computed so far. `thread` is what Linux calls the thread (`readOwnThread` in
 * worker.mjs); on systems that have no such name, real time counts instead.
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
    // The name is in brackets and may itself hold anything.
    const words = text.slice(text.lastIndexOf(')') + 2).split(' ')
    return (Number(words[USER_TICKS]) + Number(words[SYSTEM_TICKS])) * TICK_MS
  } catch {
    // The thread has just ended, and computes no more.
    return undefined
  }
}
