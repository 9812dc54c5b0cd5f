// Times that clients state. Their clocks are not ours, so such a time is stored and shown, and decides nothing.

/** How far the clock of a client may be ahead. */
export const CLOCK_LEEWAY_S = 300

/** What is wrong with a time in epoch seconds; undefined if it can be right. */
export function findTimeProblem(seconds: number, now: Date): string | undefined {
  if (seconds <= 0) return 'Input should be a time after 1970, in epoch seconds'
  if (seconds <= now.getTime() / 1000 + CLOCK_LEEWAY_S) return undefined
  return `Input should be at most ${CLOCK_LEEWAY_S / 60} minutes ahead of the service, in epoch seconds; check the clock of the sender`
}
