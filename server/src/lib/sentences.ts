// Turns Ajv's errors into messages for callers: `errors` by field path, each with one sentence and the input that
// caused it. Existing clients compare the wording, so it stays the same as the known service's.
import type { ErrorObject } from 'ajv'
import type { FieldErrors } from './errors.ts'
import { redactSecrets } from './secrets.ts'

const MAX_INPUT_SHOWN = 100
/** Longer than the longest URL, so that redaction sees the secret in it completely. */
const MAX_INPUT_READ = 4_096
/** Always secret, even if the operation does not accept the field. */
const SECRET_FIELDS: ReadonlySet<unknown> = new Set(['secret', 'token', 'webhook'])
const SECRET_IN_JSON = /("(?:secret|token|webhook)":)"(?:[^"\\]|\\.)*"?/g
/** Keywords that only report that something inside them failed, which Ajv also reports. */
const WRAPPERS = new Set(['anyOf', 'oneOf', 'if', 'propertyNames'])

export interface Wording {
  /** Prefix of every path: `query.` for query parameters, `data_json.` for a form's JSON part. */
  prefix: string
  /** Values arrive as text, so a wrong type means that the text could not be parsed. */
  from_text: boolean
}

export function collectFieldErrors(found: readonly ErrorObject[], wording: Wording): FieldErrors {
  // A Map, because a field may be called `constructor`.
  const errors = new Map<string, string>()
  for (const error of selectIntendedKind(found)) {
    if (WRAPPERS.has(error.keyword)) continue
    const path = wording.prefix + formatPath(error)
    // The first error of a field is the most useful; the others come from other branches of a union.
    if (!errors.has(path)) errors.set(path, `${describeError(error, wording)}${describeInput(error)}`)
  }
  return Object.fromEntries(errors)
}

/** The discriminator fields of object kinds. */
const KIND_FIELDS = ['type', 'type_name'] as const

interface Kinds {
  field: (typeof KIND_FIELDS)[number]
  names: readonly string[]
}

/**
 * For a union with a discriminator, keeps only the errors of the intended kind: the one that is named or, without a
 * name, the one with the fewest errors. Ajv reports the errors of each kind, one after the other, and then that none
 * matches.
 */
function selectIntendedKind(found: readonly ErrorObject[]): ErrorObject[] {
  const kept: ErrorObject[] = []
  for (const error of found) {
    const kinds = findKinds(error)
    let first = kept.length
    while (kinds && first > 0 && isWithin(kept[first - 1], error)) first--
    const branchErrors = kept.splice(first)
    kept.push(...(kinds ? selectBranchErrors(branchErrors, error, kinds) : [error]))
  }
  return kept
}

/** Returns the kinds and their discriminator if the error means that an object matches none of them. */
function findKinds({ keyword, schema, data }: ErrorObject): Kinds | undefined {
  if (keyword !== 'anyOf' || typeof data !== 'object' || data === null || Array.isArray(data))
    return undefined
  const branches = schema as { properties?: Record<string, { const?: unknown }> }[]
  for (const field of KIND_FIELDS) {
    const names = branches.map(branch => branch.properties?.[field]?.const)
    if (names.every(name => typeof name === 'string')) return { field, names }
  }
  return undefined
}

function isWithin(error: ErrorObject | undefined, union: ErrorObject): boolean {
  if (!error?.schemaPath.startsWith(`${union.schemaPath}/`)) return false
  return `${error.instancePath}/`.startsWith(`${union.instancePath}/`)
}

function selectBranchErrors(
  branchErrors: readonly ErrorObject[],
  union: ErrorObject,
  { field, names }: Kinds,
): ErrorObject[] {
  const getBranch = ({ schemaPath }: ErrorObject) =>
    Number(schemaPath.slice(union.schemaPath.length + 1).split('/', 1)[0])
  const byKind = names.map((_, branch) => branchErrors.filter(error => getBranch(error) === branch))
  const named = (union.data as Record<string, unknown>)[field]
  if (named === undefined) return byKind.reduce((best, next) => (next.length < best.length ? next : best))
  const intended = byKind[names.indexOf(named as string)]
  if (intended) return intended
  const instancePath = `${union.instancePath}/${field}`
  const params = { allowedValues: names }
  return [{ ...union, keyword: 'enum', instancePath, data: named, params, parentSchema: {} }]
}

/** A path as callers write it: `artifacts[0].digests`. */
function formatPath(error: ErrorObject): string {
  const { missingProperty, additionalProperty } = error.params
  const steps = error.instancePath.split('/').slice(1).map(unescapePointer)
  if (typeof missingProperty === 'string') steps.push(missingProperty)
  if (typeof additionalProperty === 'string') steps.push(additionalProperty)
  if (error.propertyName !== undefined) steps.push(error.propertyName)
  return steps.reduce(
    (path, step) => (/^\d+$/.test(step) ? `${path}[${step}]` : path ? `${path}.${step}` : step),
    '',
  )
}

function unescapePointer(step: string): string {
  return step.replaceAll('~1', '/').replaceAll('~0', '~')
}

function describeError(error: ErrorObject, wording: Wording): string {
  switch (error.keyword) {
    case 'required':
      return 'Field required'
    case 'additionalProperties':
    case 'unevaluatedProperties':
      return 'Extra inputs are not permitted'
    case 'type':
      return describeType(String([error.params.type].flat()[0]), wording)
    case 'enum':
      return `Input should be ${formatAlternatives(error.params.allowedValues)}`
    case 'const':
      return `Input should be ${formatAlternatives([error.params.allowedValue])}`
    case 'pattern':
      return `String should match pattern '${error.params.pattern}'`
    case 'format':
      return describeFormat(error)
    default:
      return describeBound(error)
  }
}

const TYPE_NAMES: Record<string, string> = {
  string: 'string',
  integer: 'integer',
  number: 'number',
  boolean: 'boolean',
  object: 'dictionary',
  array: 'list',
  null: 'null',
}

const UNREADABLE: Record<string, string> = {
  integer: ', unable to parse string as an integer',
  number: ', unable to parse string as a number',
  boolean: ', unable to interpret input',
}

function describeType(type: string, wording: Wording): string {
  return `Input should be a valid ${TYPE_NAMES[type] ?? type}${(wording.from_text && UNREADABLE[type]) || ''}`
}

/** For text that could only be read as a number by guessing. */
export function describeUnreadableNumber(type: 'integer' | 'number', text: unknown): string {
  return `${describeType(type, { prefix: '', from_text: true })} [input: ${formatInput(text)}]`
}

function formatAlternatives(values: readonly unknown[]): string {
  const quoted = values.map(value => (typeof value === 'string' ? `'${value}'` : String(value)))
  const last = quoted.pop()
  return quoted.length === 0 ? String(last) : `${quoted.join(', ')} or ${last}`
}

function describeFormat(error: ErrorObject): string {
  if (error.params.format === 'repository-address')
    return 'Input should be the address of a repository, such as https://, ssh:// or git@host:path'
  if (error.params.format === 'loose-address')
    return 'Input should be an http, https or file URL, or a text that is not a URL'
  if (error.params.format === 'email') return 'Input should be a mail address such as ada@example.com'
  if (error.params.format !== 'uri') return `Input should be a valid ${error.params.format}`
  return error.data === ''
    ? 'Input should be a valid URL, input is empty'
    : 'Input should be a valid URL with the scheme http or https'
}

function describeBound(error: ErrorObject): string {
  const limit: number = error.params.limit
  const plural = limit === 1 ? '' : 's'
  switch (error.keyword) {
    case 'minLength':
      return `String should have at least ${limit} character${plural}`
    case 'maxLength':
      return `String should have at most ${limit} character${plural}`
    case 'minimum':
      return `Input should be greater than or equal to ${limit}`
    case 'maximum':
      return `Input should be less than or equal to ${limit}`
    case 'minItems':
      return `List should have at least ${limit} item${plural}`
    case 'maxItems':
      return `List should have at most ${limit} item${plural}`
    case 'maxProperties':
      return `Dictionary should have at most ${limit} item${plural}`
    default:
      return `Input ${error.message ?? 'is not valid'}`
  }
}

function describeInput(error: ErrorObject): string {
  const value = getOffendingValue(error)
  const isSecret =
    error.parentSchema?.writeOnly === true || SECRET_FIELDS.has(error.params.additionalProperty)
  return isSecret && value !== undefined ? '' : ` [input: ${formatInput(value)}]`
}

function getOffendingValue(error: ErrorObject): unknown {
  if (error.keyword === 'required') return undefined
  if (error.propertyName !== undefined) return error.propertyName
  const extra = error.params.additionalProperty
  return typeof extra === 'string' ? (error.data as Record<string, unknown>)[extra] : error.data
}

/** `None` for nothing, text as it is, anything else as JSON; truncated and without secrets. */
export function formatInput(value: unknown): string {
  if (value === undefined || value === null) return 'None'
  const whole = typeof value === 'string' ? value : JSON.stringify(value)
  const begin = whole.slice(0, MAX_INPUT_READ)
  const text = redactSecrets(typeof value === 'string' ? begin : begin.replaceAll(SECRET_IN_JSON, '$1"…"'))
  if (text.length <= MAX_INPUT_SHOWN) return text
  // Drops half a surrogate pair at the end.
  return `${text.slice(0, MAX_INPUT_SHOWN).replace(/[\ud800-\udbff]$/, '')}…`
}
