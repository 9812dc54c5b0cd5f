// The attributes of users and groups, and the resolution of paths in filters and PATCH requests. Names and types come
// from schemas.ts.
import {
  type AttributeDefinition,
  COMMON_ATTRIBUTES,
  ENTERPRISE_DEFINITION,
  GROUP_DEFINITION,
  USER_DEFINITION,
} from './schemas.ts'

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
  name: string
  /** Below the base URL, such as `Users`. */
  endpoint: string
  schema: string
  extensions: readonly string[]
  attributes: Attributes
}

export const USER_SCHEMA = USER_DEFINITION.id
export const GROUP_SCHEMA = GROUP_DEFINITION.id
export const ENTERPRISE_SCHEMA = ENTERPRISE_DEFINITION.id

export const USER: ResourceType = {
  name: 'User',
  endpoint: 'Users',
  schema: USER_SCHEMA,
  extensions: [ENTERPRISE_SCHEMA],
  attributes: indexByName([
    ...[...COMMON_ATTRIBUTES, ...USER_DEFINITION.attributes].map(toAttribute),
    {
      name: ENTERPRISE_SCHEMA,
      type: 'complex',
      is_list: false,
      is_case_exact: false,
      is_read_only: false,
      inner: indexByName(ENTERPRISE_DEFINITION.attributes.map(toAttribute)),
    },
  ]),
}

export const GROUP: ResourceType = {
  name: 'Group',
  endpoint: 'Groups',
  schema: GROUP_SCHEMA,
  extensions: [],
  attributes: indexByName([...COMMON_ATTRIBUTES, ...GROUP_DEFINITION.attributes].map(toAttribute)),
}

function toAttribute(definition: AttributeDefinition): Attribute {
  const { name, type, multiValued, caseExact, mutability, subAttributes = [] } = definition
  return {
    name,
    type,
    is_list: multiValued,
    is_case_exact: caseExact,
    is_read_only: mutability === 'readOnly',
    // Read-only attributes inside an object, such as a manager's name, are stored as the client sends them.
    inner: indexByName(subAttributes.map(inner => ({ ...toAttribute(inner), is_read_only: false }))),
  }
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
