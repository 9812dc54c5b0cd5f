// GET /user/sessions: the active sessions of the caller.
import { Type } from 'typebox'
import { defineOperation } from '../operation.ts'
import { listActiveSessions } from './store.ts'
import { Session, toWire } from './wire.ts'

export const listSessions = defineOperation(
  {
    id: 'listSessions',
    method: 'GET',
    path: '/user/sessions',
    tag: 'User',
    summary: 'List the sessions of the caller',
    description: 'The browsers where the caller is signed in, newest first. Ended sessions are not listed.',
    access: 'user',
    audit: 'none: reads',
    reads: 'replica',
    returns: Type.Array(Session),
    fails: [],
  },
  async ({ caller, now }, { db, session_limits }) => {
    const idle_since = new Date(now.getTime() - session_limits.idle_ms)
    const created_since = new Date(now.getTime() - session_limits.max_ms)
    const sessions = await listActiveSessions(db, { user_id: caller.id, now, idle_since, created_since })
    return sessions.map(session => toWire(session, caller, session_limits))
  },
)
