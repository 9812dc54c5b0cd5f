// PUT /user/{org}: sets the default org of the caller.
import { roleRequired } from '../../lib/errors.ts'
import { defineOperation } from '../operation.ts'
import { OK, Ok } from '../shared/wire.ts'
import { setDefaultOrg as store } from './store.ts'
import { DefaultOrgPath } from './wire.ts'

export const setDefaultOrg = defineOperation(
  {
    id: 'setDefaultOrg',
    method: 'PUT',
    path: '/user/{org}',
    tag: 'User',
    summary: 'Set the default organization of the caller',
    description: 'For people only: a service account belongs to one organization.',
    access: 'reader',
    audit: 'none: own settings',
    params: DefaultOrgPath,
    returns: Ok,
    fails: [403],
  },
  async ({ caller, org }, { db, forgetCaller }) => {
    if (caller.kind !== 'user') throw roleRequired()
    await store(db, org.org_id, caller.id)
    forgetCaller(caller.id)
    return OK
  },
)
