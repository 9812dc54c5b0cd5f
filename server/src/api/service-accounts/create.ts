// POST /service-accounts/{org}: creates a service account.
import type { Db } from '../../db/database.ts'
import { recordEvent } from '../../events/record.ts'
import type { Caller, CallerOrg, Deps } from '../operation.ts'
import { Answer, defineOperation } from '../operation.ts'
import { findOrg } from '../orgs/store.ts'
import { buildIdempotencyClaim, refuseOtherContent } from '../shared/idempotency.ts'
import { claimKey } from '../shared/idempotency-store.ts'
import {
  findDefaultOwner,
  refuseCreator,
  refuseEscalation,
  refuseShortLived,
  resolveOwner,
  toCreator,
} from './permission.ts'
import { accountExists, noSuchAccount, onlyInSharedOrgs } from './problems.ts'
import * as store from './store.ts'
import { ServiceAccount, ServiceAccountPost, ServiceAccountsPath, toWire } from './wire.ts'

const DEFAULT_PRIVILEGE = 'reader'

export const createServiceAccount = defineOperation(
  {
    id: 'createServiceAccount',
    method: 'POST',
    path: '/service-accounts/{org}',
    tag: 'Service accounts',
    summary: 'Create a service account',
    description:
      'Only in shared organizations. The privilege defaults to `reader`, and is at most the role of the caller. The name of ' +
      'a deleted account can be reused. The owner manages the account and its keys; admins manage all accounts. The owner ' +
      'is the caller, unless an admin sets another. Only admins may create accounts, unless the organization allows others.',
    access: 'snapshotter',
    recheck_caller: true,
    audit: 'service_account_created',
    params: ServiceAccountsPath,
    body: ServiceAccountPost,
    returns: ServiceAccount,
    creates: true,
    fails: [400, 403, 404, 422],
    example: {
      body: {
        name: 'build-server',
        display_name: 'Build server',
        description: 'Reports builds',
        privilege: 'snapshotter',
      },
    },
  },
  async (request, deps) => {
    const { org, body, caller, now } = request
    const { name, description = '', privilege = DEFAULT_PRIVILEGE } = body
    const display_name = body.display_name || name
    refuseShortLived(caller)
    refuseCreator(org)
    const idempotency = buildIdempotencyClaim(request)
    const account = await deps.db.withTransaction({ org_id: org.org_id }, async tx => {
      if ((await findOrg(tx, org.name))?.kind === 'personal') throw onlyInSharedOrgs(org.name)
      refuseEscalation(org.role, privilege)
      const answered_sha256 = await claimKey(tx, org.org_id, idempotency, now)
      refuseOtherContent(answered_sha256, idempotency.request_sha256)
      if (answered_sha256 !== null) return store.findAccount(tx, org.org_id, name)
      const ownership =
        body.owner === undefined
          ? await findDefaultOwner(tx, caller, org)
          : await resolveOwner(tx, org, body.owner)
      return create(tx, request, { name, display_name, description, privilege, ...ownership }, deps)
    })
    // The request is a retry, and its account was deleted in the meantime.
    if (!account) throw noSuchAccount()
    return new Answer(201, toWire(account))
  },
)

interface RequestContext {
  org: CallerOrg
  caller: Caller
  now: Date
  request_id: string
}

async function create(
  tx: Db,
  context: RequestContext,
  input: Omit<store.NewAccount, 'service_account_id' | 'creating_user_id' | 'created_by'>,
  { ids }: Deps,
): Promise<store.AccountRow> {
  const { org, caller, now } = context
  const account = { service_account_id: ids.next(), ...input, ...toCreator(caller) }
  const created = await store.insertAccount(tx, org.org_id, account, now)
  if (!created) throw accountExists(input.name, org.name)
  const { name: service_account, display_name, description, privilege } = input
  const data = { service_account, display_name, description, privilege, owner: created.owner_name }
  await recordEvent(tx, context, ids, {
    kind: 'service_account_created',
    data,
    row_ids: { service_account: account.service_account_id },
  })
  return created
}
