// POST /service-accounts/{org}: a new service account.
import type { Db } from '../../db/database.ts'
import { record } from '../../events/record.ts'
import type { Caller, CallerOrg, Deps } from '../operation.ts'
import { Answer, operation } from '../operation.ts'
import { findOrg } from '../orgs/store.ts'
import { idempotencyOf, refuseOtherContent } from '../shared/idempotency.ts'
import { claimKey } from '../shared/idempotency-store.ts'
import {
  chosenOwner,
  creatorOf,
  refuseCreator,
  refuseMoreThan,
  refuseShortLived,
  usualOwner,
} from './permission.ts'
import { accountExists, noSuchAccount, onlyInSharedOrgs } from './problems.ts'
import * as store from './store.ts'
import { ServiceAccount, ServiceAccountPost, ServiceAccountsPath, toWire } from './wire.ts'

const USUAL_PRIVILEGE = 'reader'

export const createServiceAccount = operation(
  {
    id: 'createServiceAccount',
    method: 'POST',
    path: '/service-accounts/{org}',
    tag: 'Service accounts',
    summary: 'Create a service account',
    description:
      'Only in shared organizations. Its privilege is `reader` unless told, and at most the role of the caller. The name ' +
      'of a deleted account is free. The owner manages the account and its keys; admins manage every one. The owner is ' +
      'whoever creates it, unless an admin says otherwise. For admins, unless the organization lets others.',
    access: 'snapshotter',
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
        description: 'Reports what is built',
        privilege: 'snapshotter',
      },
    },
  },
  async (request, deps) => {
    const { org, body, caller, now } = request
    const { name, description = '', privilege = USUAL_PRIVILEGE } = body
    const display_name = body.display_name || name
    refuseShortLived(caller)
    refuseCreator(org)
    const named = idempotencyOf(request)
    const account = await deps.db.inTransaction({ org_id: org.org_id }, async tx => {
      if ((await findOrg(tx, org.name))?.kind === 'personal') throw onlyInSharedOrgs(org.name)
      refuseMoreThan(org.role, privilege)
      const answered_sha256 = await claimKey(tx, org.org_id, named, now)
      refuseOtherContent(answered_sha256, named.request_sha256)
      if (answered_sha256 !== null) return store.getAccount(tx, org.org_id, name)
      const ownership =
        body.owner === undefined
          ? await usualOwner(tx, caller, org.org_id)
          : await chosenOwner(tx, org, body.owner)
      return create(tx, request, { name, display_name, description, privilege, ...ownership }, deps)
    })
    // A retry of a request whose account was deleted in the meantime.
    if (!account) throw noSuchAccount()
    return new Answer(201, toWire(account))
  },
)

interface Occasion {
  org: CallerOrg
  caller: Caller
  now: Date
  request_id: string
}

async function create(
  tx: Db,
  occasion: Occasion,
  wanted: Omit<store.NewAccount, 'service_account_id' | 'creating_user_id' | 'created_by'>,
  { ids }: Deps,
): Promise<store.AccountRow> {
  const { org, caller, now } = occasion
  const account = { service_account_id: ids.next(), ...wanted, ...creatorOf(caller) }
  const created = await store.createAccount(tx, org.org_id, account, now)
  if (!created) throw accountExists(wanted.name, org.name)
  const { name: service_account, display_name, description, privilege } = wanted
  const data = { service_account, display_name, description, privilege, owner: created.owner_name }
  await record(tx, occasion, ids, { kind: 'service_account_created', data })
  return created
}
