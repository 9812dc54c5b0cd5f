// The life of API keys: when the two keys of a rotation end. A time that is null never comes.

const MS_PER_HOUR = 3_600_000

export interface RotationRequest {
  now: Date
  grace_period_hours: number
  /** Undefined when the new key ends when the old one would have. */
  expires_at: Date | null | undefined
}

/** The old key never lives longer than it would have: a rotation only shortens. */
export function rotationOf(
  old_expires_at: Date | null,
  { now, grace_period_hours, expires_at }: RotationRequest,
): { grace_period_expires_at: Date; expires_at: Date | null } {
  const grace_end = new Date(now.getTime() + grace_period_hours * MS_PER_HOUR)
  return {
    grace_period_expires_at: old_expires_at && old_expires_at < grace_end ? old_expires_at : grace_end,
    expires_at: expires_at === undefined ? old_expires_at : expires_at,
  }
}
