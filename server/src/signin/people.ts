// Links people from an identity provider to users. They are identified by issuer and subject. At the first sign-in, a
// person is linked to the user with their verified mail address if the provider has authority over that domain;
// otherwise a new user is created.

import type { Deps } from '../api/operation.ts'
import { findOrg } from '../api/orgs/store.ts'
import { changeMembership } from '../api/shared/membership.ts'
import { findMembership } from '../api/shared/membership-store.ts'
import { chooseSponsor } from '../api/shared/sponsor.ts'
import type { Db } from '../db/database.ts'
import { DEFAULT_FEATURES } from '../domain/features.ts'
import { isReservedOrgName } from '../domain/names.ts'
import { isRole, type Role, rankRole } from '../domain/roles.ts'
import { recordEvent } from '../events/record.ts'
import { assert } from '../lib/assert.ts'
import { OrgMoved } from '../lib/errors.ts'
import type { Claims, Provider } from './oidc.ts'
import {
  findFreeName,
  findIdentity,
  findUserByEmail,
  type Identified,
  makeIdentity,
  makePersonalOrg,
  makeUser,
  releaseAddress,
  setAddress,
} from './people-store.ts'

const MAX_NAME = 64
/** In `mail_domains`: every domain that no other provider has. */
const ANY_DOMAIN = '*'
const MAX_DISPLAY_NAME = 200
const MAX_EMAIL = 254
/** Numbered names to try before one with an id. */
const MAX_NAMES_TRIED = 50
/** New organizations have every feature, like those created by the admin command. */

export interface RequestContext {
  now: Date
  request_id: string
}

/** The known or newly created person; undefined if the provider has no authority over them. */
export async function findOrCreatePerson(
  { db, ids, sso }: Pick<Deps, 'db' | 'ids' | 'sso'>,
  { provider, providers, claims }: { provider: Provider; providers: readonly Provider[]; claims: Claims },
  context: RequestContext,
): Promise<Identified | undefined> {
  const org_id = ids.next()
  return db.withTransaction({ signin: true, org_id }, async tx => {
    const known = await findIdentity(tx, claims)
    const email = readVerifiedEmail(claims.all, provider)
    const hasAuthority = email !== undefined && hasAuthorityOver(provider, providers, email)
    if (known) {
      if (hasAuthority) await moveAddress(tx, { ...known, email, issuer: claims.issuer, now: context.now })
      return known
    }
    if (email === undefined || !maySignIn(provider, providers, email)) return undefined
    const addressOwner = await findUserByEmail(tx, { email, issuer: claims.issuer })
    // The address belongs to a deactivated user: they may sign in neither as themselves nor as a new user.
    if (addressOwner?.is_deactivated) return undefined
    const { issuer, subject } = claims
    const ownsAddress = addressOwner !== undefined && hasAuthority
    // Two subjects of one issuer are two people, even if one got the address of the other.
    if (ownsAddress && !addressOwner.is_known_to_issuer) {
      const { user_id, user_name, is_deactivated } = addressOwner
      await makeIdentity(tx, { issuer, subject, user_id, now: context.now })
      return { user_id, user_name, is_deactivated, is_new: false }
    }
    // The address changed owner: a link mailed to it must no longer lead into the previous owner's account.
    if (ownsAddress) await releaseAddress(tx, { user_id: addressOwner.user_id, now: context.now })
    const { preferred_username } = claims.all
    const user_id = ids.next()
    const made = {
      user_id,
      names: suggestNames(typeof preferred_username === 'string' ? preferred_username : '', email, user_id),
      // Otherwise an invitation to the address could lead into an account that another person created.
      email: hasAuthority ? email : null,
      display_name: readDisplayName(claims),
      event_data: { issuer },
      org_id,
    }
    await createPerson(tx, { ids, sso }, made, context)
    await makeIdentity(tx, { issuer, subject, user_id, now: context.now })
    return findIdentity(tx, claims)
  })
}

/** Updates the address to the one given by the provider of its domain, unless it belongs to another account. */
async function moveAddress(
  tx: Db,
  to: { user_id: string; email: string; issuer: string; now: Date },
): Promise<void> {
  const { user_id, email, issuer, now } = to
  const holder = await findUserByEmail(tx, { email, issuer })
  if (holder?.user_id === user_id || (holder && !holder.is_known_to_issuer)) return
  if (holder) await releaseAddress(tx, { user_id: holder.user_id, now })
  await releaseAddress(tx, { user_id, now })
  await setAddress(tx, { user_id, email })
}

/**
 * The user with a mail address, for a person who has proven that it is theirs; an unknown person becomes a new user.
 */
export async function findOrCreateByAddress(
  { db, ids, sso }: Pick<Deps, 'db' | 'ids' | 'sso'>,
  email: string,
  context: RequestContext,
): Promise<Identified> {
  const org_id = ids.next()
  return db.withTransaction({ signin: true, org_id }, async tx => {
    const known = await findUserByEmail(tx, { email, issuer: '' })
    if (known) {
      const { user_id, user_name, is_deactivated } = known
      return { user_id, user_name, is_deactivated, is_new: false }
    }
    const user_id = ids.next()
    const made = {
      user_id,
      names: suggestNames('', email, user_id),
      email,
      display_name: null,
      event_data: {},
      org_id,
    }
    const user_name = await createPerson(tx, { ids, sso }, made, context)
    return { user_id, user_name, is_deactivated: false, is_new: true }
  })
}

/**
 * Assigns the provider's roles to a user created for this identity. Runs again if the first attempt did not complete.
 */
export async function assignMappedRoles(
  { db, ids }: Pick<Deps, 'db' | 'ids'>,
  { provider, claims }: { provider: Provider; claims: Claims },
  { user_id, user_name }: Identified,
  context: RequestContext,
): Promise<void> {
  for (const [org_name, role] of readMappedRoles(provider, claims)) {
    const org = await db.withTransaction({ signin: true }, tx => findOrg(tx, org_name))
    if (org?.kind !== 'shared' || org.delete_requested_at !== null) continue
    const { org_id } = org
    const eventContext = {
      ...context,
      org: { org_id },
      caller: { name: user_name, kind: 'user', id: user_id },
    }
    const assign = db.withTransaction({ signin: true, org_id }, async tx => {
      // A role that was assigned here stays.
      const current = await findMembership(tx, org_id, user_id)
      if (current.role !== null) return
      await changeMembership(tx, eventContext, ids, { user_id, user_name, role, source: 'app' })
    })
    // The cell that has the organization now assigns the role when the person signs in there.
    await assign.catch(error => {
      if (!(error instanceof OrgMoved)) throw error
    })
  }
}

/** The highest role per organization that any value of the claim maps to. */
function readMappedRoles({ role_claim, role_map }: Provider, claims: Claims): Map<string, Role> {
  const roles = new Map<string, Role>()
  const values = role_claim === undefined ? [] : [claims.all[role_claim]].flat()
  for (const value of values) {
    if (typeof value !== 'string' || !Object.hasOwn(role_map, value)) continue
    const mapped = role_map[value]
    if (!mapped || !isRole(mapped.role)) continue
    const current = roles.get(mapped.org)
    if (current === undefined || rankRole(mapped.role) > rankRole(current)) roles.set(mapped.org, mapped.role)
  }
  return roles
}

interface NewPerson {
  user_id: string
  /** The first free name is used. */
  names: string[]
  email: string | null
  display_name: string | null
  /** Additional data of the event. */
  event_data: Record<string, unknown>
  org_id: string
}

/** Creates a user with a personal organization; returns the name. */
async function createPerson(
  tx: Db,
  { ids, sso }: Pick<Deps, 'ids' | 'sso'>,
  { user_id, names, email, display_name, event_data, org_id }: NewPerson,
  context: RequestContext,
): Promise<string> {
  const { now } = context
  const name = await findFreeName(tx, names)
  assert(name, 'a name with an id in it is free')
  await makeUser(tx, { user_id, name, email, display_name, now })
  const sponsor = await chooseSponsor(tx, { user_id, email }, sso.vouching_domains)
  await makePersonalOrg(tx, { org_id, name, features: { ...DEFAULT_FEATURES }, sponsor, now })
  const eventContext = { ...context, org: { org_id }, caller: { name, kind: 'user', id: user_id } }
  await recordEvent(tx, eventContext, ids, {
    kind: 'org_created',
    data: { source: 'app', org: name, kind: 'personal' },
  })
  await changeMembership(tx, eventContext, ids, { user_id, user_name: name, role: 'admin', source: 'app' })
  await recordEvent(tx, eventContext, ids, {
    kind: 'user_created',
    data: { source: 'app', user: name, email, ...event_data },
    about: { person: user_id },
  })
  return name
}

/** Based on the provider's user name, else on the address; then with a number. */
function suggestNames(preferred: string, email: string, user_id: string): string[] {
  const base = toName(preferred) || toName(email) || 'user'
  const numbered = Array.from({ length: MAX_NAMES_TRIED - 1 }, (_, i) => `${base}-${i + 2}`)
  const names = [base, ...numbered, `${base}-${user_id.replaceAll('-', '').slice(12, 28)}`]
  return names.filter(name => !isReservedOrgName(name))
}

/** Keeps only the characters that a name may have. */
function toName(text: string): string {
  const [local = ''] = text.split('@', 1)
  return local
    .normalize('NFKD')
    .replaceAll(/\p{M}/gu, '')
    .replaceAll(/[^a-zA-Z0-9\-_.]+/g, '-')
    .replace(/^[^a-zA-Z0-9]+/, '')
    .replace(/-+$/, '')
    .slice(0, MAX_NAME)
}

function readDisplayName(claims: Claims): string | null {
  const { name } = claims.all
  const shown = typeof name === 'string' ? name.replaceAll(/\p{Cc}/gu, '').trim() : ''
  return shown === '' ? null : shown.slice(0, MAX_DISPLAY_NAME)
}

/**
 * The address if the provider has verified it. Some send the flag as text; some omit it and are trusted by a setting.
 */
function readVerifiedEmail(
  { email, email_verified }: Record<string, unknown>,
  { trusted_mail_domains }: Provider,
): string | undefined {
  const isAddress =
    typeof email === 'string' && email.length <= MAX_EMAIL && /^[^\s@\p{Cc}]+@[^\s@\p{Cc}]+$/u.test(email)
  if (!isAddress) return undefined
  const isTrusted = email_verified === undefined && trusted_mail_domains.includes(getDomain(email))
  return email_verified === true || email_verified === 'true' || isTrusted ? email : undefined
}

/** A provider for certain domains signs in only their people, and no other provider signs them in. */
function maySignIn(provider: Provider, providers: readonly Provider[], email: string): boolean {
  const domain = getDomain(email)
  if (provider.mail_domains.includes(domain)) return true
  const isForAll = provider.mail_domains.length === 0 || provider.mail_domains.includes(ANY_DOMAIN)
  return isForAll && !providers.some(({ mail_domains }) => mail_domains.includes(domain))
}

/** Whether the provider may vouch for the address here. Otherwise the address is not stored. */
function hasAuthorityOver(provider: Provider, providers: readonly Provider[], email: string): boolean {
  if (providers.length === 1 || provider.mail_domains.includes(getDomain(email))) return true
  return provider.mail_domains.includes(ANY_DOMAIN) && maySignIn(provider, providers, email)
}

function getDomain(email: string): string {
  return email.slice(email.lastIndexOf('@') + 1).toLowerCase()
}
