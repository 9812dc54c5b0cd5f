// Requests as the document allows them, drawn by fast-check: half of the time about things that exist. A draft is still
// in pieces, so that breaks.ts can break one of them; `written` makes it what goes over the wire.
import fc from 'fast-check'
import type { Documented } from './document.ts'
import type { Prepared } from './prepared-org.ts'
import { type Values, wellFormed } from './schema-values.ts'

export const CALLERS = ['admin', 'member', 'snapshotter', 'reader', 'outsider', 'anonymous'] as const
export type CallerName = (typeof CALLERS)[number]

export interface FormPart {
  name: string
  content: Buffer
  filename?: string
  /** Written as it is, for headers that nobody should write. */
  header?: string
}

export interface Draft {
  operation: Documented
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
  /** Instead of all that is sent as a body. */
  raw: { content_type: string | undefined; bytes: Buffer } | undefined
  /** How it was broken, and whether nobody may take it so. */
  broken: { how: string; is_certain: boolean } | undefined
}

export interface Written {
  method: string
  url: string
  headers: Record<string, string>
  payload: Buffer | undefined
}

const LONGEST_NAME = 300
const BOUNDARY = 'waybill-fuzz-boundary'
const CALLER: fc.Arbitrary<CallerName> = fc.oneof(
  { weight: 30, arbitrary: fc.constant<CallerName>('admin') },
  { weight: 6, arbitrary: fc.constantFrom(...CALLERS) },
)
const FILE_CONTENT = fc.oneof(
  fc.constantFrom('', 'text', '{}', '{"type": "object"}', 'version: 1\n', '- : [', '<testsuite name="a"/>'),
  fc.string({ unit: 'binary', maxLength: 100 }),
)

export function validDrafts(operation: Documented, values: Values, prepared: Prepared): fc.Arbitrary<Draft> {
  return fc
    .record({
      caller: CALLER,
      params: paramsOf(operation, values, prepared),
      query: queryOf(operation, values),
      headers: headersOf(operation),
      body: bodyOf(operation, values),
      parts: partsOf(operation),
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

/** Half of the time everything in the path exists; else each part of it is drawn by itself. */
function paramsOf(operation: Documented, values: Values, prepared: Prepared) {
  const names = operation.path_parameters.map(({ name }) => name)
  const drawn = operation.path_parameters.map(({ name, schema }) => {
    const invented = values.of(schema, '').map(value => encoded(String(value).slice(0, LONGEST_NAME)))
    const there = prepared.inPath(operation, name)
    // A repository's name has slashes that are slashes of the path.
    const spelled = operation.path.includes(`{${name}+}`) ? encodeURI : encoded
    const existing = there.length === 0 ? invented : fc.constantFrom(...there).map(spelled)
    // Without its org nothing is looked at.
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

/** An empty segment would be another address. */
function encoded(text: string): string {
  return encodeURIComponent(wellFormed(text)) || '%20'
}

function queryOf(
  { query_parameters, example }: Documented,
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

/** A key that comes again is a retry, or a mistake. */
function headersOf({ method, id }: Documented): fc.Arbitrary<Record<string, string>> {
  if (method !== 'POST') return fc.constant({})
  return fc
    .constantFrom(false, false, false, true)
    .map((has_key): Record<string, string> => (has_key ? { 'idempotency-key': id } : {}))
}

/** The example, something else, or the example with some of something else. */
function bodyOf({ body, example }: Documented, values: Values): fc.Arbitrary<unknown> {
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

function partsOf({ form }: Documented): fc.Arbitrary<FormPart[] | undefined> {
  if (!form) return fc.constant(undefined)
  const files = form.file_parts.map(name =>
    fc
      .option(FILE_CONTENT, { nil: undefined })
      .map(text => (text === undefined ? [] : [{ name, content: Buffer.from(text), filename: 'file.bin' }])),
  )
  return fc.option(
    fc.tuple(...files).map(parts => parts.flat()),
    { nil: undefined, freq: 3 },
  )
}

export function written(draft: Draft, keyOf: (caller: CallerName) => string | undefined): Written {
  const { operation, method, params, query, json, parts, raw } = draft
  const path = operation.path.replaceAll(/\{(\w+)\+?\}/g, (_, name: string) => params[name] ?? '')
  const search = query.map(([name, value]) => `${name}=${value}`).join('&')
  const key = keyOf(draft.caller)
  const sent = raw ?? (parts ? formOf(draft, parts) : jsonOf(json))
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

function jsonOf(json: Buffer | undefined) {
  return json && { content_type: 'application/json', bytes: json }
}

function formOf({ operation, json }: Draft, parts: readonly FormPart[]) {
  const name = operation.form?.json_part ?? 'data_json'
  const all = [...(json ? [{ name, content: json }] : []), ...parts]
  return { content_type: `multipart/form-data; boundary=${BOUNDARY}`, bytes: formBytes(all) }
}

export function formBytes(parts: readonly FormPart[]): Buffer {
  const pieces = parts.flatMap(({ name, content, filename, header }) => {
    const file = filename === undefined ? '' : `; filename="${filename}"`
    const type = filename === undefined ? '' : '\r\nContent-Type: application/octet-stream'
    const usual = `Content-Disposition: form-data; name="${name}"${file}${type}`
    return [Buffer.from(`--${BOUNDARY}\r\n${header ?? usual}\r\n\r\n`), content, Buffer.from('\r\n')]
  })
  return Buffer.concat([...pieces, Buffer.from(`--${BOUNDARY}--\r\n`)])
}

/** To send the same again by hand; the key is not told. */
export function asCurl({ method, url, headers, payload }: Written): string {
  const shown = {
    ...headers,
    ...(headers.authorization?.startsWith('Bearer wb_') ? { authorization: 'Bearer $KEY' } : {}),
  }
  const lines = Object.entries(shown).map(([name, value]) => `-H ${quoted(`${name}: ${value}`)}`)
  const data = payload ? [`--data-binary ${bytesQuoted(payload)}`] : []
  return ['curl --path-as-is -X', method, ...lines, ...data, quoted(`$HOST${url}`)].join(' ')
}

const MOST_SHOWN = 2_000

function quoted(text: string): string {
  return `'${text.replaceAll("'", "'\\''")}'`
}

function bytesQuoted(bytes: Buffer): string {
  const text = bytes.toString('utf8')
  const isPlain = Buffer.from(text).equals(bytes) && !text.includes('\0')
  const shown = isPlain ? quoted(text) : `"$(echo ${bytes.toString('base64')} | base64 -d)"`
  return shown.length > MOST_SHOWN ? `${shown.slice(0, MOST_SHOWN)}… (${bytes.length} bytes)` : shown
}
