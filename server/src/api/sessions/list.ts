// GET /user/sessions: where the caller is signed in.
import { Type } from 'typebox'
import { IDLE_MS } from '../../lib/session-token.ts'
import { operation } from '../operation.ts'
import { sessionsOf } from './store.ts'
import { Session, toWire } from './wire.ts'

export const listSessions = operation(
  {
    id: 'listSessions',
    method: 'GET',
    path: '/user/sessions',
    tag: 'User',
    summary: 'List the browsers in which the caller is signed in',
    description: 'Newest first. Sessions that have ended are not listed.',
    access: 'user',
    audit: 'none: reads',
    returns: Type.Array(Session),
    fails: [],
  },
  async ({ caller, now }, { db }) => {
    const idle_since = new Date(now.getTime() - IDLE_MS)
    const sessions = await sessionsOf(db, { user_id: caller.id, now, idle_since })
    return sessions.map(session => toWire(session, caller))
  },
)
