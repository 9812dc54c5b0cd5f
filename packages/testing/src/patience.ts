// How long tests wait before they give up. No test measures time and a slow machine must never fail one, so these
// limits are far longer than anything takes. A test of a product limit sets that limit itself.
import { setTimeout as sleep } from 'node:timers/promises'

const MINUTE_MS = 60_000
const POLL_MS = 10

const MINUTES = Number(process.env.TEST_PATIENCE_MINUTES ?? 10)

/** The limit of one wait: for a response, a start or a condition. */
export const PATIENCE_MS = MINUTES * MINUTE_MS

/** The limit of a whole test or hook, which may wait several times. */
export const TEST_PATIENCE_MS = 3 * PATIENCE_MS

/** Waits until the condition holds. It may throw to give up early. */
export async function until(condition: () => boolean | Promise<boolean>): Promise<void> {
  const deadline_ms = performance.now() + PATIENCE_MS
  while (!(await condition())) {
    if (performance.now() > deadline_ms)
      throw new Error(`waited ${PATIENCE_MS / MINUTE_MS} min for: ${condition}`)
    await sleep(POLL_MS)
  }
}
