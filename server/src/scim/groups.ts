// The groups of an organization as its identity provider sees them. The name of a group can grant its members a role:
// a change of a group updates the roles of all affected users in the same transaction.
import {
  applyPatch,
  applyProjection,
  GROUP,
  GROUP_SCHEMA,
  invalidValue,
  isRequested,
  isValues,
  type Listing,
  type ListQuery,
  listResources,
  noSuchResource,
  notUnique,
  type Projection,
  parseResource,
  type Values,
} from '@waybill/scim'
import { parseGroupRole } from '../domain/group-roles.ts'
import { recordEvent } from '../events/record.ts'
import { AppError } from '../lib/errors.ts'
import { groupBy } from '../lib/group-by.ts'
import { parseWireId, toWireId } from '../lib/ids.ts'
import * as store from './groups-store.ts'
import { applyRoles } from './people.ts'
import { buildScimUrl, FIRST_ID, provision, type ScimDeps, type ScimRequest, type Work } from './provision.ts'

const MAX_NAME_CHARACTERS = 512
const MAX_MEMBERS_CHANGED = 1000

export async function createGroup(deps: ScimDeps, request: ScimRequest, body: unknown): Promise<Values> {
  const input = parseGroup(parseResource(GROUP, body))
  return provision(deps, request, async work => {
    const { tx, ids } = work
    const { org_id } = request.org
    const group_id = ids.next()
    const { members, ...group } = input
    if (!(await store.insertGroup(tx, org_id, { group_id, ...group, now: request.now }))) {
      throw nameTaken(group.display_name)
    }
    const added = await requireMembers(work, members)
    await store.addMembers(tx, org_id, group_id, added)
    const data = { group: group.display_name, role: group.role, members_added: added.length }
    await recordEvent(tx, request, ids, {
      kind: 'provisioned_group_created',
      data,
      row_ids: { provisioned_group: group_id },
    })
    await applyRoles(work, added)
    return renderGroup(deps, work, group_id)
  })
}

export async function getGroup(
  deps: ScimDeps,
  { org }: ScimRequest,
  wire_id: string,
  projection: Projection,
): Promise<Values> {
  return deps.db.withTransaction({ org_id: org.org_id }, async tx => {
    const group_id = parseWireId(wire_id)
    const row = group_id && (await store.findGroup(tx, org.org_id, group_id))
    if (!row) throw noSuchResource('Group', wire_id)
    const with_members = isRequested(GROUP, 'members', projection)
    const [resource] = await makeRenderer(deps, { tx, org, with_members })([row])
    return applyProjection(GROUP, resource ?? {}, projection)
  })
}

export async function listGroups(deps: ScimDeps, { org }: ScimRequest, query: ListQuery) {
  return deps.db.withTransaction({ org_id: org.org_id }, tx => {
    const { org_id } = org
    // Large groups have many members, and providers that only look for a name exclude them.
    const with_members = isRequested(GROUP, 'members', query) || /members/i.test(query.filter ?? '')
    const listing: Listing<store.GroupRow> = {
      type: GROUP,
      count: () => store.countGroups(tx, org_id),
      page: slice => store.listGroupPage(tx, org_id, slice),
      after: from => store.listGroupsAfter(tx, org_id, from),
      first_id: FIRST_ID,
      getId: row => row.group_id,
      findByValue: (attribute, value) => {
        if (attribute === 'displayName') return store.listGroupsByName(tx, org_id, value)
        if (attribute !== 'id') return undefined
        return store.findGroup(tx, org_id, parseWireId(value) ?? org_id).then(row => (row ? [row] : []))
      },
      render: makeRenderer(deps, { tx, org, with_members }),
    }
    return listResources(listing, query)
  })
}

export async function replaceGroup(deps: ScimDeps, request: ScimRequest, wire_id: string, body: unknown) {
  const input = parseGroup(parseResource(GROUP, body))
  return changeGroup(deps, request, wire_id, () => input)
}

export async function patchGroup(deps: ScimDeps, request: ScimRequest, wire_id: string, body: unknown) {
  return changeGroup(deps, request, wire_id, before => parseGroup(applyPatch(GROUP, toValues(before), body)))
}

export async function deleteGroup(deps: ScimDeps, request: ScimRequest, wire_id: string): Promise<void> {
  await provision(deps, request, async work => {
    const { tx, ids } = work
    const { org_id } = request.org
    const { group_id, display_name, role, members } = await requireGroup(work, wire_id)
    refuseTooMany(members)
    await store.deleteGroup(tx, org_id, group_id)
    const data = { group: display_name, role, members_removed: members.length }
    await recordEvent(tx, request, ids, {
      kind: 'provisioned_group_deleted',
      data,
      row_ids: { provisioned_group: group_id },
    })
    await applyRoles(work, members)
  })
}

interface GroupInput {
  display_name: string
  external_id: string | null
  role: string | null
  resource: Values
  /** User ids, as stored. */
  members: string[]
}

function parseGroup(values: Values): GroupInput {
  const { displayName, externalId, members, ...resource } = values
  if (typeof displayName !== 'string' || displayName.trim() === '')
    throw invalidValue('displayName is required')
  for (const text of [displayName, externalId]) {
    if (typeof text === 'string' && text.length > MAX_NAME_CHARACTERS) {
      throw invalidValue(`displayName and externalId have at most ${MAX_NAME_CHARACTERS} characters`)
    }
  }
  return {
    display_name: displayName,
    external_id: typeof externalId === 'string' && externalId !== '' ? externalId : null,
    role: parseGroupRole(displayName),
    resource,
    members: [...new Set((Array.isArray(members) ? members : []).map(parseMember))],
  }
}

function parseMember(member: unknown): string {
  const { value, type } = isValues(member) ? member : {}
  if (typeof type === 'string' && type.toLowerCase() === 'group') {
    throw invalidValue('A group cannot be a member of a group; add its users instead')
  }
  const scim_id = typeof value === 'string' ? parseWireId(value) : undefined
  if (scim_id === undefined) throw noSuchMember(String(value ?? ''))
  return scim_id
}

function noSuchMember(id: string) {
  return invalidValue(`The member with the id '${id}' does not exist`)
}

function toValues({ display_name, external_id, resource, members }: GroupInput): Values {
  return {
    displayName: display_name,
    ...(external_id === null ? {} : { externalId: external_id }),
    ...resource,
    ...(members.length > 0 ? { members: members.map(id => ({ value: toWireId(id) })) } : {}),
  }
}

async function requireGroup(
  { tx, request }: Work,
  wire_id: string,
): Promise<store.GroupRow & { members: string[] }> {
  const { org_id } = request.org
  const group_id = parseWireId(wire_id)
  const row = group_id && (await store.findGroup(tx, org_id, group_id))
  if (!row) throw noSuchResource('Group', wire_id)
  const members = await store.listMembersOfGroups(tx, org_id, [row.group_id])
  return { ...row, members: members.map(({ scim_id }) => scim_id) }
}

async function requireMembers({ tx, request }: Work, members: string[]): Promise<string[]> {
  refuseTooMany(members)
  const known = new Set(await store.listKnownUsers(tx, request.org.org_id, members))
  const stranger = members.find(id => !known.has(id))
  if (stranger !== undefined) throw noSuchMember(toWireId(stranger))
  return members
}

function refuseTooMany(members: readonly string[]): void {
  if (members.length <= MAX_MEMBERS_CHANGED) return
  throw new AppError(413, `One request changes the roles of at most ${MAX_MEMBERS_CHANGED} members`)
}

async function changeGroup(
  deps: ScimDeps,
  request: ScimRequest,
  wire_id: string,
  next: (before: GroupInput) => GroupInput,
): Promise<Values> {
  return provision(deps, request, async work => {
    const before = await requireGroup(work, wire_id)
    const after = next(before)
    await saveChanged(work, before, after)
    return renderGroup(deps, work, before.group_id)
  })
}

async function saveChanged(
  work: Work,
  before: store.GroupRow & GroupInput,
  after: GroupInput,
): Promise<void> {
  const { tx, request, ids } = work
  const { org_id } = request.org
  const { group_id } = before
  const { members, ...group } = after
  const [were, are] = [new Set(before.members), new Set(members)]
  const added = await requireMembers(
    work,
    members.filter(id => !were.has(id)),
  )
  const removed = before.members.filter(id => !are.has(id))
  const isSame =
    JSON.stringify(toValues({ ...before, members: [] })) ===
    JSON.stringify(toValues({ ...group, members: [] }))
  if (isSame && added.length + removed.length === 0) return
  const namesakes = await store.listGroupsByName(tx, org_id, group.display_name)
  if (namesakes.some(other => other.group_id !== group_id)) throw nameTaken(group.display_name)
  await store.updateGroup(tx, org_id, { group_id, ...group, now: request.now })
  await store.addMembers(tx, org_id, group_id, added)
  await store.removeMembers(tx, org_id, group_id, removed)
  const previous = { group: before.display_name, role: before.role }
  const counts = { members_added: added.length, members_removed: removed.length }
  const data = { group: group.display_name, role: group.role, previous, ...counts }
  await recordEvent(tx, request, ids, {
    kind: 'provisioned_group_changed',
    data,
    row_ids: { provisioned_group: group_id },
  })
  const concerned =
    group.role === before.role ? [...added, ...removed] : [...new Set([...before.members, ...members])]
  refuseTooMany(concerned)
  await applyRoles(work, concerned)
}

function nameTaken(display_name: string) {
  return notUnique(`A group with the displayName '${display_name}' already exists`)
}

async function renderGroup(deps: ScimDeps, { tx, request }: Work, group_id: string): Promise<Values> {
  const row = await store.findGroup(tx, request.org.org_id, group_id)
  const [resource] = row ? await makeRenderer(deps, { tx, org: request.org, with_members: true })([row]) : []
  return resource ?? {}
}

function makeRenderer(
  { base_url }: ScimDeps,
  { tx, org, with_members }: Pick<Work, 'tx'> & Pick<ScimRequest, 'org'> & { with_members: boolean },
) {
  const address = buildScimUrl(base_url, org.name)
  return async (rows: store.GroupRow[]): Promise<Values[]> => {
    const ids = rows.map(({ group_id }) => group_id)
    const members = with_members && ids.length > 0 ? await store.listMembersOfGroups(tx, org.org_id, ids) : []
    const of = groupBy(members, ({ group_id }) => group_id)
    return rows.map(row => toWire(row, of.get(row.group_id) ?? [], address))
  }
}

function toWire(row: store.GroupRow, members: readonly store.MemberRow[], address: string): Values {
  const id = toWireId(row.group_id)
  const listed = members.map(({ scim_id, user_name }) => ({
    value: toWireId(scim_id),
    $ref: `${address}/Users/${toWireId(scim_id)}`,
    display: user_name,
    type: 'User',
  }))
  return {
    schemas: [GROUP_SCHEMA],
    id,
    ...toValues({ ...row, members: [] }),
    ...(listed.length > 0 ? { members: listed } : {}),
    meta: {
      resourceType: 'Group',
      created: row.created_at.toISOString(),
      lastModified: row.last_modified_at.toISOString(),
      location: `${address}/Groups/${id}`,
    },
  }
}
