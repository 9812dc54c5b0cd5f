// DELETE /members/{org}/{user}: removes a member, or lets a member leave.
import { roleRequired } from '../../lib/errors.ts'
import { type Caller, defineOperation } from '../operation.ts'
import { changeMembership } from '../shared/membership.ts'
import { OK, Ok } from '../shared/wire.ts'
import { requireMember } from './problems.ts'
import { MemberPath } from './wire.ts'

export const removeMember = defineOperation(
  {
    id: 'removeMember',
    method: 'DELETE',
    path: '/members/{org}/{user}',
    tag: 'Members',
    summary: 'Remove a member, or leave',
    description:
      'Admins can remove anyone; everyone else only themselves. The last admin cannot be removed. Sessions and ' +
      'personal keys of the person stop working in this organization, but keep working elsewhere.',
    access: 'reader',
    recheck_caller: true,
    audit: 'member_removed',
    params: MemberPath,
    returns: Ok,
    fails: [403, 404, 409],
    example: { params: { user: 'mia' } },
  },
  async (request, { db, ids, forgetCaller }) => {
    const { params, org, caller } = request
    if (org.role !== 'admin' && !isThemself(caller, params.user)) throw roleRequired()
    const user_id = await db.withTransaction({ org_id: org.org_id }, async tx => {
      const found = await requireMember(tx, org, params.user)
      const change = { user_id: found, user_name: params.user, role: null, source: 'app' } as const
      await changeMembership(tx, request, ids, change)
      return found
    })
    forgetCaller(user_id)
    return OK
  },
)

/** A service account of the same name is not the same person. */
function isThemself({ kind, name }: Caller, user: string): boolean {
  return kind === 'user' && name === user
}
