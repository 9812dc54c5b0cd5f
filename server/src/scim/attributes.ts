// The attributes of users and groups, and the resolution of paths in filters and PATCH requests. Names and types come
// from the schemas of scimmy. Only its definitions are used: its filter gives `not (a or b)` another meaning, rejects
// nested brackets and takes exponential time for some texts, and its PATCH and lists are built on that filter.
import { EnterpriseUser, Group, User } from 'scimmy/schemas'
import type { Attribute as LibraryAttribute, SchemaDefinition } from 'scimmy/types'

export interface Attribute {
  name: string
  type: string
  is_list: boolean
  is_case_exact: boolean
  is_read_only: boolean
  /** Sub-attributes by lower-case name; empty unless complex. */
  inner: Attributes
}

export type Attributes = ReadonlyMap<string, Attribute>

export interface ResourceType {
  name: 'User' | 'Group'
  endpoint: 'Users' | 'Groups'
  schema: string
  extensions: readonly string[]
  attributes: Attributes
}

export const USER_SCHEMA: string = User.definition.id
export const GROUP_SCHEMA: string = Group.definition.id
export const ENTERPRISE_SCHEMA: string = EnterpriseUser.definition.id

/** Never stored or returned: there are no passwords in this service. */
const OMITTED = new Set(['password'])
const READ_ONLY = new Set(['id', 'meta', 'groups', 'schemas'])

const DEFINITIONS = [User.definition, Group.definition, EnterpriseUser.definition]

export const USER: ResourceType = {
  name: 'User',
  endpoint: 'Users',
  schema: USER_SCHEMA,
  extensions: [ENTERPRISE_SCHEMA],
  attributes: indexByName([
    ...toAttributes(User.definition),
    {
      name: ENTERPRISE_SCHEMA,
      type: 'complex',
      is_list: false,
      is_case_exact: false,
      is_read_only: false,
      inner: indexByName(toAttributes(EnterpriseUser.definition).filter(isOwn)),
    },
  ]),
}

export const GROUP: ResourceType = {
  name: 'Group',
  endpoint: 'Groups',
  schema: GROUP_SCHEMA,
  extensions: [],
  attributes: indexByName(toAttributes(Group.definition)),
}

/** The schemas as the Schemas endpoint returns them. */
export function describeSchemas(address: string) {
  return DEFINITIONS.map(definition => {
    const described = definition.describe(address)
    return { ...described, attributes: described.attributes.filter(({ name }) => !OMITTED.has(name)) }
  })
}

function toAttributes(definition: SchemaDefinition): Attribute[] {
  return definition.attributes.map(toAttribute).filter(({ name }) => !OMITTED.has(name))
}

function toAttribute({ name, type, config, subAttributes }: LibraryAttribute): Attribute {
  return {
    name,
    type: String(type),
    is_list: config.multiValued === true,
    is_case_exact: config.caseExact === true || name === 'id' || name === 'externalId',
    is_read_only: READ_ONLY.has(name),
    inner: indexByName((subAttributes ?? []).map(toAttribute)),
  }
}

/** Excludes the attributes that every schema has in common. */
function isOwn({ name }: Attribute): boolean {
  return !['schemas', 'id', 'externalId', 'meta'].includes(name)
}

function indexByName(attributes: readonly Attribute[]): Attributes {
  return new Map(attributes.map(attribute => [attribute.name.toLowerCase(), attribute]))
}

/**
 * The attributes on a path such as `name.familyName`, with or without the schema in front. Undefined if the path does
 * not exist.
 */
export function resolvePath(type: ResourceType, path: string): Attribute[] | undefined {
  const lower = path.toLowerCase()
  const own = `${type.schema.toLowerCase()}:`
  if (lower.startsWith(own)) return walkPath(type.attributes, path.slice(own.length))
  const schema = type.extensions.find(urn => lower.startsWith(urn.toLowerCase()))
  if (schema === undefined) return walkPath(type.attributes, path)
  const extension = type.attributes.get(schema.toLowerCase())
  if (!extension || lower.length === schema.length) return extension && [extension]
  const rest =
    lower[schema.length] === ':' ? walkPath(extension.inner, path.slice(schema.length + 1)) : undefined
  return rest && [extension, ...rest]
}

/** The same below an attribute, for paths between brackets. */
export function resolvePathBelow({ inner }: Attribute, path: string): Attribute[] | undefined {
  return walkPath(inner, path)
}

function walkPath(attributes: Attributes, path: string): Attribute[] | undefined {
  const found: Attribute[] = []
  let level = attributes
  for (const name of path.split('.')) {
    const attribute = level.get(name.toLowerCase())
    if (!attribute) return undefined
    found.push(attribute)
    level = attribute.inner
  }
  return found
}
