// PATCH as RFC 7644 §3.5.2 has it, and as Entra sends it: operations in any case, paths as names of values, removals with
// the values to remove, and changes of one value of a list that is not there yet.
import type { Attribute, ResourceType } from './attributes.ts'
import { type Filter, type Place, parsePlace } from './filter.ts'
import { matches } from './match.ts'
import { invalidPath, invalidSyntax, invalidValue, noTarget, notChangeable } from './problems.ts'
import { isValues, type Values, valueFrom } from './values.ts'

export const PATCH_SCHEMA = 'urn:ietf:params:scim:api:messages:2.0:PatchOp'

const MOST_OPERATIONS = 1000

type Verb = 'add' | 'replace' | 'remove'

interface Change {
  verb: Verb
  place: Place
  value: unknown
}

/** The resource as it is after the operations, all of them or none. */
export function patched(type: ResourceType, resource: Values, body: unknown): Values {
  const after = structuredClone(resource)
  for (const operation of operationsIn(body)) {
    for (const change of changesOf(type, operation)) apply(after, change)
  }
  return after
}

function operationsIn(body: unknown): unknown[] {
  if (!isValues(body)) throw invalidSyntax('The body should be a JSON object')
  const { schemas } = body
  if (!Array.isArray(schemas) || !schemas.includes(PATCH_SCHEMA)) {
    throw invalidSyntax(`schemas should be ["${PATCH_SCHEMA}"]`)
  }
  const operations = body.Operations ?? body.operations
  if (!Array.isArray(operations) || operations.length === 0) {
    throw invalidSyntax('Operations should be a list with at least one operation')
  }
  if (operations.length > MOST_OPERATIONS) {
    throw invalidValue(`There are more than ${MOST_OPERATIONS} operations in one request`)
  }
  return operations
}

function changesOf(type: ResourceType, operation: unknown): Change[] {
  if (!isValues(operation)) throw invalidSyntax('An operation should be a JSON object')
  const verb = verbOf(operation.op)
  const { path, value } = operation
  if (path !== undefined && path !== null && path !== '') {
    const place = typeof path === 'string' ? parsePlace(type, path) : undefined
    if (!place) throw invalidPath(`The path '${String(path)}' leads nowhere`)
    if (place.path[0]?.is_read_only) throw notChangeable(place.path[0].name)
    if (verb !== 'remove' && value === undefined) throw invalidValue(`The operation ${verb} lacks a value`)
    return [{ verb, place, value }]
  }
  if (verb === 'remove') throw noTarget('The operation remove lacks a path')
  if (!isValues(value)) throw invalidValue('Without a path, the value should be an object')
  // What is read-only or unknown is passed over, as in a POST.
  return Object.entries(value).flatMap(([name, inner]) => {
    const place = parsePlace(type, name)
    return place && !place.path[0]?.is_read_only ? [{ verb, place, value: inner }] : []
  })
}

function verbOf(op: unknown): Verb {
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
    const held = target[attribute.name]
    const inner = isValues(held) ? held : {}
    apply(inner, { verb, place: { path: below, filter: undefined }, value })
    assign(target, attribute, inner)
  } else if (attribute.is_list) changeList(target, attribute, verb, value)
  else changeOne(target, attribute, verb, value)
}

function changeOne(target: Values, attribute: Attribute, verb: Verb, value: unknown): void {
  const held = target[attribute.name]
  const given = verb === 'remove' ? undefined : valueFrom(attribute, unwrapped(attribute, value))
  // Of an object, only the parts that are named change.
  assign(target, attribute, isValues(given) && isValues(held) ? { ...held, ...given } : given)
}

/** Entra names a manager by the bare id. */
function unwrapped(attribute: Attribute, value: unknown): unknown {
  return attribute.type === 'complex' && attribute.inner.has('value') && typeof value === 'string'
    ? { value }
    : value
}

function changeList(target: Values, attribute: Attribute, verb: Verb, value: unknown): void {
  const held = listIn(target, attribute)
  const given = listFrom(attribute, value)
  if (verb === 'replace') assign(target, attribute, merged(attribute, [], given))
  else if (verb === 'add') assign(target, attribute, merged(attribute, held, given))
  else if (value === undefined || value === null) assign(target, attribute, [])
  else assign(target, attribute, left(attribute, held, given))
}

function listIn(target: Values, { name }: Attribute): unknown[] {
  const held = target[name]
  return Array.isArray(held) ? held : []
}

function listFrom(attribute: Attribute, value: unknown): unknown[] {
  if (value === undefined || value === null) return []
  const given = valueFrom(
    attribute,
    [value].flat().map(one => unwrapped(attribute, one)),
  )
  return Array.isArray(given) ? given : []
}

/** A value that is there already is not there twice; at most one is the primary one, and that is the latest. */
function merged(attribute: Attribute, held: readonly unknown[], given: readonly unknown[]): unknown[] {
  const all = new Map(held.map(one => [identityOf(attribute, one), one]))
  for (const one of given) {
    const identity = identityOf(attribute, one)
    const before = all.get(identity)
    all.set(identity, isValues(before) && isValues(one) ? { ...before, ...one } : one)
  }
  const primary = given.filter(one => isValues(one) && one.primary === true).at(-1)
  if (primary === undefined) return [...all.values()]
  const chosen = identityOf(attribute, primary)
  return [...all].map(([identity, one]) =>
    isValues(one) && one.primary === true && identity !== chosen ? { ...one, primary: false } : one,
  )
}

function left(attribute: Attribute, held: readonly unknown[], given: readonly unknown[]): unknown[] {
  const gone = new Set(given.map(one => identityOf(attribute, one)))
  const partly = isKnownByValue(attribute) ? [] : given
  return held.filter(
    one => !gone.has(identityOf(attribute, one)) && !partly.some(part => isPartOf(part, one)),
  )
}

/** A member is who their id says; the same address at home and at work is two values. */
function isKnownByValue({ inner }: Attribute): boolean {
  return inner.has('value') && !inner.has('primary')
}

function identityOf(attribute: Attribute, one: unknown): string {
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

/** Those values of a list that the filter takes, or something in each of them. */
function changeSome(
  target: Values,
  attribute: Attribute,
  below: readonly Attribute[],
  { verb, filter, value }: SomeChange,
): void {
  const held = listIn(target, attribute)
  const taken = held.filter(isValues).filter(one => !filter || matches(filter, one))
  if (taken.length === 0 && verb !== 'remove') {
    const fresh = filter && described(filter)
    if (!fresh) throw noTarget(`No value of ${attribute.name} is taken by the filter`)
    held.push(fresh)
    taken.push(fresh)
  }
  const gone = new Set<unknown>(verb === 'remove' && below.length === 0 ? taken : [])
  for (const one of taken) {
    if (below.length > 0) apply(one, { verb, place: { path: below, filter: undefined }, value })
    else if (verb !== 'remove') Object.assign(one, listFrom(attribute, value)[0])
  }
  const kept = held.filter(one => !gone.has(one) && !(isValues(one) && Object.keys(one).length === 0))
  assign(target, attribute, kept)
}

/** The value that a filter describes when it says what is equal to what: `type eq "work"`. */
function described(filter: Filter): Values | undefined {
  if (filter.is === 'comparison' && filter.operator === 'eq' && filter.path.length === 1) {
    const [attribute] = filter.path
    return attribute && filter.operand !== null ? { [attribute.name]: filter.operand } : undefined
  }
  if (filter.is !== 'and') return undefined
  const parts = filter.parts.map(described)
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
