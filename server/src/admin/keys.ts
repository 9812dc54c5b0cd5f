// Keys of people and of service accounts: minted here, or imported so that a migration keeps the ones in use.
import { addPersonalKey, addServiceAccountKey, ownerOfSecret } from '../api/keys/store.ts'
import { findOrg, findServiceAccount } from '../api/orgs/store.ts'
import { findUser } from '../api/users/store.ts'
import { hashSecret, hintOf, isImportableSecret } from '../lib/secrets.ts'
import { type Admin, AdminProblem, recordChange } from './actor.ts'

export type KeyOwner =
  | { kind: 'user'; name: string; user_id: string; home_org_id: string | undefined }
  | { kind: 'service_account'; name: string; org_id: string; service_account_id: string }

export async function userAsOwner(admin: Admin, name: string): Promise<KeyOwner> {
  const user = await findUser(admin.tx, name)
  if (!user) throw new AdminProblem(`There is no user ${name}`)
  const home = await findOrg(admin.tx, name)
  const home_org_id = home?.kind === 'personal' ? home.org_id : undefined
  return { kind: 'user', name, user_id: user.user_id, home_org_id }
}

export async function serviceAccountAsOwner(admin: Admin, org: string, name: string): Promise<KeyOwner> {
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

/** A new key; the secret is returned and never seen again. */
export async function mintKey(admin: Admin, owner: KeyOwner, description: string): Promise<string> {
  const { key } = admin.secrets.newApiKey(owner.kind === 'user' ? 'user' : 'svc')
  await store(admin, owner, key, description, 'api_key_created')
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
    throw new AdminProblem('A secret to import must be 20 to 512 visible ASCII characters without spaces')
  }
  const holder = await ownerOfSecret(admin.tx, hashSecret(secret))
  if (holder === (owner.kind === 'user' ? owner.user_id : owner.service_account_id)) return
  if (holder !== undefined) throw new AdminProblem('That secret is in use already by somebody else')
  await store(admin, owner, secret, description, 'api_key_imported')
  admin.changes.push(`imported a key for ${owner.name}`)
}

async function store(
  admin: Admin,
  owner: KeyOwner,
  secret: string,
  description: string,
  kind: 'api_key_created' | 'api_key_imported',
): Promise<void> {
  const key = {
    key_id: admin.ids.next(),
    key_hash: hashSecret(secret),
    hint: hintOf(secret),
    description,
    now: admin.now,
  }
  if (owner.kind === 'user') await addPersonalKey(admin.tx, owner.user_id, key)
  else await addServiceAccountKey(admin.tx, owner.org_id, owner.service_account_id, key)
  const org_id = owner.kind === 'user' ? owner.home_org_id : owner.org_id
  // A user without a personal org belongs to no log yet.
  if (org_id !== undefined)
    await recordChange(admin, org_id, kind, { owner: owner.name, hint: key.hint, description })
}
