// Decides when the owner of an API key is notified before it expires: a first notice 14 days before and a last one 3
// days before, each sent once.

const MS_PER_DAY = 86_400_000
export const FIRST_NOTICE_DAYS = 14
export const LAST_NOTICE_DAYS = 3

export type ExpiryNotice = 'first' | 'last'

export interface KeyLife {
  created_at: Date
  /** Null if it never expires. */
  expires_at: Date | null
  /** The latest notice that was sent; null if none was. */
  expiry_notice: ExpiryNotice | null
}

/** Undefined if no notice is due or it was already sent. Meant for active keys that were not rotated. */
export function findDueNotice(
  { created_at, expires_at, expiry_notice }: KeyLife,
  now: Date,
): ExpiryNotice | undefined {
  if (expires_at === null) return undefined
  const left_ms = expires_at.getTime() - now.getTime()
  if (left_ms <= 0 || expiry_notice === 'last') return undefined
  if (left_ms <= LAST_NOTICE_DAYS * MS_PER_DAY) return 'last'
  if (left_ms > FIRST_NOTICE_DAYS * MS_PER_DAY || expiry_notice === 'first') return undefined
  // A key created for only a few days needs no early notice: its creator knows that it expires soon.
  const life_ms = expires_at.getTime() - created_at.getTime()
  return life_ms < FIRST_NOTICE_DAYS * MS_PER_DAY ? undefined : 'first'
}

/** Only keys that expire by these times can have a notice due. */
export function computeHorizons(now: Date): { first_at: Date; last_at: Date } {
  const addDays = (days: number) => new Date(now.getTime() + days * MS_PER_DAY)
  return { first_at: addDays(FIRST_NOTICE_DAYS), last_at: addDays(LAST_NOTICE_DAYS) }
}
