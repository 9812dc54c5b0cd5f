// DELETE /organizations/{org}: closes an organization immediately and removes its data after a grace period. Until then
// an operator can restore it (`waybill admin org restore`).
import { recordEvent } from '../../events/record.ts'
import { accessDenied, conflict, invalid } from '../../lib/errors.ts'
import { formatInput } from '../../lib/sentences.ts'
import { defineOperation } from '../operation.ts'
import { OrgPath } from '../shared/fields.ts'
import { lockOrgDetails } from '../shared/org-details-store.ts'
import { toEpoch } from '../shared/wire.ts'
import { listCallerIds, setDeletion } from './store.ts'
import { OrgDelete, OrgDeletion } from './wire.ts'

const GRACE_DAYS = 14
const DAY_MS = 86_400_000

export const deleteOrg = defineOperation(
  {
    id: 'deleteOrganization',
    method: 'DELETE',
    path: '/organizations/{org}',
    tag: 'Organizations',
    summary: 'Delete a shared organization',
    description:
      `It immediately behaves as if it did not exist. An operator can restore it for ${GRACE_DAYS} days. ` +
      'Export it first (`GET /organizations/{org}/export`): you cannot do so afterwards. ' +
      'A personal organization cannot be deleted.',
    access: 'admin',
    recheck_caller: true,
    audit: 'org_delete_requested',
    params: OrgPath,
    body: OrgDelete,
    returns: OrgDeletion,
    fails: [400, 403, 409],
    example: { body: { confirm: 'acme' } },
  },
  async (request, { db, ids, base_url, forgetCaller }) => {
    const { body, org, now, url } = request
    if (body.confirm !== org.name) {
      throw invalid({ confirm: `Input should be '${org.name}' [input: ${formatInput(body.confirm)}]` })
    }
    const delete_after = new Date(now.getTime() + GRACE_DAYS * DAY_MS)
    const callers = await db.withTransaction({ org_id: org.org_id }, async tx => {
      const before = await lockOrgDetails(tx, org.org_id)
      if (!before) throw accessDenied(url.slice(base_url.length))
      if (before.kind === 'personal')
        throw conflict(`'${org.name}' is a personal organization and cannot be deleted`)
      await setDeletion(tx, org.org_id, { now, delete_after })
      await recordEvent(tx, request, ids, {
        kind: 'org_delete_requested',
        data: {
          org: org.name,
          before: { delete_requested_at: null, delete_after: null },
          after: { delete_requested_at: toEpoch(now), delete_after: toEpoch(delete_after) },
        },
      })
      return listCallerIds(tx, org.org_id)
    })
    for (const caller_id of callers) forgetCaller(caller_id)
    return { name: org.name, delete_requested_at: toEpoch(now), delete_after: toEpoch(delete_after) }
  },
)
