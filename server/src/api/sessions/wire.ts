// API schemas of sessions.
import { type Static, Type } from 'typebox'
import { toWireId } from '../../lib/ids.ts'
import { computeLatestExpiry, type SessionLimits } from '../../lib/session-token.ts'
import type { Caller } from '../operation.ts'
import { EXAMPLE_ID, EXAMPLE_TIME } from '../shared/examples.ts'
import { CreatedAt } from '../shared/fields.ts'
import { about, Closed, OneOf, Time, toEpoch } from '../shared/wire.ts'
import type { OwnSession } from './store.ts'

export const Session = Closed('Session', {
  session_id: Type.String(about('Id of the session', EXAMPLE_ID)),
  method: OneOf(['sso', 'link', 'first-run'], { description: 'How the person signed in' }),
  user_agent: Type.String(about('The User-Agent of the browser', 'Mozilla/5.0')),
  address: Type.Union([Type.String(), Type.Null()], about('IP address of the sign-in', '203.0.113.7')),
  created_at: CreatedAt,
  last_seen_at: Time('Time of the last use'),
  expires_at: Type.Number(about('When it expires even if it is in use, in epoch seconds', EXAMPLE_TIME)),
  is_current: Type.Boolean({ description: 'Whether this request was made with this session' }),
})
export type Session = Static<typeof Session>

export const SessionPath = Closed('SessionPath', {
  session_id: Type.String(about('Id of the session', EXAMPLE_ID)),
})

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

/** Null if the caller uses an API key. */
export function getCurrentSessionId({ credential, key_id }: Caller): string | null {
  return credential === 'session' ? key_id : null
}
