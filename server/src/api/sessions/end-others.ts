// DELETE /user/sessions: sign every other browser out.
import { Type } from 'typebox'
import { operation } from '../operation.ts'
import { Closed } from '../shared/wire.ts'
import { endOtherSessions as endOthers } from './store.ts'
import { currentOf } from './wire.ts'

export const EndedSessions = Closed('EndedSessions', { ended: Type.Integer() })

export const endOtherSessions = operation(
  {
    id: 'endOtherSessions',
    method: 'DELETE',
    path: '/user/sessions',
    tag: 'User',
    summary: 'End every other session of the caller',
    description: 'All of them, when the request is made with an API key.',
    access: 'user',
    audit: 'none: own settings',
    returns: EndedSessions,
    fails: [],
  },
  async ({ caller, now }, { db, forgetCaller }) => {
    const ended = await endOthers(db, { user_id: caller.id, session_id: currentOf(caller), now })
    forgetCaller(caller.id)
    return { ended }
  },
)
