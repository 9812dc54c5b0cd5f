// API schemas of sessions.
import { type Static, Type } from 'typebox'
import { toWireId } from '../../lib/ids.ts'
import { computeLatestExpiry, type SessionLimits } from '../../lib/session-token.ts'
import type { Caller } from '../operation.ts'
import { CreatedAt } from '../shared/fields.ts'
import { about, Closed, OneOf, Time, toEpoch } from '../shared/wire.ts'
import type { OwnSession } from './store.ts'

export const Session = Closed('Session', {
  session_id: Type.String(about('Id of the session', '0196f1c2-7a3b-7c4d-8e5f-1a2b3c4d')),
  method: OneOf(['sso', 'link', 'first-run'], { description: 'How the person signed in' }),
  user_agent: Type.String({ description: 'The User-Agent of the browser', examples: ['Mozilla/5.0'] }),
  address: Type.Union([Type.String(), Type.Null()], {
    description: 'IP address of the sign-in',
    examples: ['203.0.113.7'],
  }),
  created_at: CreatedAt,
  last_seen_at: Time('Time of the last use'),
  expires_at: Type.Number({
    description: 'When it expires even if it is in use, in epoch seconds',
    examples: [1_772_539_200],
  }),
  is_current: Type.Boolean({ description: 'The session that this request was made with' }),
})
export type Session = Static<typeof Session>

export const SessionPath = Closed('SessionPath', {
  session_id: Type.String(about('Id of the session', '0196f1c2-7a3b-7c4d-8e5f-1a2b3c4d')),
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
