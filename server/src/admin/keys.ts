// Creates, imports, lists and revokes the API keys of users and service accounts. Importing lets a migration keep the
// keys that are already in use.

import { type KeyRing, revokeKey } from '../api/keys/key-ring.ts'
import { listPersonalKeys, makeUserKeyRing } from '../api/keys/personal-store.ts'
import { addPersonalKey, addServiceAccountKey, findSecretOwner } from '../api/keys/store.ts'
import { type ApiKey, type KeyRow, toWire } from '../api/keys/wire.ts'
import { findOrg, findServiceAccount } from '../api/orgs/store.ts'
import { listAccountKeys, makeAccountKeyRing } from '../api/service-accounts/keys-store.ts'
import { findUser } from '../api/users/store.ts'
import type { EventSubjects } from '../events/to-log.ts'
import { hashSecret, isImportableSecret, toHint } from '../lib/secrets.ts'
import { ADMIN_ACTOR, type Admin, AdminProblem, recordChange } from './actor.ts'

export type KeyOwner =
  | { kind: 'user'; name: string; user_id: string; home_org_id: string | undefined }
  | { kind: 'service_account'; name: string; org_id: string; service_account_id: string }

export async function requireUserOwner(admin: Admin, name: string): Promise<KeyOwner> {
  const user = await findUser(admin.tx, name)
  if (!user) throw new AdminProblem(`There is no user ${name}`)
  const home = await findOrg(admin.tx, name)
  const home_org_id = home?.kind === 'personal' ? home.org_id : undefined
  return { kind: 'user', name, user_id: user.user_id, home_org_id }
}

export async function requireAccountOwner(admin: Admin, org: string, name: string): Promise<KeyOwner> {
  const found = await findOrg(admin.tx, org)
  if (!found) throw new AdminProblem(`There is no organization ${org}`)
  const account = await findServiceAccount(admin.tx, found.org_id, name)
  if (!account) throw new AdminProblem(`There is no service account ${name} in ${org}`)
  return {
    kind: 'service_account',
    name,
    org_id: found.org_id,
    service_account_id: account.service_account_id,
  }
}

/** Returns the secret of the new key, which cannot be read again. */
export async function mintKey(admin: Admin, owner: KeyOwner, description: string): Promise<string> {
  const { key } = admin.secrets.createToken(owner.kind === 'user' ? 'user' : 'svc')
  await saveKey(admin, owner, key, description, 'api_key_created')
  admin.changes.push(`created a key for ${owner.name}`)
  return key
}

export async function importKey(
  admin: Admin,
  owner: KeyOwner,
  secret: string,
  description: string,
): Promise<void> {
  if (!isImportableSecret(secret)) {
    throw new AdminProblem('Invalid secret: it must be 20 to 512 visible ASCII characters without spaces')
  }
  const holder_id = await findSecretOwner(admin.tx, hashSecret(secret))
  if (holder_id === (owner.kind === 'user' ? owner.user_id : owner.service_account_id)) return
  if (holder_id !== undefined) throw new AdminProblem('This secret is already in use by someone else')
  await saveKey(admin, owner, secret, description, 'api_key_imported')
  admin.changes.push(`imported a key for ${owner.name}`)
}

/** Active keys, oldest first, without their secrets. */
export async function listOwnerKeys(admin: Admin, owner: KeyOwner): Promise<ApiKey[]> {
  return (await listKeyRows(admin, owner)).map(toWire)
}

/** Finds the key by its id or by a hint that only one key has. A running service rejects it at once. */
export async function revokeOwnerKey(admin: Admin, owner: KeyOwner, id_or_hint: string): Promise<ApiKey> {
  const keys = await listOwnerKeys(admin, owner)
  const [key, another] = keys.filter(({ id, hint }) => id === id_or_hint || hint === id_or_hint)
  if (!key) throw new AdminProblem(`${owner.name} has no active key ${id_or_hint}; see admin key list`)
  if (another) throw new AdminProblem(`Several keys of ${owner.name} begin with ${id_or_hint}; use the id`)
  const { kind, data } = await revokeKey(buildKeyRing(admin, owner), key.id)
  const org_id = getHomeOrg(owner)
  if (org_id !== undefined) await recordChange(admin, org_id, kind, data, { about: toSubject(owner) })
  admin.changes.push(`revoked the key ${key.id} of ${owner.name}`)
  return key
}

function listKeyRows({ tx, now }: Admin, owner: KeyOwner): Promise<KeyRow[]> {
  return owner.kind === 'user'
    ? listPersonalKeys(tx, owner.user_id, now)
    : listAccountKeys(tx, owner.org_id, owner.service_account_id, now)
}

function buildKeyRing({ tx, now }: Admin, owner: KeyOwner): KeyRing {
  const change = { now, changed_by: ADMIN_ACTOR }
  return owner.kind === 'user'
    ? makeUserKeyRing(tx, owner, change)
    : makeAccountKeyRing(tx, owner.org_id, owner, change)
}

/** The org whose event log records changes of the key. A user without a personal org has none. */
function getHomeOrg(owner: KeyOwner): string | undefined {
  return owner.kind === 'user' ? owner.home_org_id : owner.org_id
}

function toSubject(owner: KeyOwner): EventSubjects {
  return owner.kind === 'user' ? { person: owner.user_id } : { account: owner.service_account_id }
}

async function saveKey(
  admin: Admin,
  owner: KeyOwner,
  secret: string,
  description: string,
  kind: 'api_key_created' | 'api_key_imported',
): Promise<void> {
  const key = {
    key_id: admin.ids.next(),
    key_hash: hashSecret(secret),
    hint: toHint(secret),
    description,
    now: admin.now,
    expires_at: null,
  }
  if (owner.kind === 'user') await addPersonalKey(admin.tx, owner.user_id, key)
  else {
    const accountKey = { ...key, created_by: ADMIN_ACTOR }
    await addServiceAccountKey(admin.tx, owner.org_id, owner.service_account_id, accountKey)
  }
  const org_id = getHomeOrg(owner)
  if (org_id !== undefined)
    await recordChange(
      admin,
      org_id,
      kind,
      { owner: owner.name, hint: key.hint, description },
      { row_ids: { key: key.key_id }, about: toSubject(owner) },
    )
}
