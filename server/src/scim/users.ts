// The users of an organization as its identity provider sees them: create, read, list, replace, patch and delete. An
// active user is a member of the organization; an inactive or deleted one is not.
import {
  applyPatch,
  applyProjection,
  ENTERPRISE_SCHEMA,
  invalidValue,
  isValues,
  type Listing,
  type ListQuery,
  listResources,
  noSuchResource,
  notUnique,
  type Projection,
  parseResource,
  USER,
  USER_SCHEMA,
  type Values,
} from '@waybill/scim'
import { withdrawProvisionedInvitation } from '../api/invitations/invite.ts'
import { recordEvent } from '../events/record.ts'
import { groupBy } from '../lib/group-by.ts'
import { parseWireId, toWireId } from '../lib/ids.ts'
import { isMailAddress } from '../lib/shape.ts'
import { addressTaken, joinOrg, leaveOrg, type PersonInput } from './people.ts'
import { buildScimUrl, FIRST_ID, provision, type ScimDeps, type ScimRequest, type Work } from './provision.ts'
import * as store from './store.ts'

const MAX_NAME_CHARACTERS = 512
const MAX_RESOURCE_CHARACTERS = 65_536
const MAX_ADDRESS_CHARACTERS = 254

export async function createUser(deps: ScimDeps, request: ScimRequest, body: unknown): Promise<Values> {
  const input = parseUser(parseResource(USER, body), true)
  refuseMalformedAddresses(input)
  const { org_id } = request.org
  return provision(deps, request, async work => {
    const { tx, ids } = work
    const scim_id = ids.next()
    const person = toPersonInput(input)
    await refuseTaken(work, person, scim_id)
    if (!(await store.insertUser(tx, org_id, { scim_id, ...input, ...person, now: request.now })))
      throw nameTaken(input.user_name)
    if (!input.active) await recordDeprovisioned(work, { ...input, scim_id })
    else {
      await recordEvent(tx, request, ids, {
        kind: 'user_provisioned',
        data: { user_name: input.user_name },
        row_ids: { provisioned_user: scim_id },
      })
      await joinOrg(work, { scim_id, user_id: null, email: person.email }, person)
    }
    return renderUser(deps, work, scim_id)
  })
}

export async function getUser(
  deps: ScimDeps,
  { org }: ScimRequest,
  wire_id: string,
  projection: Projection,
): Promise<Values> {
  return deps.db.withTransaction({ org_id: org.org_id }, async tx => {
    const scim_id = parseWireId(wire_id)
    const row = scim_id && (await store.findUser(tx, org.org_id, scim_id))
    if (!row) throw noSuchResource('User', wire_id)
    const [resource] = await makeRenderer(deps, { tx, org })([row])
    return applyProjection(USER, resource ?? {}, projection)
  })
}

export async function listUsers(deps: ScimDeps, { org }: ScimRequest, query: ListQuery) {
  return deps.db.withTransaction({ org_id: org.org_id }, tx => {
    const { org_id } = org
    const listing: Listing<store.UserRow> = {
      type: USER,
      count: () => store.countUsers(tx, org_id),
      page: slice => store.listUserPage(tx, org_id, slice),
      after: from => store.listUsersAfter(tx, org_id, from),
      first_id: FIRST_ID,
      getId: row => row.scim_id,
      findByValue: (attribute, value) => {
        if (attribute === 'userName') return store.listUsersByName(tx, org_id, value)
        if (attribute === 'externalId') return store.listUsersByExternalId(tx, org_id, value)
        if (attribute !== 'id') return undefined
        return store.findUser(tx, org_id, parseWireId(value) ?? org_id).then(row => (row ? [row] : []))
      },
      render: makeRenderer(deps, { tx, org }),
    }
    return listResources(listing, query)
  })
}

export async function replaceUser(deps: ScimDeps, request: ScimRequest, wire_id: string, body: unknown) {
  const resource = parseResource(USER, body)
  return changeUser(deps, request, wire_id, row => parseUser(resource, row.active))
}

export async function patchUser(deps: ScimDeps, request: ScimRequest, wire_id: string, body: unknown) {
  return changeUser(deps, request, wire_id, row =>
    parseUser(applyPatch(USER, toValues(row), body), row.active),
  )
}

export async function deleteUser(deps: ScimDeps, request: ScimRequest, wire_id: string): Promise<void> {
  await provision(deps, request, async work => {
    const row = await lockUser(work, wire_id)
    if (row.active) await leaveOrg(work, row)
    await store.deleteUser(work.tx, request.org.org_id, row.scim_id)
    await recordDeprovisioned(work, row, { deleted: true })
  })
}

interface UserInput {
  user_name: string
  external_id: string | null
  active: boolean
  resource: Values
}

/** Separates attributes with their own column from the rest. */
function parseUser(values: Values, active_before: boolean): UserInput {
  const { userName, externalId, active, ...resource } = values
  if (typeof userName !== 'string' || userName.trim() === '') throw invalidValue('userName is required')
  for (const text of [userName, externalId]) {
    if (typeof text === 'string' && text.length > MAX_NAME_CHARACTERS) {
      throw invalidValue(`userName and externalId have at most ${MAX_NAME_CHARACTERS} characters`)
    }
  }
  if (JSON.stringify(resource).length > MAX_RESOURCE_CHARACTERS) {
    throw invalidValue(`The user is longer than ${MAX_RESOURCE_CHARACTERS} characters`)
  }
  return {
    user_name: userName,
    external_id: typeof externalId === 'string' && externalId !== '' ? externalId : null,
    active: typeof active === 'boolean' ? active : active_before,
    resource,
  }
}

/**
 * An address that nobody can have must not be passed over: the person would get the access of another one. What was
 * stored before stays, so that it keeps no user from being deactivated.
 */
function refuseMalformedAddresses(after: UserInput, before?: UserInput): void {
  const stored = before ? listAddresses(before) : []
  const wrong = listAddresses(after).find(text => !isAddress(text) && !stored.includes(text))
  if (wrong === undefined) return
  throw invalidValue(`'${String(wrong).slice(0, MAX_ADDRESS_CHARACTERS)}' in emails is not a mail address`)
}

/** Some providers send an empty text for no address. */
function listAddresses({ resource: { emails } }: UserInput): unknown[] {
  const listed = Array.isArray(emails) ? emails.filter(isValues) : []
  return listed
    .map(({ value }) => value)
    .filter(value => value !== undefined && value !== null && value !== '')
}

function toValues({ user_name, external_id, active, resource }: UserInput): Values {
  return {
    ...(external_id === null ? {} : { externalId: external_id }),
    userName: user_name,
    ...resource,
    active,
  }
}

/** The mail address and display name: the primary address, else the work address, else the first. */
function toPersonInput({ user_name, resource }: UserInput): PersonInput {
  const listed = Array.isArray(resource.emails) ? resource.emails.filter(isValues) : []
  const chosen =
    listed.find(one => one.primary === true) ?? listed.find(one => one.type === 'work') ?? listed[0]
  const email = [chosen?.value, user_name].find(isAddress) ?? null
  return { user_name, email, display_name: getDisplayName(resource) }
}

function isAddress(text: unknown): text is string {
  return typeof text === 'string' && text.length <= MAX_ADDRESS_CHARACTERS && isMailAddress(text)
}

function getDisplayName({ displayName, name }: Values): string | null {
  const parts = isValues(name) ? name : {}
  const whole = [parts.givenName, parts.familyName].filter(part => typeof part === 'string').join(' ')
  const found = [displayName, parts.formatted, whole].find(
    text => typeof text === 'string' && text.trim() !== '',
  )
  return typeof found === 'string' ? found.slice(0, MAX_NAME_CHARACTERS) : null
}

async function lockUser({ tx, request }: Work, wire_id: string): Promise<store.UserRow> {
  const scim_id = parseWireId(wire_id)
  const row = scim_id && (await store.lockUser(tx, request.org.org_id, scim_id))
  if (!row) throw noSuchResource('User', wire_id)
  return row
}

async function changeUser(
  deps: ScimDeps,
  request: ScimRequest,
  wire_id: string,
  next: (row: store.UserRow) => UserInput,
): Promise<Values> {
  return provision(deps, request, async work => {
    const before = await lockUser(work, wire_id)
    const after = next(before)
    refuseMalformedAddresses(after, before)
    const changed = findChangedNames(toValues(before), toValues(after))
    if (changed.length > 0) await saveChanged(work, before, after, changed)
    return renderUser(deps, work, before.scim_id)
  })
}

function findChangedNames(before: Values, after: Values): string[] {
  const names = new Set([...Object.keys(before), ...Object.keys(after)])
  return [...names].filter(name => JSON.stringify(before[name]) !== JSON.stringify(after[name]))
}

async function saveChanged(
  work: Work,
  before: store.UserRow,
  after: UserInput,
  changed: string[],
): Promise<void> {
  const { tx, request, ids } = work
  const { scim_id, user_id } = before
  const { user_name } = after
  const person = toPersonInput(after)
  await refuseTaken(work, person, scim_id)
  await store.updateUser(tx, request.org.org_id, { scim_id, ...after, ...person, now: request.now })
  await recordEvent(tx, request, ids, {
    kind: 'provisioned_user_changed',
    data: { user_name, changed },
    row_ids: { provisioned_user: scim_id },
  })
  if (!after.active) {
    if (!before.active) return
    await leaveOrg(work, before)
    return recordDeprovisioned(work, { ...after, scim_id })
  }
  if (!before.active) {
    await recordEvent(tx, request, ids, {
      kind: 'user_provisioned',
      data: { user_name, again: true },
      row_ids: { provisioned_user: scim_id },
    })
  }
  const isMoved = before.email?.toLowerCase() !== person.email?.toLowerCase()
  // Nothing else changes for a member: the directory's name for them is shown in this organization only.
  if (before.active && (user_id !== null || !isMoved)) return
  if (isMoved) await withdrawProvisionedInvitation(tx, request.org.org_id, { scim_id, now: request.now })
  await joinOrg(work, { scim_id, user_id, email: person.email }, person)
}

/** Names and addresses are unique among the users of the organization, whatever is known about them elsewhere. */
async function refuseTaken(
  { tx, request }: Work,
  { user_name, email }: PersonInput,
  own_id: string,
): Promise<void> {
  const { org_id, name: org_name } = request.org
  const others = await store.listUsersByName(tx, org_id, user_name)
  if (others.some(({ scim_id }) => scim_id !== own_id)) throw nameTaken(user_name)
  const holder = email === null ? undefined : await store.findUserByAddress(tx, org_id, email)
  if (holder !== undefined && holder !== own_id) throw addressTaken(email, org_name)
}

function nameTaken(user_name: string) {
  return notUnique(`A user with the userName '${user_name}' already exists`)
}

async function recordDeprovisioned(
  { tx, request, ids }: Work,
  { user_name, scim_id }: { user_name: string; scim_id: string },
  more: Record<string, unknown> = {},
): Promise<void> {
  await recordEvent(tx, request, ids, {
    kind: 'user_deprovisioned',
    data: { user_name, ...more },
    row_ids: { provisioned_user: scim_id },
  })
}

async function renderUser(deps: ScimDeps, { tx, request }: Work, scim_id: string): Promise<Values> {
  const row = await store.findUser(tx, request.org.org_id, scim_id)
  const [resource] = row ? await makeRenderer(deps, { tx, org: request.org })([row]) : []
  return resource ?? {}
}

function makeRenderer({ base_url }: ScimDeps, { tx, org }: Pick<Work, 'tx'> & Pick<ScimRequest, 'org'>) {
  const address = buildScimUrl(base_url, org.name)
  return async (rows: store.UserRow[]): Promise<Values[]> => {
    const ids = rows.map(({ scim_id }) => scim_id)
    const groups = ids.length === 0 ? [] : await store.listGroupsOfUsers(tx, org.org_id, ids)
    const of = groupBy(groups, ({ scim_id }) => scim_id)
    return rows.map(row => toWire(row, of.get(row.scim_id) ?? [], address))
  }
}

function toWire(row: store.UserRow, groups: readonly store.GroupOfUser[], address: string): Values {
  const id = toWireId(row.scim_id)
  const listed = groups.map(({ group_id, display_name }) => ({
    value: toWireId(group_id),
    $ref: `${address}/Groups/${toWireId(group_id)}`,
    display: display_name,
    type: 'direct',
  }))
  return {
    schemas: [USER_SCHEMA, ...(ENTERPRISE_SCHEMA in row.resource ? [ENTERPRISE_SCHEMA] : [])],
    id,
    ...toValues(row),
    ...(listed.length > 0 ? { groups: listed } : {}),
    meta: {
      resourceType: 'User',
      created: row.created_at.toISOString(),
      lastModified: row.last_modified_at.toISOString(),
      location: `${address}/Users/${id}`,
    },
  }
}
