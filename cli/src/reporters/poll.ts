// Polls until it is stopped. Reports every change, and reports regularly if nothing changes. While it cannot see anything, it
// reports nothing, so that the service notices the silence.
import { setTimeout as wait } from 'node:timers/promises'
import type { Exit } from '../program/exit-codes.ts'
import { Problem } from '../program/problem.ts'
import type { Observation } from './observation.ts'

/** `is_due`: a regular report follows, so cached results must not be used. */
export type Look = (is_due: boolean) => Promise<Observation>

export interface PollParts {
  look: Look
  interval_ms: number
  heartbeat_ms: number
  now_ms(): number
  report(observation: Observation): Promise<void>
  say(text: string): void
  signal: AbortSignal
}

/** Retrying does not help against these. Later they may pass: a key is replaced, a folder comes back. */
const WRONG_SETTINGS: ReadonlySet<Exit> = new Set(['usage', 'not_allowed', 'not_found'])

export async function pollChanges(parts: PollParts): Promise<void> {
  const { look, interval_ms, heartbeat_ms, now_ms, report, say, signal } = parts
  let reported: string | undefined
  let reported_ms = Number.NEGATIVE_INFINITY
  while (!signal.aborted) {
    const now = now_ms()
    const isDue = now - reported_ms >= heartbeat_ms
    const observation = await look(isDue).catch(error => {
      if (signal.aborted) return undefined
      if (!(error instanceof Problem)) throw error
      if (reported === undefined && WRONG_SETTINGS.has(error.exit)) throw error
      say(`Nothing was reported: ${error.message}`)
      return undefined
    })
    if (observation !== undefined) {
      const content = JSON.stringify([observation.elements, observation.missing])
      if (content !== reported || isDue) {
        await report(observation)
        reported = content
        reported_ms = now
      }
    }
    // A regular report must not wait for the next poll.
    const pause_ms = Math.min(interval_ms, heartbeat_ms)
    await wait(pause_ms, undefined, { signal }).catch(() => undefined)
  }
}
