// PUT /user/settings/display-name: the name that others see. It belongs to the person, whatever directories say.
import { recordEvent } from '../../events/record.ts'
import { defineOperation } from '../operation.ts'
import { findPersonalOrg } from '../shared/personal-org-store.ts'
import { OK, Ok } from '../shared/wire.ts'
import { setDisplayName as store } from './email-store.ts'
import { DisplayNamePut } from './wire.ts'

export const setDisplayName = defineOperation(
  {
    id: 'setDisplayName',
    method: 'PUT',
    path: '/user/settings/display-name',
    tag: 'User',
    summary: 'Set the name of the caller that others see',
    description: 'For people only. The user name stays: events and keys are recorded under it.',
    access: 'user',
    recheck_caller: true,
    audit: 'user_changed',
    body: DisplayNamePut,
    returns: Ok,
    fails: [400, 403],
    example: { body: { display_name: 'Ada Lovelace' } },
  },
  async (request, { db, ids }) => {
    const { caller, body } = request
    const display_name = body.display_name.trim() || null
    const personal_org_id = await findPersonalOrg(db, caller.id)
    const org_id = personal_org_id ?? caller.id
    await db.withTransaction({ user_id: caller.id, org_id }, async tx => {
      const isChanged = await store(tx, { user_id: caller.id, display_name })
      if (!isChanged || personal_org_id === undefined) return
      await recordEvent(tx, { ...request, org: { org_id } }, ids, {
        kind: 'user_changed',
        data: { source: 'app', user: caller.name, changed: ['display_name'] },
        about: { person: caller.id },
      })
    })
    return OK
  },
)
