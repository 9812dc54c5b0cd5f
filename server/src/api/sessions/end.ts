// DELETE /user/sessions/{session_id}: signs out one browser.
import { notFound } from '../../lib/errors.ts'
import { parseWireId } from '../../lib/ids.ts'
import { defineOperation } from '../operation.ts'
import { OK, Ok } from '../shared/wire.ts'
import { signOut } from './sign-out.ts'
import { endSession as end } from './store.ts'
import { SessionPath } from './wire.ts'

export const endSession = defineOperation(
  {
    id: 'endSession',
    method: 'DELETE',
    path: '/user/sessions/{session_id}',
    tag: 'User',
    summary: 'End one session of the caller',
    access: 'user',
    recheck_caller: true,
    audit: 'signed_out',
    params: SessionPath,
    returns: Ok,
    fails: [404],
    example: { params: { session_id: '019cb35a-7c00-7000-8000-00000000' } },
  },
  async (request, deps) => {
    const { caller, params, now } = request
    const session_id = parseWireId(params.session_id)
    const noSuchSession = () => notFound(`You have no session '${params.session_id}'`)
    if (session_id === undefined) throw noSuchSession()
    const session = { user_id: caller.id, session_id, now }
    const ended = await signOut(request, deps, async tx => ((await end(tx, session)) ? 1 : 0))
    if (ended === 0) throw noSuchSession()
    return OK
  },
)
