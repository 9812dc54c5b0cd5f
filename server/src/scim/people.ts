// The people behind provisioned users. A directory has authority only in its own organization, and only over people
// whose mail domain the organization has proven, or who joined it themselves. Everyone else is invited, whether or
// not they have an account.
import { notUnique } from '@waybill/scim'
import { inviteByMail, withdrawProvisionedInvitation } from '../api/invitations/invite.ts'
import { hasProvedDomain } from '../api/mail-domains/store.ts'
import { changeMembership } from '../api/shared/membership.ts'
import { pickHighestRole } from '../domain/group-roles.ts'
import { extractMailDomain } from '../domain/mail-domain.ts'
import { rankRole } from '../domain/roles.ts'
import { assert } from '../lib/assert.ts'
import { conflict } from '../lib/errors.ts'
import { listRoleStates } from './groups-store.ts'
import {
  findFreeName,
  findPersonByEmail,
  findPersonById,
  insertPerson,
  lockPerson,
  type Person,
} from './people-store.ts'
import type { Work } from './provision.ts'
import { linkUser } from './store.ts'

/** A directory's data about a person. */
export interface PersonInput {
  user_name: string
  email: string | null
  display_name: string | null
}

const MAX_NAME_CHARACTERS = 64
const NAMES_TRIED = 50

/** Undefined if the directory has no authority over the person with this address. */
async function findOrCreatePerson(work: Work, input: PersonInput): Promise<Person | undefined> {
  const { tx, request } = work
  const { org_id, name: org_name } = request.org
  const hasAuthority = await hasAuthorityOver(work, input.email)
  // Created first: under row-level security a search by address reads all users, while the unique index finds it at
  // once.
  const made = hasAuthority ? await createPerson(work, input) : undefined
  if (made) return made
  const found = input.email === null ? undefined : await findPersonByEmail(tx, org_id, input.email)
  if (!hasAuthority && (found?.role ?? null) === null) return undefined
  const known = found && (await lockPerson(tx, org_id, found.user_id))
  if (!known || known.email?.toLowerCase() !== input.email?.toLowerCase()) {
    throw conflict('Another request changed a user of the same name or address at the same time; try again')
  }
  if (known.is_provisioned_here) throw addressTaken(input.email, org_name)
  return known
}

export function addressTaken(email: string | null, org_name: string) {
  return notUnique(`The mail address ${email} belongs to another user of '${org_name}'`)
}

/** Whether the organization's directory may act for the person with this address without their consent. */
async function hasAuthorityOver({ tx, request, directories }: Work, email: string | null): Promise<boolean> {
  if (directories === 'trusted') return true
  return email !== null && hasProvedDomain(tx, request.org.org_id, extractMailDomain(email))
}

async function createPerson({ tx, request, ids }: Work, input: PersonInput): Promise<Person | undefined> {
  const user_id = ids.next()
  const base = toLoginName(input)
  const numbered = Array.from({ length: NAMES_TRIED }, (_, i) => (i === 0 ? base : `${base}-${i + 1}`))
  const name = await findFreeName(tx, [...numbered, `${base}-${user_id.slice(-16, -4)}`])
  assert(name, 'a name with a random suffix is free')
  const { email, display_name } = input
  if (!(await insertPerson(tx, { user_id, name, email, display_name, now: request.now }))) return undefined
  return findPersonById(tx, request.org.org_id, user_id)
}

/** Turns `jane.doe@example.com` or `ACME\jane` into a valid login name. */
function toLoginName({ user_name }: PersonInput): string {
  const [local = ''] = user_name.split('@', 1)
  const name = local
    .normalize('NFKD')
    .replaceAll(/[^a-zA-Z0-9\-_.]+/g, '-')
    .replace(/^[^a-zA-Z0-9]+/, '')
    .slice(0, MAX_NAME_CHARACTERS)
    .replace(/[-_.]+$/, '')
  return name === '' ? 'user' : name
}

/** A provisioned user, as needed to join or leave the organization. */
export interface Provisioned {
  scim_id: string
  user_id: string | null
  email: string | null
}

/**
 * Makes an active user a member, or invites them. A user who was provisioned before and left the organization is
 * invited again, unless the organization has proven the domain of the user's own address, whatever address the
 * directory sends.
 */
export async function joinOrg(work: Work, provisioned: Provisioned, input: PersonInput): Promise<void> {
  const { tx, request } = work
  const { org_id } = request.org
  const { scim_id } = provisioned
  const linked = provisioned.user_id === null ? undefined : await lockPerson(tx, org_id, provisioned.user_id)
  if (linked && (linked.role !== null || (await hasAuthorityOver(work, linked.email)))) {
    return applyRoles(work, [scim_id])
  }
  if (linked) await linkUser(tx, org_id, { scim_id, user_id: null })
  const person = await findOrCreatePerson(work, input)
  if (!person) return invite(work, provisioned)
  await linkUser(tx, org_id, { scim_id, user_id: person.user_id })
  await withdrawProvisionedInvitation(tx, org_id, { scim_id, now: request.now })
  // A member keeps the role until a group changes it.
  if (person.role === null) await applyRoles(work, [scim_id])
}

/** Neither the mail nor the response reveals whether the address is known here. */
async function invite(work: Work, { scim_id, email }: Provisioned): Promise<void> {
  const { tx, request, deps } = work
  if (email === null) return
  const { org } = request
  const [decided] = await listRoleStates(tx, org.org_id, [scim_id])
  const role = pickHighestRole(decided?.group_roles ?? [], decided?.default_role ?? null)
  const from_directory = { ...request, caller: { ...request.caller, name: `the directory of ${org.name}` } }
  await inviteByMail(tx, deps, from_directory, { email, role, scim_id })
}

/**
 * Ends the membership and the invitation. Sessions and personal keys stay: without a membership they give no access
 * here.
 */
export async function leaveOrg(work: Work, { scim_id, user_id }: Provisioned): Promise<void> {
  const { tx, request, ids, touched } = work
  await withdrawProvisionedInvitation(tx, request.org.org_id, { scim_id, now: request.now })
  if (user_id === null) return
  const person = await lockPerson(tx, request.org.org_id, user_id)
  assert(person, 'a linked person exists')
  await changeMembership(tx, request, ids, { user_id, user_name: person.name, role: null, source: 'scim' })
  touched.add(user_id)
}

/** Gives these users the roles of their groups. Promotes first, so that the organization always has an admin. */
export async function applyRoles(work: Work, scim_ids: string[]): Promise<void> {
  const { tx, request, ids, touched, directories } = work
  if (scim_ids.length === 0) return
  const roleStates = await listRoleStates(tx, request.org.org_id, scim_ids)
  const changes = roleStates
    .filter(({ active }) => active)
    // A user who left the organization returns by invitation, not because a group changed.
    .filter(({ role, is_domain_proved }) => role !== null || is_domain_proved || directories === 'trusted')
    .map(one => ({ ...one, wanted: pickHighestRole(one.group_roles, one.default_role) }))
    .filter(({ role, wanted: target_role }) => role !== target_role)
    .sort((one, other) => rankRole(other.wanted) - rankRole(one.wanted))
  for (const { user_id, user_name, wanted: role } of changes) {
    if (user_id === null || user_name === null) continue
    await changeMembership(tx, request, ids, { user_id, user_name, role, source: 'scim' })
    touched.add(user_id)
  }
}
