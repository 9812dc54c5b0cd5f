// The people behind provisioned users. An identity provider speaks for its own org only: it can neither take over somebody
// who is at home elsewhere, nor change the mail address by which a person signs in to more than this org.
import { endSessionsOf } from '../api/sessions/store.ts'
import { changeMembership } from '../api/shared/membership.ts'
import { ROLES, type Role } from '../domain/roles.ts'
import { assert } from '../lib/assert.ts'
import { conflict } from '../lib/errors.ts'
import { standingOf } from './groups-store.ts'
import {
  changePerson,
  firstFreeName,
  holdPerson,
  insertPerson,
  type Person,
  personWithEmail,
  personWithId,
  revokeKeysOf,
  voidLinksOf,
} from './people-store.ts'
import { notUnique } from './problems.ts'
import type { Work } from './provision.ts'
import { roleByGroups } from './role.ts'

/** What is said of somebody that is ours to know as well. */
export interface Said {
  user_name: string
  email: string | null
  display_name: string | null
}

const LONGEST_NAME = 64
const NAMES_TRIED = 50

/** A new person, or the one who has this mail address, if they may be taken. */
export async function personFor(work: Work, said: Said): Promise<Person> {
  const { tx, request } = work
  const { org_id, name: org_name } = request.org
  // Made first: under row-level security a search by address reads all users, while the unique index just knows.
  const made = await makePerson(work, said)
  if (made) return made
  const found = said.email === null ? undefined : await personWithEmail(tx, org_id, said.email)
  const known = found && (await holdPerson(tx, org_id, found.user_id))
  if (!known || known.email?.toLowerCase() !== said.email?.toLowerCase()) {
    throw conflict('Another request changed a user of the same name or address at the same time; try again')
  }
  if (known.is_provisioned_here) {
    throw notUnique(`The mail address ${said.email} belongs to another user of '${org_name}'`)
  }
  if (known.is_deactivated) throw notUnique(`The mail address ${said.email} belongs to a deactivated person`)
  if (known.role === null && known.is_elsewhere) {
    throw notUnique(
      `The mail address ${said.email} belongs to a person of another organization; invite them to '${org_name}' first`,
    )
  }
  return known
}

async function makePerson({ tx, request, ids }: Work, said: Said): Promise<Person | undefined> {
  const user_id = ids.next()
  const base = loginName(said)
  const numbered = Array.from({ length: NAMES_TRIED }, (_, i) => (i === 0 ? base : `${base}-${i + 1}`))
  const name = await firstFreeName(tx, [...numbered, `${base}-${user_id.slice(-16, -4)}`])
  assert(name, 'a name made of a random number is free')
  const { email, display_name } = said
  if (!(await insertPerson(tx, { user_id, name, email, display_name, now: request.now }))) return undefined
  return personWithId(tx, request.org.org_id, user_id)
}

/** From `jane.doe@example.com` or `ACME\jane` to what a login name may be. */
function loginName({ user_name }: Said): string {
  const [local = ''] = user_name.split('@', 1)
  const name = local
    .normalize('NFKD')
    .replaceAll(/[^a-zA-Z0-9\-_.]+/g, '-')
    .replace(/^[^a-zA-Z0-9]+/, '')
    .slice(0, LONGEST_NAME)
    .replace(/[-_.]+$/, '')
  return name === '' ? 'user' : name
}

/**
 * Display name and mail address follow the provider while the person is nobody else's. The address only as long as they
 * have nothing but this org and no sign-in of their own: whoever gets mail at it can sign in, so that everything that was
 * signed in by the former one ends.
 */
export async function followPerson(work: Work, user_id: string, said: Said): Promise<void> {
  const { tx, request } = work
  const { org_id, name: org_name } = request.org
  const person = await holdPerson(tx, org_id, user_id)
  assert(person, 'a provisioned person is there')
  if (person.is_elsewhere) return
  const isOurs = !person.has_own_org && !person.has_identity
  const email = isOurs ? (said.email ?? person.email) : person.email
  const display_name = said.display_name ?? person.display_name
  const moves = email?.toLowerCase() !== person.email?.toLowerCase()
  if (email === person.email && display_name === person.display_name) return
  if (moves && email !== null && (await personWithEmail(tx, org_id, email))) {
    throw notUnique(`The mail address ${email} belongs to somebody else; it cannot be used in '${org_name}'`)
  }
  await changePerson(tx, { user_id, email, display_name })
  if (!moves) return
  await signOut(work, user_id)
  await revokeKeysOf(tx, user_id, { revoked_by: request.caller.name, now: request.now })
}

/** Out of the org and signed out everywhere; the personal keys of somebody who is in no shared org any more end. */
export async function deprovisionPerson(work: Work, user_id: string): Promise<{ revoked_keys: number }> {
  const { tx, request, ids } = work
  const { now, caller } = request
  const person = await holdPerson(tx, request.org.org_id, user_id)
  assert(person, 'a provisioned person is there')
  await changeMembership(tx, request, ids, { user_id, user_name: person.name, role: null, source: 'scim' })
  await signOut(work, user_id)
  const revoked_keys = person.is_elsewhere
    ? 0
    : await revokeKeysOf(tx, user_id, { revoked_by: caller.name, now })
  return { revoked_keys }
}

async function signOut({ tx, request, touched }: Work, user_id: string): Promise<void> {
  await endSessionsOf(tx, user_id, request.now)
  await voidLinksOf(tx, user_id, request.now)
  touched.add(user_id)
}

/** Gives these users the roles that their groups say. Promotes first, so that an org is never without an admin between. */
export async function applyRoles({ tx, request, ids, touched }: Work, scim_ids: string[]): Promise<void> {
  if (scim_ids.length === 0) return
  const standing = await standingOf(tx, request.org.org_id, scim_ids)
  const changes = standing
    .filter(({ active }) => active)
    .map(one => ({ ...one, wanted: roleByGroups(one.group_roles, one.default_role) }))
    .filter(({ role, wanted }) => role !== wanted)
    .sort((one, other) => rank(other.wanted) - rank(one.wanted))
  for (const { user_id, user_name, wanted: role } of changes) {
    await changeMembership(tx, request, ids, { user_id, user_name, role, source: 'scim' })
    touched.add(user_id)
  }
}

function rank(role: Role): number {
  return ROLES.indexOf(role)
}
