// Expiry of API keys: when a new key expires, and both keys of a rotation. A null time means never.

const MS_PER_SECOND = 1000
const MS_PER_HOUR = 3_600_000

export interface RotationRequest {
  now: Date
  grace_period_hours: number
  /** Undefined if the new key expires when the old one would have. */
  expires_at: Date | null | undefined
}

/** A rotation never extends the life of the old key, it can only shorten it. */
export function computeRotation(
  old_expires_at: Date | null,
  { now, grace_period_hours, expires_at }: RotationRequest,
): { grace_period_expires_at: Date; expires_at: Date | null } {
  const grace_end = dropFraction(new Date(now.getTime() + grace_period_hours * MS_PER_HOUR))
  return {
    grace_period_expires_at: old_expires_at && old_expires_at < grace_end ? old_expires_at : grace_end,
    expires_at: expires_at === undefined ? old_expires_at : expires_at,
  }
}

const MS_PER_DAY = 86_400_000

export interface KeyLimits {
  now: Date
  /** The organization's limit; null for no maximum. */
  max_lifetime_days: number | null
  /** Expiry of the key that creates the new one; null if it never expires or if the caller uses a session. */
  asking_key_expires_at: Date | null
}

/** The latest allowed expiry of a new key; null for never. */
export function computeLatestExpiry({
  now,
  max_lifetime_days,
  asking_key_expires_at,
}: KeyLimits): Date | null {
  const oldest = max_lifetime_days === null ? null : new Date(now.getTime() + max_lifetime_days * MS_PER_DAY)
  const latest = pickEarlier(oldest, asking_key_expires_at)
  return latest && dropFraction(latest)
}

/** Existing clients read an expiry as whole seconds; the key stops when they say. */
const dropFraction = (time: Date): Date =>
  new Date(Math.floor(time.getTime() / MS_PER_SECOND) * MS_PER_SECOND)

/** The earlier of two times, where null means never. */
export function pickEarlier(one: Date | null, other: Date | null): Date | null {
  if (one === null || other === null) return one ?? other
  return one < other ? one : other
}

/** Whether a key of a person who is a member of several organizations is too old for one of them. */
export function isTooOld(created_at: Date, max_lifetime_days: number | null, now: Date): boolean {
  return max_lifetime_days !== null && now.getTime() - created_at.getTime() > max_lifetime_days * MS_PER_DAY
}
