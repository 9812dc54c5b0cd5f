// Shared parts of our OSCAL documents: deterministic identifiers, valid OSCAL names, and our own properties.
import { createHash } from 'node:crypto'

const OSCAL_VERSION = '1.1.3'
/** Namespace of our own properties: readers that do not know it ignore them. */
export const OSCAL_NAMESPACE = 'https://waybill.example/ns/oscal'

export interface OscalProperty {
  name: string
  ns?: string
  value: string
}

export interface OscalMetadata {
  title: string
  'last-modified': string
  version: string
  'oscal-version': string
}

export function buildOwnProperty(name: string, value: string): OscalProperty {
  return { name, ns: OSCAL_NAMESPACE, value: escapeValue(value) }
}

export function buildMetadata(title: string, last_modified: Date): OscalMetadata {
  const modified_at = last_modified.toISOString()
  return {
    title: toSingleLine(title),
    'last-modified': modified_at,
    version: modified_at,
    'oscal-version': OSCAL_VERSION,
  }
}

/** A name-based UUID: the same words always give the same one. */
export function computeUuid(...words: readonly string[]): string {
  const bytes = createHash('sha256')
    .update(JSON.stringify([OSCAL_NAMESPACE, ...words]))
    .digest()
    .subarray(0, 16)
  bytes[6] = ((bytes[6] ?? 0) & 0x0f) | 0x50
  bytes[8] = ((bytes[8] ?? 0) & 0x3f) | 0x80
  const hex = bytes.toString('hex')
  return [hex.slice(0, 8), hex.slice(8, 12), hex.slice(12, 16), hex.slice(16, 20), hex.slice(20)].join('-')
}

const TOKEN = /^[A-Za-z_][A-Za-z0-9._-]*$/
const ENCODED = 'id.'

/** The identifier itself if OSCAL accepts it. No two identifiers give the same token. */
export function toToken(identifier: string): string {
  if (TOKEN.test(identifier) && !identifier.startsWith(ENCODED)) return identifier
  return ENCODED + identifier.replaceAll('_', '__').replaceAll('~', '_t')
}

export function toStatementId(identifier: string): string {
  return `${toToken(identifier)}_smt`
}

/** A title has no line breaks and is not empty. */
export function toSingleLine(text: string): string {
  return text.replace(/[\r\n]+/g, ' ') || '-'
}

/** A property value has no line breaks, no surrounding spaces, and is not empty. */
export function escapeValue(value: string): string {
  return value === '' ? '%' : value.replace(/%|[^\S ]|^ | $/g, encodeURIComponent)
}

export function unescapeValue(value: string): string {
  if (value === '%') return ''
  return value.replace(/(?:%[0-9A-F]{2})+/g, bytes => {
    try {
      return decodeURIComponent(bytes)
    } catch {
      // Another program wrote this: keep the value as is.
      return bytes
    }
  })
}

/** Joins two texts; an equals sign in the first is escaped. */
export function formatPair(key: string, value: string): string {
  return `${key.replace(/[%=]/g, encodeURIComponent)}=${value}`
}

export function parsePair(text: string): [string, string] | undefined {
  const [whole, key = '', value = ''] = /^([^=]*)=(.*)$/s.exec(text) ?? []
  return whole === undefined ? undefined : [unescapeValue(key), value]
}
