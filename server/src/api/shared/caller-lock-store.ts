// Locks what a caller's power rests on until the end of the transaction: the organization with the caller's role in
// it, and the credential. A concurrent revocation, demotion or deactivation waits for this one, or this one for it.
import { makeStep, type Step } from '../../db/database.ts'
import { defineStatement, text, uuid } from '../../db/statement.ts'
import type { Caller } from '../operation.ts'

const lockOrg = defineStatement(
  'callers.lock_org',
  { org_id: uuid },
  {},
  // The lock of membership changes (membership-store.ts): taken first, so that two admins who change each other wait.
  'select from orgs where org_id = :org_id for no key update',
)

const lockMember = defineStatement(
  'callers.lock_member',
  { org_id: uuid, user_id: uuid },
  {},
  `select from memberships m join users u on u.user_id = m.user_id
   where m.org_id = :org_id and m.user_id = :user_id
   for no key update of m for share of u`,
)

const lockPersonalKey = defineStatement(
  'callers.lock_personal_key',
  { key_hash: text },
  {},
  "select from personal_keys where secret_hash = decode(:key_hash, 'hex') for no key update",
)

const lockSession = defineStatement(
  'callers.lock_session',
  { key_hash: text },
  {},
  "select from sessions where secret_hash = decode(:key_hash, 'hex') for no key update",
)

const lockAccountKey = defineStatement(
  'callers.lock_account_key',
  { key_hash: text },
  {},
  `select from service_account_keys k
   join service_accounts a on a.org_id = k.org_id and a.service_account_id = k.service_account_id
   where k.secret_hash = decode(:key_hash, 'hex')
   for no key update of a, k`,
)

const lockCiKey = defineStatement(
  'callers.lock_ci_key',
  { key_hash: text },
  {},
  `select from ci_keys k
   join trust_rules r on r.org_id = k.org_id and r.rule_id = k.rule_id
   where k.secret_hash = decode(:key_hash, 'hex')
   for no key update of r, k`,
)

export interface PresentedCaller {
  caller: Pick<Caller, 'id' | 'kind' | 'credential'>
  /** The hash of the key or of the session's secret. */
  key_hash: string
  /** The organization of the path, if any. */
  org_id: string | undefined
}

/**
 * In the lock order of SCIM provisioning: the organization, then people. Without an organization a person is not
 * locked: the change then concerns only their own data, which is of no use to a deactivated person.
 */
export function buildCallerLocks({ caller, key_hash, org_id }: PresentedCaller): Step[] {
  const locks: Step[] = []
  if (org_id !== undefined) {
    locks.push(makeStep(lockOrg, { org_id }))
    if (caller.kind === 'user') locks.push(makeStep(lockMember, { org_id, user_id: caller.id }))
  }
  return [...locks, makeStep(pickCredentialLock(caller), { key_hash })]
}

function pickCredentialLock({ kind, credential }: PresentedCaller['caller']) {
  if (credential === 'session') return lockSession
  if (kind === 'service_account') return lockAccountKey
  return kind === 'ci_job' ? lockCiKey : lockPersonalKey
}
