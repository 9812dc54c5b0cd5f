// PUT /members/{org}/{user}: changes the role of a member.
import { defineOperation } from '../operation.ts'
import { changeMembership } from '../shared/membership.ts'
import { OK, Ok } from '../shared/wire.ts'
import { requireMember } from './problems.ts'
import { MemberPath, MemberPut } from './wire.ts'

export const putMember = defineOperation(
  {
    id: 'putMember',
    method: 'PUT',
    path: '/members/{org}/{user}',
    tag: 'Members',
    summary: 'Change the role of a member',
    description: 'The last admin cannot be demoted. People become members by invitation or by signing in.',
    access: 'admin',
    recheck_caller: true,
    audit: 'member_role_changed',
    params: MemberPath,
    body: MemberPut,
    returns: Ok,
    fails: [400, 403, 404, 409],
    example: { params: { user: 'mia' }, body: { role: 'member' } },
  },
  async (request, { db, ids, forgetCaller }) => {
    const { params, body, org } = request
    const user_id = await db.withTransaction({ org_id: org.org_id }, async tx => {
      const found = await requireMember(tx, org, params.user)
      const change = { user_id: found, user_name: params.user, role: body.role, source: 'app' } as const
      await changeMembership(tx, request, ids, change)
      return found
    })
    forgetCaller(user_id)
    return OK
  },
)
