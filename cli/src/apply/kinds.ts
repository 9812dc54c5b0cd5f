// The kinds of documents that `waybill apply` manages, as data: their fields, the defaults of the service,
// and the API paths. Reading, checking, comparing, sending and exporting follow from this table.
import { DEFAULT_REPORT_INTERVAL_S } from '../../../server/src/domain/snapshot/staleness.ts'

export type Fields = Readonly<Record<string, unknown>>

/** In order of creation: kinds that others refer to come first. */
export const KIND_NAMES = [
  'control',
  'attestation-type',
  'flow',
  'policy',
  'environment',
  'trust-rule',
] as const

export type KindName = (typeof KIND_NAMES)[number]

export interface Field {
  name: string
  /** The value if a document omits the field. A field without a fallback is required. */
  fallback?: (document: Fields) => unknown
  /** Some fields exist only for some documents. */
  applies?: (document: Fields) => boolean
  /** The message if a document sets the field although it does not apply. */
  applies_to?: string
  /** Whether the order of the list has no meaning. */
  is_set?: boolean
  /** Reads the value from an API response; by default from the field of the same name. */
  read?: (resource: Fields) => unknown
  /** Converts the value to its form in the API. */
  store?: (written: unknown) => unknown
  /** The opposite of `store`. */
  write?: (stored: unknown) => unknown
  /** Whether the value is multi-line text, written as a YAML block. */
  is_text?: boolean
}

export interface Kind {
  kind: KindName
  /** As it appears in a sentence. */
  title: string
  /** The field that identifies it. */
  key: 'name' | 'identifier'
  fields: readonly Field[]
  /** The paths of the list and of one item, and the name of its parameter. */
  all: string
  one: string
  param: string
  /** The field that holds the list in a paged response; undefined if the response is the list. */
  list_key?: string
  page_size?: number
  /** How to remove it. Everything but a trust rule can be archived. */
  removal: { action: 'archive' | 'delete'; method: 'PUT' | 'POST' | 'DELETE' }
}

const NEVER = 'never'
const LOGICAL = 'logical'
/** The API's name for this type; both words are accepted. */
const APPS = { written: 'azure-apps', stored: 'cloudx-apps' }

const isLogical = ({ type }: Fields): boolean => type === LOGICAL
const description: Field = {
  name: 'description',
  fallback: () => '',
  read: resource => resource.description ?? '',
}

export const KINDS: Readonly<Record<KindName, Kind>> = {
  control: {
    kind: 'control',
    title: 'a control',
    key: 'identifier',
    fields: [{ name: 'name' }, description, { name: 'links', fallback: () => ({}) }],
    all: '/controls/{org}',
    one: '/controls/{org}/{identifier}',
    param: 'identifier',
    list_key: 'controls',
    page_size: 100,
    removal: { action: 'archive', method: 'POST' },
  },
  'attestation-type': {
    kind: 'attestation-type',
    title: 'an attestation type',
    key: 'name',
    fields: [
      description,
      { name: 'type_schema', fallback: () => null, read: readLatest('type_schema') },
      {
        name: 'evaluator',
        fallback: () => ({ content_type: 'default' }),
        read: readLatest('evaluator'),
      },
      {
        name: 'summary',
        fallback: () => [],
        read: resource => readLatest('summary')(resource) ?? [],
      },
    ],
    all: '/custom-attestation-types/{org}',
    one: '/custom-attestation-types/{org}/{name}',
    param: 'name',
    removal: { action: 'archive', method: 'PUT' },
  },
  flow: {
    kind: 'flow',
    title: 'a flow',
    key: 'name',
    fields: [
      description,
      { name: 'visibility', fallback: () => 'private' },
      { name: 'template', is_text: true },
    ],
    all: '/flows/{org}',
    one: '/flows/{org}/{flow_name}',
    param: 'flow_name',
    list_key: 'data',
    page_size: 1000,
    removal: { action: 'archive', method: 'PUT' },
  },
  policy: {
    kind: 'policy',
    title: 'a policy',
    key: 'name',
    fields: [description, { name: 'policy_yaml', is_text: true, read: readLatest('policy_yaml') }],
    all: '/policies/{org}',
    one: '/policies/{org}/{name}',
    param: 'name',
    list_key: 'data',
    page_size: 1000,
    removal: { action: 'archive', method: 'PUT' },
  },
  environment: {
    kind: 'environment',
    title: 'an environment',
    key: 'name',
    fields: [
      {
        name: 'type',
        read: resource => resource.neutral_type,
        store: written => (written === APPS.written ? APPS.stored : written),
      },
      description,
      { name: 'include_scaling', fallback: () => false },
      {
        name: 'expected_report_interval',
        fallback: () => DEFAULT_REPORT_INTERVAL_S,
        applies: document => !isLogical(document),
        applies_to: 'A logical environment gets no reports; set this on its members',
        store: written => (written === NEVER ? null : written),
        write: stored => stored ?? NEVER,
      },
      {
        name: 'policies',
        applies: document => !isLogical(document),
        applies_to: 'A logical environment is evaluated by the policies of its members',
        is_set: true,
      },
      {
        name: 'included_environments',
        applies: isLogical,
        applies_to: 'Only a logical environment includes others',
        is_set: true,
        read: resource => resource.included_environments ?? [],
      },
    ],
    all: '/environments/{org}',
    one: '/environments/{org}/{env_name}',
    param: 'env_name',
    list_key: 'environments',
    page_size: 1000,
    removal: { action: 'archive', method: 'PUT' },
  },
  'trust-rule': {
    kind: 'trust-rule',
    title: 'a trust rule',
    key: 'name',
    fields: [
      description,
      { name: 'issuer' },
      { name: 'issuer_kind' },
      { name: 'audience' },
      { name: 'claims' },
      { name: 'jwks', fallback: () => null },
      { name: 'privilege' },
      { name: 'operations', fallback: () => ['read', 'report', 'attest'], is_set: true },
      { name: 'flow_name', fallback: () => null },
    ],
    all: '/trust-rules/{org}',
    one: '/trust-rules/{org}/{name}',
    param: 'name',
    removal: { action: 'delete', method: 'DELETE' },
  },
}

/** A field of the current version. Lists contain either only that version or all of them. */
function readLatest(name: string) {
  return ({ versions }: Fields): unknown => {
    const sorted = (versions as ({ version: number } & Fields)[]).toSorted(
      (one, other) => other.version - one.version,
    )
    return sorted[0]?.[name]
  }
}

/** The fields of a document as the API represents them, with defaults for omitted ones. */
export function readDesired(kind: Kind, document: Fields): Fields {
  const values = listApplying(kind, document).map(({ name, fallback, store = keep }) => [
    name,
    document[name] === undefined ? fallback?.(document) : store(document[name]),
  ])
  return Object.fromEntries(values)
}

/** The same fields of the resource that the service has. */
export function readCurrent(kind: Kind, resource: Fields): Fields {
  const values = listApplying(kind, resource).map(({ name, read }) => [
    name,
    read === undefined ? resource[name] : read(resource),
  ])
  return Object.fromEntries(values)
}

export const listApplying = ({ fields }: Kind, document: Fields): Field[] =>
  fields.filter(({ applies }) => applies?.(document) ?? true)

const keep = (value: unknown): unknown => value

export const isKindName = (word: unknown): word is KindName => KIND_NAMES.some(name => name === word)

/** `flow backend-ci` */
export const nameResource = (kind: KindName, name: string): string => `${kind} ${name}`
