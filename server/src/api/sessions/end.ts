// DELETE /user/sessions/{session_id}: sign one browser out.
import { notFound } from '../../lib/errors.ts'
import { fromWireId } from '../../lib/ids.ts'
import { operation } from '../operation.ts'
import { OK, Ok } from '../shared/wire.ts'
import { endSession as end } from './store.ts'
import { SessionPath } from './wire.ts'

export const endSession = operation(
  {
    id: 'endSession',
    method: 'DELETE',
    path: '/user/sessions/{session_id}',
    tag: 'User',
    summary: 'End one session of the caller',
    access: 'user',
    audit: 'none: own settings',
    params: SessionPath,
    returns: Ok,
    fails: [404],
    example: { params: { session_id: '019cb35a-7c00-7000-8000-00000000' } },
  },
  async ({ caller, params, now }, { db, forgetCaller }) => {
    const { id: user_id } = caller
    const session_id = fromWireId(params.session_id)
    const isEnded = session_id !== undefined && (await end(db, { user_id, session_id, now }))
    if (!isEnded) throw notFound(`There is no session '${params.session_id}' of yours`)
    forgetCaller(user_id)
    return OK
  },
)
