// One write in the spool: the whole request except the credential, which may expire before it is sent.
import { createHash } from 'node:crypto'

export interface SpooledPart {
  name: string
  content_type: string
  filename?: string
  /** The file in the entry's folder. */
  file: string
  size: number
  sha256: string
}

export interface Entry {
  version: 1
  id: string
  /** The words of the command, for people. */
  command: string
  host: string
  org: string
  /** Entries of one stream are delivered in order: a trail begins before its evidence. */
  stream: string
  /** When the evidence was collected, in Unix seconds. */
  collected_at: number
  method: 'PUT' | 'POST'
  path: string
  query: Readonly<Record<string, string>>
  /** The JSON body, or the JSON part of a multipart form. */
  json: Readonly<Record<string, unknown>>
  /** The name of the JSON part; undefined if the body is only JSON. */
  json_part?: string | undefined
  parts: readonly SpooledPart[]
  idempotency_key: string
}

/** The input of the idempotency key: the content and the pipeline run, but not the time. */
export function deriveKey(
  entry: Pick<Entry, 'method' | 'path' | 'query' | 'json' | 'parts' | 'org'>,
  scope: readonly string[],
): string {
  const { method, path, query, json, org } = entry
  const parts = entry.parts.map(({ name, filename = '', sha256 }) => [name, filename, sha256])
  const covered = JSON.stringify([org, method, path, sortKeys(query), sortKeys(json), parts, scope])
  return `wb-${createHash('sha256').update(covered).digest('hex')}`
}

function sortKeys(value: unknown): unknown {
  if (Array.isArray(value)) return value.map(sortKeys)
  if (typeof value !== 'object' || value === null) return value
  const entries = Object.entries(value).sort(([one], [other]) => (one < other ? -1 : 1))
  return Object.fromEntries(entries.map(([key, item]) => [key, sortKeys(item)]))
}

const ID = /^\d{13}-\d{6}-[0-9a-f]{16}$/

/**
 * Sorts after `newest`, the newest waiting entry, even within the same millisecond or if the clock was set
 * back.
 */
export function makeId(now_ms: number, newest: string | undefined, random_hex: string): string {
  const [time = 0, counter = -1] = newest === undefined ? [] : newest.split('-', 2).map(Number)
  const [ms, count] = now_ms > time ? [now_ms, 0] : [time, counter + 1]
  return `${String(ms).padStart(13, '0')}-${String(count).padStart(6, '0')}-${random_hex}`
}

export const isId = (text: string): boolean => ID.test(text)

/** Fails for a damaged file or one from a newer version. */
export function parseEntry(text: string): Entry {
  const parsed = JSON.parse(text) as Partial<Entry>
  const isWhole =
    parsed.version === 1 &&
    typeof parsed.id === 'string' &&
    isId(parsed.id) &&
    typeof parsed.host === 'string' &&
    typeof parsed.path === 'string' &&
    parsed.path.startsWith('/') &&
    (parsed.method === 'PUT' || parsed.method === 'POST') &&
    typeof parsed.idempotency_key === 'string' &&
    Array.isArray(parsed.parts) &&
    parsed.parts.every(({ file }) => /^part-\d+\.bin$/.test(file))
  if (!isWhole) throw new Error('not an entry of this version')
  return parsed as Entry
}
