// Compares two JSON Schemas from a client's perspective: a request must not accept less, and a response must not
// contain more than clients know.
import { isDeepStrictEqual } from 'node:util'

/** Each rule lists values that a request must not lose and a response must not gain. */
const SETS = {
  type: schema => [schema.type ?? []].flat(),
  enum: schema => schema.enum ?? (schema.const === undefined ? [] : [schema.const]),
}
/** A request accepts less if a lower bound rises or an upper bound falls. */
const LOWER_BOUNDS = ['minimum', 'minLength', 'minItems', 'minProperties']
const UPPER_BOUNDS = ['maximum', 'maxLength', 'maxItems', 'maxProperties']
/** Any difference in these is reported, for a person to review. */
const OPAQUE = ['pattern', 'anyOf', 'oneOf', 'allOf', 'not', 'format']

/** `seen` stops the recursion for schemas that refer to themselves. */
export function compareSchemas(where, old, current, context, seen = new Set()) {
  const pair = `${old?.$ref} ${current?.$ref}`
  if (old?.$ref && current?.$ref) {
    if (seen.has(pair)) return []
    return compareResolved(where, old, current, context, new Set([...seen, pair]))
  }
  return compareResolved(where, old, current, context, seen)
}

function compareResolved(where, oldSchema, currentSchema, context, seen) {
  const old = resolve(oldSchema, context.before)
  const current = resolve(currentSchema, context.after)
  const compareInner = (place, a, b) => compareSchemas(place, a, b, context, seen)
  return [
    ...Object.keys(SETS).flatMap(rule => compareSets(where, rule, old, current, context)),
    ...compareBounds(where, old, current, context),
    ...OPAQUE.filter(key => !isDeepStrictEqual(omitProse(old[key]), omitProse(current[key]))).map(key => ({
      breaking: false,
      where,
      what: `'${key}' changed: check it`,
    })),
    ...compareProperties(where, old, current, context, compareInner),
    ...(old.items && current.items ? compareInner(`${where}[]`, old.items, current.items) : []),
  ]
}

/** Removes descriptions and examples, whose changes no client notices. A property with such a name is a schema. */
function omitProse(value) {
  if (Array.isArray(value)) return value.map(omitProse)
  if (typeof value !== 'object' || value === null) return value
  const isProse = ([key, inner]) =>
    (key === 'description' && typeof inner === 'string') || (key === 'examples' && Array.isArray(inner))
  const kept = Object.entries(value).filter(entry => !isProse(entry))
  return Object.fromEntries(kept.map(([key, inner]) => [key, omitProse(inner)]))
}

function resolve(schema, document) {
  if (schema?.$ref === undefined) return schema ?? {}
  return schema.$ref
    .slice(2)
    .split('/')
    .reduce((value, key) => value[key], document)
}

function compareSets(where, rule, old, current, { direction }) {
  const [before, after] = [SETS[rule](old), SETS[rule](current)]
  // An empty set means no restriction.
  if (isDeepStrictEqual(before, after) || (before.length === 0 && after.length === 0)) return []
  const lost =
    after.length === 0
      ? []
      : before.length === 0
        ? ['anything else']
        : before.filter(one => !after.includes(one))
  const gained =
    before.length === 0 ? [] : after.length === 0 ? ['anything'] : after.filter(one => !before.includes(one))
  const isRequest = direction === 'request'
  return [
    ...lost.map(one => ({ breaking: isRequest, where, what: `${rule} lost ${one}` })),
    // Clients must expect new values in an enumeration, but not another type.
    ...gained.map(one => ({ breaking: !isRequest && rule === 'type', where, what: `${rule} gained ${one}` })),
  ]
}

function compareBounds(where, old, current, { direction }) {
  const buildFinding = (key, tightened) => ({
    breaking: tightened && direction === 'request',
    where,
    what: `${key} is ${current[key] ?? 'unlimited'}, was ${old[key] ?? 'unlimited'}`,
  })
  const isChanged = key => old[key] !== current[key]
  return [
    ...LOWER_BOUNDS.filter(isChanged).map(key =>
      buildFinding(key, (current[key] ?? -Infinity) > (old[key] ?? -Infinity)),
    ),
    ...UPPER_BOUNDS.filter(isChanged).map(key =>
      buildFinding(key, (current[key] ?? Infinity) < (old[key] ?? Infinity)),
    ),
  ]
}

function compareProperties(where, old, current, { direction }, compareInner) {
  const [before, after] = [old.properties ?? {}, current.properties ?? {}]
  const isRequired = (schema, name) => schema.required?.includes(name) ?? false
  const isRequest = direction === 'request'
  return [
    ...Object.keys(before)
      .filter(name => !(name in after))
      .map(name => ({ breaking: true, where: `${where}.${name}`, what: 'removed' })),
    ...Object.keys(after).flatMap(name => {
      const place = `${where}.${name}`
      const [was, is] = [isRequired(old, name), isRequired(current, name)]
      if (!(name in before))
        return [{ breaking: isRequest && is, where: place, what: is ? 'added and required' : 'added' }]
      const promise =
        was === is
          ? []
          : [{ breaking: isRequest === is, where: place, what: is ? 'became required' : 'became optional' }]
      return [...promise, ...compareInner(place, before[name], after[name])]
    }),
  ]
}
