// `admin user deactivate NAME` and `reactivate NAME`. A deactivated user has no access anywhere. Memberships and API
// keys are kept without effect, so that reactivation restores them; sessions and sign-in links end permanently. Keys
// of service accounts that the user owns stop after each org's grace period, as if the user had left the org.
import { toResumedEvent } from '../api/shared/membership.ts'
import { resumeKeysOfAccounts, stopKeysOfAccounts } from '../api/shared/membership-store.ts'
import { announceStoppedTokens } from '../api/shared/stopped-tokens.ts'
import { toEpochOrNull } from '../api/shared/wire.ts'
import { type Admin, AdminProblem, recordChange } from './actor.ts'
import {
  listAllUsers,
  listOrgsOfAdmin,
  listOrgsWithOwnedAccounts,
  listSoleAdminOrgs,
  lockUser,
  revokeLogins,
  setDeactivatedAt,
} from './deactivate-store.ts'

/** Returns the shared orgs that have no other active admin. Idempotent. */
export async function deactivateUser(admin: Admin, name: string): Promise<{ last_admin_of: string[] }> {
  const { tx, now } = admin
  const user = await requireUser(admin, name)
  if (user.deactivated_at === null) {
    await setDeactivatedAt(tx, user.user_id, now)
    await revokeLogins(tx, user.user_id, now)
    await stopAccounts(admin, name, user.user_id)
    await announceTokens(admin, name, user.user_id)
    await recordState(admin, user, true)
  }
  return { last_admin_of: await listSoleAdminOrgs(tx, user.user_id) }
}

export async function reactivateUser(admin: Admin, name: string): Promise<void> {
  const user = await requireUser(admin, name)
  if (user.deactivated_at === null) return
  await setDeactivatedAt(admin.tx, user.user_id, null)
  await resumeAccounts(admin, user.user_id)
  await recordState(admin, user, false)
}

export function listUsers({ tx }: Admin): ReturnType<typeof listAllUsers> {
  return listAllUsers(tx)
}

async function requireUser(admin: Admin, name: string) {
  const user = await lockUser(admin.tx, name)
  if (!user) throw new AdminProblem(`There is no user ${name}`)
  return user
}

async function stopAccounts(admin: Admin, owner: string, user_id: string): Promise<void> {
  const { tx, now } = admin
  for (const org_id of await listOrgsWithOwnedAccounts(tx, user_id)) {
    for (const stopped of await stopKeysOfAccounts(tx, org_id, { user_id, role: null, now })) {
      const { service_account_id, service_account, keys_stop_at } = stopped
      const data = { service_account, owner, keys_stop_at: toEpochOrNull(keys_stop_at) }
      await recordChange(admin, org_id, 'service_account_owner_left', data, {
        row_ids: { service_account: service_account_id, former_owner: service_account_id },
      })
    }
  }
}

async function announceTokens(admin: Admin, user_name: string, user_id: string): Promise<void> {
  const { tx, ids, now } = admin
  for (const org_id of await listOrgsOfAdmin(tx, user_id)) {
    const former = { org_id, user_id, user_name, has_left: true, now }
    for (const { kind, data } of await announceStoppedTokens(tx, ids, former)) {
      await recordChange(admin, org_id, kind, data)
    }
  }
}

async function resumeAccounts(admin: Admin, user_id: string): Promise<void> {
  for (const org_id of await listOrgsWithOwnedAccounts(admin.tx, user_id)) {
    for (const resumed of await resumeKeysOfAccounts(admin.tx, org_id, user_id)) {
      const { kind, data, row_ids } = toResumedEvent(resumed)
      await recordChange(admin, org_id, kind, data, { row_ids })
    }
  }
}

/** Records the change in the personal org. A user without one has no event log of their own. */
async function recordState(
  admin: Admin,
  { user_id, name, home_org_id }: NonNullable<Awaited<ReturnType<typeof lockUser>>>,
  deactivated: boolean,
): Promise<void> {
  admin.changes.push(`${deactivated ? 'deactivated' : 'reactivated'} user ${name}`)
  if (home_org_id === null) return
  const data = { user: name, deactivated, previous: { deactivated: !deactivated } }
  await recordChange(admin, home_org_id, 'user_changed', data, { about: { person: user_id } })
}
