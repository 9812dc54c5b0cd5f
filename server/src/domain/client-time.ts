// Times that clients state. A client's clock may be wrong, so such a time is stored and shown, but decides nothing.

/** How far ahead a client's clock may be. */
export const CLOCK_LEEWAY_S = 300

/** Describes the problem with a time in epoch seconds; undefined if the time can be right. */
export function findTimeProblem(seconds: number, now: Date): string | undefined {
  if (seconds <= 0) return 'Input should be a time after 1970, in epoch seconds'
  if (seconds <= now.getTime() / 1000 + CLOCK_LEEWAY_S) return undefined
  return `Input should be at most ${CLOCK_LEEWAY_S / 60} minutes ahead of the service, in epoch seconds; check the clock of the sender`
}
