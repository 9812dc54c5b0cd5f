// DELETE /user/sessions: signs out every other browser.
import { Type } from 'typebox'
import { defineOperation } from '../operation.ts'
import { about, Closed } from '../shared/wire.ts'
import { signOut } from './sign-out.ts'
import { endOtherSessions as endOthers } from './store.ts'
import { getCurrentSessionId } from './wire.ts'

const EndedSessions = Closed('EndedSessions', {
  ended: Type.Integer(about('Number of ended sessions', 2)),
})

export const endOtherSessions = defineOperation(
  {
    id: 'endOtherSessions',
    method: 'DELETE',
    path: '/user/sessions',
    tag: 'User',
    summary: 'End every other session of the caller',
    description: 'With an API key, ends all sessions.',
    access: 'user',
    recheck_caller: true,
    audit: 'signed_out',
    returns: EndedSessions,
    fails: [],
  },
  async (request, deps) => {
    const { caller, now } = request
    const except = { user_id: caller.id, session_id: getCurrentSessionId(caller), now }
    return { ended: await signOut(request, deps, tx => endOthers(tx, except)) }
  },
)
