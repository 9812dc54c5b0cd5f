// When the end of an API key is announced: a first notice two weeks before, a last call three days before, each once.

const MS_PER_DAY = 86_400_000
export const FIRST_NOTICE_DAYS = 14
export const LAST_NOTICE_DAYS = 3

export type ExpiryNotice = 'first' | 'last'

export interface KeyLife {
  created_at: Date
  /** Null when it never ends. */
  expires_at: Date | null
  /** The latest notice that was given; null when none was. */
  expiry_notice: ExpiryNotice | null
}

/** Undefined when there is nothing to say, or when it has been said. Of keys that work and were not rotated. */
export function findDueNotice(
  { created_at, expires_at, expiry_notice }: KeyLife,
  now: Date,
): ExpiryNotice | undefined {
  if (expires_at === null) return undefined
  const left_ms = expires_at.getTime() - now.getTime()
  if (left_ms <= 0 || expiry_notice === 'last') return undefined
  if (left_ms <= LAST_NOTICE_DAYS * MS_PER_DAY) return 'last'
  if (left_ms > FIRST_NOTICE_DAYS * MS_PER_DAY || expiry_notice === 'first') return undefined
  // Whoever made a key for a few days knows that it ends soon.
  const life_ms = expires_at.getTime() - created_at.getTime()
  return life_ms < FIRST_NOTICE_DAYS * MS_PER_DAY ? undefined : 'first'
}

/** Only keys that end by these moments can have a notice due. */
export function computeHorizons(now: Date): { first_at: Date; last_at: Date } {
  const addDays = (days: number) => new Date(now.getTime() + days * MS_PER_DAY)
  return { first_at: addDays(FIRST_NOTICE_DAYS), last_at: addDays(LAST_NOTICE_DAYS) }
}
