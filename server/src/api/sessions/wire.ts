// Sessions as their owner sees them.
import { type Static, Type } from 'typebox'
import { toWireId } from '../../lib/ids.ts'
import { computeLatestExpiry, type SessionLimits } from '../../lib/session-token.ts'
import type { Caller } from '../operation.ts'
import { Closed, EpochSeconds, OneOf, toEpoch } from '../shared/wire.ts'
import type { OwnSession } from './store.ts'

export const Session = Closed('Session', {
  session_id: Type.String(),
  method: OneOf(['sso', 'link', 'first-run'], { description: 'How the person signed in' }),
  user_agent: Type.String({ description: 'What the browser calls itself' }),
  address: Type.Union([Type.String(), Type.Null()], { description: 'Where the person signed in from' }),
  created_at: EpochSeconds,
  last_seen_at: EpochSeconds,
  expires_at: Type.Number({ description: 'When it ends however busy it is, in epoch seconds' }),
  is_current: Type.Boolean({ description: 'The session that this request was made with' }),
})
export type Session = Static<typeof Session>

export const SessionPath = Closed('SessionPath', { session_id: Type.String() })

export function toWire(session: OwnSession, caller: Caller, limits: SessionLimits): Session {
  return {
    session_id: toWireId(session.session_id),
    method: session.method as Session['method'],
    user_agent: session.user_agent,
    address: session.address,
    created_at: toEpoch(session.created_at),
    last_seen_at: toEpoch(session.last_seen_at),
    expires_at: toEpoch(computeLatestExpiry(session, limits)),
    is_current: getCurrentSessionId(caller) === session.session_id,
  }
}

/** The session of a caller who came with one and not with a key. */
export function getCurrentSessionId({ credential, key_id }: Caller): string | null {
  return credential === 'session' ? key_id : null
}
