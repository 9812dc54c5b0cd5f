// Applies PATCH as in RFC 7644 §3.5.2 and as Entra sends it: operations in any case, paths as names of values,
// removals with the values to remove, and changes of a list value that does not exist yet.
import type { Attribute, ResourceType } from './attributes.ts'
import { type Filter, type Place, parsePlace } from './filter.ts'
import { matches } from './match.ts'
import { invalidPath, invalidSyntax, invalidValue, noTarget, notChangeable } from './problems.ts'
import { isValues, parseValue, type Values } from './values.ts'

export const PATCH_SCHEMA = 'urn:ietf:params:scim:api:messages:2.0:PatchOp'

const MAX_OPERATIONS = 1000

type Verb = 'add' | 'replace' | 'remove'

interface Change {
  verb: Verb
  place: Place
  value: unknown
}

/** The resource after all operations. Either all of them are applied or none. */
export function applyPatch(type: ResourceType, resource: Values, body: unknown): Values {
  const after = structuredClone(resource)
  for (const operation of parseOperations(body)) {
    for (const change of parseChanges(type, operation)) apply(after, change)
  }
  return after
}

function parseOperations(body: unknown): unknown[] {
  if (!isValues(body)) throw invalidSyntax('The body should be a JSON object')
  const { schemas } = body
  if (!Array.isArray(schemas) || !schemas.includes(PATCH_SCHEMA)) {
    throw invalidSyntax(`schemas should be ["${PATCH_SCHEMA}"]`)
  }
  const operations = body.Operations ?? body.operations
  if (!Array.isArray(operations) || operations.length === 0) {
    throw invalidSyntax('Operations should be a list with at least one operation')
  }
  if (operations.length > MAX_OPERATIONS) {
    throw invalidValue(`A request can have at most ${MAX_OPERATIONS} operations`)
  }
  return operations
}

function parseChanges(type: ResourceType, operation: unknown): Change[] {
  if (!isValues(operation)) throw invalidSyntax('An operation should be a JSON object')
  const verb = parseVerb(operation.op)
  const { path, value } = operation
  if (path !== undefined && path !== null && path !== '') {
    const place = typeof path === 'string' ? parsePlace(type, path) : undefined
    if (!place) throw invalidPath(`The path '${String(path)}' does not exist`)
    if (place.path[0]?.is_read_only) throw notChangeable(place.path[0].name)
    if (verb !== 'remove' && value === undefined) throw invalidValue(`The operation ${verb} needs a value`)
    return [{ verb, place, value }]
  }
  if (verb === 'remove') throw noTarget('The operation remove needs a path')
  if (!isValues(value)) throw invalidValue('Without a path, the value should be an object')
  // Read-only and unknown attributes are ignored, as in a POST.
  return Object.entries(value).flatMap(([name, inner]) => {
    const place = parsePlace(type, name)
    return place && !place.path[0]?.is_read_only ? [{ verb, place, value: inner }] : []
  })
}

function parseVerb(op: unknown): Verb {
  const verb = typeof op === 'string' ? op.toLowerCase() : ''
  if (verb === 'add' || verb === 'replace' || verb === 'remove') return verb
  throw invalidSyntax(`'${String(op)}' is not an operation: use add, replace or remove`)
}

function apply(target: Values, { verb, place, value }: Change): void {
  const [attribute, ...below] = place.path
  if (!attribute) return
  if (attribute.is_list && (place.filter || below.length > 0)) {
    changeSome(target, attribute, below, { verb, filter: place.filter, value })
  } else if (below.length > 0) {
    const current = target[attribute.name]
    const inner = isValues(current) ? current : {}
    apply(inner, { verb, place: { path: below, filter: undefined }, value })
    assign(target, attribute, inner)
  } else if (attribute.is_list) changeList(target, attribute, verb, value)
  else changeOne(target, attribute, verb, value)
}

function changeOne(target: Values, attribute: Attribute, verb: Verb, value: unknown): void {
  const current = target[attribute.name]
  const given = verb === 'remove' ? undefined : parseValue(attribute, wrapValue(attribute, value))
  // In an object, only the given attributes change.
  assign(target, attribute, isValues(given) && isValues(current) ? { ...current, ...given } : given)
}

/** Entra sends only the id of a manager. */
function wrapValue(attribute: Attribute, value: unknown): unknown {
  return attribute.type === 'complex' && attribute.inner.has('value') && typeof value === 'string'
    ? { value }
    : value
}

function changeList(target: Values, attribute: Attribute, verb: Verb, value: unknown): void {
  const current = getList(target, attribute)
  const given = toList(attribute, value)
  if (verb === 'replace') assign(target, attribute, mergeValues(attribute, [], given))
  else if (verb === 'add') assign(target, attribute, mergeValues(attribute, current, given))
  else if (value === undefined || value === null) assign(target, attribute, [])
  else assign(target, attribute, removeValues(attribute, current, given))
}

function getList(target: Values, { name }: Attribute): unknown[] {
  const current = target[name]
  return Array.isArray(current) ? current : []
}

function toList(attribute: Attribute, value: unknown): unknown[] {
  if (value === undefined || value === null) return []
  const given = parseValue(
    attribute,
    [value].flat().map(one => wrapValue(attribute, one)),
  )
  return Array.isArray(given) ? given : []
}

/** Adds no duplicates; at most one value is primary, the latest one. */
function mergeValues(
  attribute: Attribute,
  current: readonly unknown[],
  given: readonly unknown[],
): unknown[] {
  const all = new Map(current.map(one => [getIdentity(attribute, one), one]))
  for (const one of given) {
    const identity = getIdentity(attribute, one)
    const before = all.get(identity)
    all.set(identity, isValues(before) && isValues(one) ? { ...before, ...one } : one)
  }
  const primary = given.filter(one => isValues(one) && one.primary === true).at(-1)
  if (primary === undefined) return [...all.values()]
  const chosen = getIdentity(attribute, primary)
  return [...all].map(([identity, one]) =>
    isValues(one) && one.primary === true && identity !== chosen ? { ...one, primary: false } : one,
  )
}

function removeValues(
  attribute: Attribute,
  current: readonly unknown[],
  given: readonly unknown[],
): unknown[] {
  const gone = new Set(given.map(one => getIdentity(attribute, one)))
  const partly = isKnownByValue(attribute) ? [] : given
  return current.filter(
    one => !gone.has(getIdentity(attribute, one)) && !partly.some(part => isPartOf(part, one)),
  )
}

/** Members are identified by their id; the same address for home and work is two values. */
function isKnownByValue({ inner }: Attribute): boolean {
  return inner.has('value') && !inner.has('primary')
}

function getIdentity(attribute: Attribute, one: unknown): string {
  if (!isValues(one) || !('value' in one)) return JSON.stringify(one)
  return JSON.stringify(isKnownByValue(attribute) ? one.value : [one.value, one.type ?? null])
}

function isPartOf(part: unknown, whole: unknown): boolean {
  return (
    isValues(part) && isValues(whole) && Object.entries(part).every(([name, value]) => whole[name] === value)
  )
}

interface SomeChange {
  verb: Verb
  filter: Filter | undefined
  value: unknown
}

/** Changes the list values that match the filter, or an attribute of each. */
function changeSome(
  target: Values,
  attribute: Attribute,
  below: readonly Attribute[],
  { verb, filter, value }: SomeChange,
): void {
  const current = getList(target, attribute)
  const taken = current.filter(isValues).filter(one => !filter || matches(filter, one))
  if (taken.length === 0 && verb !== 'remove') {
    const fresh = filter && buildFromFilter(filter)
    if (!fresh) throw noTarget(`No value of ${attribute.name} matches the filter`)
    current.push(fresh)
    taken.push(fresh)
  }
  const gone = new Set<unknown>(verb === 'remove' && below.length === 0 ? taken : [])
  for (const one of taken) {
    if (below.length > 0) apply(one, { verb, place: { path: below, filter: undefined }, value })
    else if (verb !== 'remove') Object.assign(one, toList(attribute, value)[0])
  }
  const kept = current.filter(one => !gone.has(one) && !(isValues(one) && Object.keys(one).length === 0))
  assign(target, attribute, kept)
}

/** The value that a filter of equalities describes, such as `type eq "work"`. */
function buildFromFilter(filter: Filter): Values | undefined {
  if (filter.is === 'comparison' && filter.operator === 'eq' && filter.path.length === 1) {
    const [attribute] = filter.path
    return attribute && filter.operand !== null ? { [attribute.name]: filter.operand } : undefined
  }
  if (filter.is !== 'and') return undefined
  const parts = filter.parts.map(buildFromFilter)
  return parts.includes(undefined) ? undefined : Object.assign({}, ...parts)
}

function assign(target: Values, { name }: Attribute, value: unknown): void {
  const isEmpty =
    value === undefined ||
    (Array.isArray(value) && value.length === 0) ||
    (isValues(value) && Object.keys(value).length === 0)
  if (isEmpty) delete target[name]
  else target[name] = value
}
