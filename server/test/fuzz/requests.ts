// Valid requests according to the document, drawn with fast-check; half of them are about resources that exist. A draft
// is still in pieces, so that breaks.ts can break one of them; `writeRequest` turns it into a request.
import fc from 'fast-check'
import type { DocumentedOperation } from './document.ts'
import type { Prepared } from './prepared-org.ts'
import { makeWellFormed, type Values } from './schema-values.ts'

const CALLERS = ['admin', 'member', 'snapshotter', 'reader', 'outsider', 'anonymous'] as const
export type CallerName = (typeof CALLERS)[number]

export interface FormPart {
  name: string
  content: Buffer
  filename?: string
  /** Written as is, for headers that no client should send. */
  header?: string
}

export interface Draft {
  operation: DocumentedOperation
  caller: CallerName
  method: string
  /** Percent-encoded already. */
  params: Record<string, string>
  /** Percent-encoded already. */
  query: [string, string][]
  headers: Record<string, string>
  /** The text of the body or of the JSON part; undefined for none. */
  json: Buffer | undefined
  /** Sent as a form when given; the JSON part is not among them. */
  parts: FormPart[] | undefined
  /** Replaces the whole body. */
  raw: { content_type: string | undefined; bytes: Buffer } | undefined
  /** How it was broken, and whether the service must reject it. */
  broken: { how: string; is_certain: boolean } | undefined
}

export interface WrittenRequest {
  method: string
  url: string
  headers: Record<string, string>
  payload: Buffer | undefined
}

const MAX_NAME_LENGTH = 300
const BOUNDARY = 'waybill-fuzz-boundary'
const CALLER: fc.Arbitrary<CallerName> = fc.oneof(
  { weight: 30, arbitrary: fc.constant<CallerName>('admin') },
  { weight: 6, arbitrary: fc.constantFrom(...CALLERS) },
)
const MOST_FILES = 3
const FILE_CONTENT = fc.oneof(
  fc.constantFrom('', 'text', '{}', '{"type": "object"}', 'version: 1\n', '- : [', '<testsuite name="a"/>'),
  fc.string({ unit: 'binary', maxLength: 100 }),
)

export function drawValidDrafts(
  operation: DocumentedOperation,
  values: Values,
  prepared: Prepared,
): fc.Arbitrary<Draft> {
  return fc
    .record({
      caller: CALLER,
      params: drawParams(operation, values, prepared),
      query: drawQuery(operation, values),
      headers: drawHeaders(operation),
      body: drawBody(operation, values),
      parts: drawParts(operation),
    })
    .map(({ body, ...rest }) => ({
      operation,
      ...rest,
      method: operation.method,
      json: body === undefined ? undefined : Buffer.from(JSON.stringify(body)),
      raw: undefined,
      broken: undefined,
    }))
}

/** In two of three cases everything in the path exists; otherwise each part is drawn separately. */
function drawParams(operation: DocumentedOperation, values: Values, prepared: Prepared) {
  const names = operation.path_parameters.map(({ name }) => name)
  const drawn = operation.path_parameters.map(({ name, schema }) => {
    const invented = values
      .of(schema, '')
      .map(value => encodeSegment(String(value).slice(0, MAX_NAME_LENGTH)))
    const there = prepared.inPath(operation, name)
    // The slashes in a repository's name are slashes of the path.
    const spelled = operation.path.includes(`{${name}+}`) ? encodeURI : encodeSegment
    const existing = there.length === 0 ? invented : fc.constantFrom(...there).map(spelled)
    // Without an existing org, nothing else is checked.
    const weight = name === 'org' ? 20 : 1
    return { existing, any: fc.oneof({ weight, arbitrary: existing }, { weight: 1, arbitrary: invented }) }
  })
  return fc
    .oneof(
      { weight: 2, arbitrary: fc.tuple(...drawn.map(({ existing }) => existing)) },
      { weight: 1, arbitrary: fc.tuple(...drawn.map(({ any }) => any)) },
    )
    .map(texts => Object.fromEntries(texts.map((text, i) => [names[i] ?? '', text])))
}

/** Never empty: an empty segment would be another path. */
function encodeSegment(text: string): string {
  return encodeURIComponent(makeWellFormed(text)) || '%20'
}

function drawQuery(
  { query_parameters, example }: DocumentedOperation,
  values: Values,
): fc.Arbitrary<[string, string][]> {
  const drawn = query_parameters.map(({ name, schema, required }) =>
    fc
      .tuple(fc.constantFrom(0, 1, 2, 3), values.of(schema, name))
      .map(([dice, value]): [string, string][] =>
        dice > 0 && !required ? [] : [value].flat().map(text => [name, encodeURIComponent(String(text))]),
      ),
  )
  const made = fc.tuple(...drawn).map(pairs => pairs.flat())
  if (!example?.query) return made
  const shown = Object.entries(example.query).map(([name, value]): [string, string] => [
    name,
    encodeURIComponent(value),
  ])
  return fc.oneof(made, fc.constant(shown))
}

/** A repeated key is a retry, or a mistake. */
function drawHeaders({ method, id }: DocumentedOperation): fc.Arbitrary<Record<string, string>> {
  if (method !== 'POST') return fc.constant({})
  return fc
    .constantFrom(false, false, false, true)
    .map((has_key): Record<string, string> => (has_key ? { 'idempotency-key': id } : {}))
}

/** A drawn body, the example, or the example with one drawn field. */
function drawBody({ body, example }: DocumentedOperation, values: Values): fc.Arbitrary<unknown> {
  if (!body) return fc.constant(undefined)
  const made = values.of(body, '')
  const shown = example?.body
  if (typeof shown !== 'object' || shown === null) return made
  const mixed = fc.tuple(made, fc.integer({ min: 0, max: 99 })).map(([value, pick]) => {
    const fields = Object.entries(value as object)
    const one = fields[pick % Math.max(1, fields.length)]
    return { ...shown, ...(one ? { [one[0]]: one[1] } : {}) }
  })
  return fc.oneof(made, mixed, fc.constant(shown))
}

function drawParts({ form }: DocumentedOperation): fc.Arbitrary<FormPart[] | undefined> {
  if (!form) return fc.constant(undefined)
  const files = form.file_parts.map(name =>
    fc
      .array(FILE_CONTENT, { maxLength: form.repeated_parts.includes(name) ? MOST_FILES : 1 })
      .map(texts => texts.map(text => ({ name, content: Buffer.from(text), filename: 'file.bin' }))),
  )
  return fc.option(
    fc.tuple(...files).map(parts => parts.flat()),
    { nil: undefined, freq: 3 },
  )
}

export function writeRequest(
  draft: Draft,
  findKey: (caller: CallerName) => string | undefined,
): WrittenRequest {
  const { operation, method, params, query, json, parts, raw } = draft
  const path = operation.path.replaceAll(/\{(\w+)\+?\}/g, (_, name: string) => params[name] ?? '')
  const search = query.map(([name, value]) => `${name}=${value}`).join('&')
  const key = findKey(draft.caller)
  const sent = raw ?? (parts ? writeForm(draft, parts) : writeJson(json))
  return {
    method,
    url: `/api/v2${path}${search === '' ? '' : `?${search}`}`,
    headers: {
      ...(key === undefined ? {} : { authorization: `Bearer ${key}` }),
      ...(sent?.content_type === undefined ? {} : { 'content-type': sent.content_type }),
      ...draft.headers,
    },
    payload: sent?.bytes,
  }
}

function writeJson(json: Buffer | undefined) {
  return json && { content_type: 'application/json', bytes: json }
}

function writeForm({ operation, json }: Draft, parts: readonly FormPart[]) {
  const name = operation.form?.json_part ?? 'data_json'
  const all = [...(json ? [{ name, content: json }] : []), ...parts]
  return { content_type: `multipart/form-data; boundary=${BOUNDARY}`, bytes: encodeForm(all) }
}

export function encodeForm(parts: readonly FormPart[]): Buffer {
  const pieces = parts.flatMap(({ name, content, filename, header }) => {
    const file = filename === undefined ? '' : `; filename="${filename}"`
    const type = filename === undefined ? '' : '\r\nContent-Type: application/octet-stream'
    const disposition = `Content-Disposition: form-data; name="${name}"${file}${type}`
    return [Buffer.from(`--${BOUNDARY}\r\n${header ?? disposition}\r\n\r\n`), content, Buffer.from('\r\n')]
  })
  return Buffer.concat([...pieces, Buffer.from(`--${BOUNDARY}--\r\n`)])
}

/** For repeating a request by hand; omits the key. */
export function formatCurl({ method, url, headers, payload }: WrittenRequest): string {
  const shown = {
    ...headers,
    ...(headers.authorization?.startsWith('Bearer wb_') ? { authorization: 'Bearer $KEY' } : {}),
  }
  const lines = Object.entries(shown).map(([name, value]) => `-H ${quote(`${name}: ${value}`)}`)
  const data = payload ? [`--data-binary ${quoteBytes(payload)}`] : []
  return ['curl --path-as-is -X', method, ...lines, ...data, quote(`$HOST${url}`)].join(' ')
}

const MAX_SHOWN_LENGTH = 2_000

function quote(text: string): string {
  return `'${text.replaceAll("'", "'\\''")}'`
}

function quoteBytes(bytes: Buffer): string {
  const text = bytes.toString('utf8')
  const isPlain = Buffer.from(text).equals(bytes) && !text.includes('\0')
  const shown = isPlain ? quote(text) : `"$(echo ${bytes.toString('base64')} | base64 -d)"`
  return shown.length > MAX_SHOWN_LENGTH
    ? `${shown.slice(0, MAX_SHOWN_LENGTH)}… (${bytes.length} bytes)`
    : shown
}
