// The fields that show whether messages to a target are sent, wait for a probe, or are not sent at all.
import { Type } from 'typebox'
import { describePause } from '../../domain/notification/breaker.ts'
import { about, Described, Nullable, OneOf, Time } from './wire.ts'

export const DELIVERY_STATE_FIELDS = {
  delivery_state: Described(
    OneOf(['active', 'paused', 'switched_off']),
    'Whether messages are sent: `active`; `paused` while the receiver cannot be reached, until a probe succeeds; ' +
      '`switched_off` after days of failures',
    'active',
  ),
  paused_until: Nullable(Time('Time when one message is sent as a probe; null if the target is not paused'), {
    examples: [null],
  }),
  paused_because: Nullable(
    Type.String(
      about(
        'Why messages are paused; null if the target is not paused',
        'The last 5 attempts failed: The receiver did not respond within 30 seconds',
      ),
    ),
  ),
}

export interface StoredPause {
  switched_off_at: unknown
  /** In epoch seconds. */
  paused_until: number | null
  paused_failures: number | null
  paused_error: string | null
}

export function toWireDeliveryState(target: StoredPause) {
  const { switched_off_at, paused_until, paused_failures, paused_error } = target
  if (paused_until === null || paused_failures === null || paused_error === null) {
    const delivery_state = switched_off_at === null ? ('active' as const) : ('switched_off' as const)
    return { delivery_state, paused_until: null, paused_because: null }
  }
  const paused_because = describePause({ failures: paused_failures, error: paused_error })
  return { delivery_state: 'paused' as const, paused_until, paused_because }
}
