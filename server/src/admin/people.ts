// Creates or updates users, orgs, members and service accounts. Every function here is idempotent.
import {
  findOrg,
  findServiceAccount,
  insertOrg,
  insertServiceAccount,
  lockDeletion,
  setDeletion,
  updateOrg,
  updateServiceAccount,
} from '../api/orgs/store.ts'
import { changeMembership } from '../api/shared/membership.ts'
import { toEpochOrNull } from '../api/shared/wire.ts'
import { findUser, insertUser, setUserEmail } from '../api/users/store.ts'
import type { DatabaseFault } from '../db/violations.ts'
import { DEFAULT_FEATURES, type Features } from '../domain/features.ts'
import { isRole } from '../domain/roles.ts'
import { toPerson } from '../domain/sponsor.ts'
import type { EventKind } from '../events/kinds.ts'
import { assert } from '../lib/assert.ts'
import { AppError } from '../lib/errors.ts'
import { ADMIN_ACTOR, type Admin, AdminProblem, recordChange, refuseFrozen } from './actor.ts'

export interface UserInput {
  name: string
  email: string | null
  personal_org: boolean
}

export async function ensureUser(admin: Admin, input: UserInput): Promise<string> {
  const { name, email, personal_org } = input
  const { tx, ids, now } = admin
  const isNew = await withFreeName(input, () => insertUser(tx, { user_id: ids.next(), name, email, now }))
  const user = await findUser(tx, name)
  assert(user, 'a user that was just inserted or already existed can be found')
  const home_org_id = personal_org ? await ensurePersonalOrg(admin, name, user.user_id) : undefined
  if (isNew) {
    admin.changes.push(`created user ${name}`)
    await recordAtHome(admin, { home_org_id, user_id: user.user_id }, 'user_created', { user: name, email })
  }
  if (!isNew && email !== null && email !== user.email) {
    await withFreeEmail(email, () => setUserEmail(tx, user.user_id, email))
    admin.changes.push(`changed the email of ${name}`)
    await recordAtHome(admin, { home_org_id, user_id: user.user_id }, 'user_changed', {
      user: name,
      email,
      previous: { email: user.email },
    })
  }
  return user.user_id
}

async function withFreeName<T>({ name, email }: UserInput, save: () => Promise<T>): Promise<T> {
  try {
    return await withFreeEmail(email, save)
  } catch (error) {
    if ((error as DatabaseFault).constraint !== 'users_name_without_case') throw error
    throw new AdminProblem(`The name ${name} is taken: it differs from another user's name only in case`)
  }
}

async function withFreeEmail<T>(email: string | null, save: () => Promise<T>): Promise<T> {
  try {
    return await save()
  } catch (error) {
    if ((error as DatabaseFault).constraint !== 'users_email') throw error
    throw new AdminProblem(`The email ${email} already belongs to another user`)
  }
}

/** User changes are recorded in the personal org. A user without one has no event log of their own. */
async function recordAtHome(
  admin: Admin,
  { home_org_id, user_id }: { home_org_id: string | undefined; user_id: string },
  kind: EventKind,
  data: Record<string, unknown>,
): Promise<void> {
  if (home_org_id === undefined) return
  await recordChange(admin, home_org_id, kind, data, { about: { person: user_id } })
}

async function ensurePersonalOrg(admin: Admin, name: string, user_id: string): Promise<string> {
  const kind = 'personal' as const
  const sponsor = toPerson(user_id)
  const org_id = await ensureOrg(admin, { name, kind, description: undefined, features: {}, sponsor })
  await ensureMember(admin, { org_id, org: name, user_id, user: name, role: 'admin' })
  return org_id
}

export interface OrgInput {
  name: string
  kind: 'personal' | 'shared'
  description: string | undefined
  features: Features
  /** Whoever stands behind it if it is new. The organizations of the operator stand for themselves. */
  sponsor?: string
}

export async function ensureOrg(admin: Admin, input: OrgInput): Promise<string> {
  const { tx, ids, now, changes } = admin
  const { name, kind, features } = input
  const created = {
    org_id: ids.next(),
    name,
    kind,
    description: input.description ?? '',
    features: { ...DEFAULT_FEATURES, ...features },
    sponsor: input.sponsor ?? null,
  }
  if (await insertOrg(tx, { ...created, now })) {
    changes.push(`created ${kind} organization ${name}`)
    await recordChange(admin, created.org_id, 'org_created', { org: name, kind })
    return created.org_id
  }
  const org = await findOrg(tx, name)
  if (!org) {
    throw new AdminProblem(
      `The name ${name} is taken: it differs from another organization's name only in case`,
    )
  }
  if (org.kind !== kind) {
    const remedy = org.kind === 'personal' ? '; to configure it, set kind: personal' : ''
    throw new AdminProblem(`The organization ${name} already exists and is ${org.kind}${remedy}`)
  }
  const after = {
    description: input.description ?? org.description,
    features: { ...org.features, ...features },
  }
  const changedFeatures = Object.keys(features).filter(feature => org.features[feature] !== features[feature])
  if (after.description !== org.description || changedFeatures.length > 0) {
    await updateOrg(tx, org.org_id, after)
    changes.push(`changed organization ${name}`)
    const previous = { description: org.description, features: org.features }
    await recordChange(admin, org.org_id, 'org_changed', { ...after, previous })
  }
  return org.org_id
}

/** Cancels an org's scheduled deletion. Its members regain access with the roles they had. */
export async function restoreOrg(admin: Admin, name: string): Promise<void> {
  const org = await lockDeletion(admin.tx, name)
  if (!org) throw new AdminProblem(`There is no organization ${name}`)
  const { org_id, delete_requested_at, delete_after } = org
  if (delete_requested_at === null) return
  await setDeletion(admin.tx, org_id, { now: null, delete_after: null })
  admin.changes.push(`restored organization ${name}`)
  const before = {
    delete_requested_at: toEpochOrNull(delete_requested_at),
    delete_after: toEpochOrNull(delete_after),
  }
  const after = { delete_requested_at: null, delete_after: null }
  await recordChange(admin, org_id, 'org_restored', { org: name, before, after })
}

export interface MemberInput {
  org_id: string
  org: string
  user_id: string
  user: string
  role: string
}

export async function ensureMember(
  admin: Admin,
  { org_id, org, user_id, user, role }: MemberInput,
): Promise<void> {
  if (!isRole(role)) throw new AdminProblem(`Unknown role ${role}: use admin, member, snapshotter or reader`)
  await refuseFrozen(admin.tx, org_id)
  const changed = await withOperatorErrors(() =>
    changeMembership(
      admin.tx,
      { org: { org_id }, caller: { name: ADMIN_ACTOR }, now: admin.now, request_id: 'admin' },
      admin.ids,
      { user_id, user_name: user, role, source: 'script' },
    ),
  )
  if (changed !== 'unchanged') admin.changes.push(`made ${user} ${role} of ${org}`)
}

/** Turns errors that the API would return to a caller into an operator's mistake. */
async function withOperatorErrors<T>(work: () => Promise<T>): Promise<T> {
  try {
    return await work()
  } catch (error) {
    if (error instanceof AppError) throw new AdminProblem(error.message)
    throw error
  }
}

export interface ServiceAccountInput {
  org_id: string
  org: string
  name: string
  /** Undefined fields keep their value. A new account is a reader without a description. */
  privilege: string | undefined
  description: string | undefined
}

export async function ensureServiceAccount(admin: Admin, input: ServiceAccountInput): Promise<string> {
  const { org_id, org, name } = input
  const service_account_id = admin.ids.next()
  const initial = { privilege: input.privilege ?? 'reader', description: input.description ?? '' }
  const account = { service_account_id, name, ...initial, now: admin.now }
  if (await insertServiceAccount(admin.tx, org_id, account)) {
    admin.changes.push(`created service account ${name} in ${org}`)
    const data = { service_account: name, privilege: initial.privilege }
    await recordChange(admin, org_id, 'service_account_created', data, {
      row_ids: { service_account: service_account_id },
    })
    return service_account_id
  }
  const existing = await findServiceAccount(admin.tx, org_id, name)
  assert(existing, 'a service account whose name is taken can be found')
  const privilege = input.privilege ?? existing.privilege
  const description = input.description ?? existing.description
  if (existing.privilege !== privilege || existing.description !== description) {
    await updateServiceAccount(admin.tx, org_id, { ...existing, privilege, description })
    admin.changes.push(`changed service account ${name} in ${org}`)
    const previous = { privilege: existing.privilege, description: existing.description }
    const data = { service_account: name, privilege, description, previous }
    await recordChange(admin, org_id, 'service_account_changed', data, {
      row_ids: { service_account: existing.service_account_id },
    })
  }
  return existing.service_account_id
}
