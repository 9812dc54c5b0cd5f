// Delivers the spool, oldest entry first. Stops at the first entry that cannot be delivered now. Sets aside
// entries that the service refuses; later entries of the same stream wait for the next time.
import type { Api } from '../http/api.ts'
import type { Answer, Call } from '../http/call.ts'
import type { Part } from '../http/multipart.ts'
import { Problem } from '../program/problem.ts'
import { compress, SMALLEST_BYTES } from './compress.ts'
import type { Entry, SpooledPart } from './entry.ts'
import { getPartPath, listEntries, refuseEntry, removeEntry, type SpoolFolder, sweep } from './folder.ts'

export interface Delivery {
  delivered: Map<string, Answer>
  refused: Map<string, Problem>
  /** Why delivery stopped; undefined if every entry was tried. */
  stopped_by: Problem | undefined
  /** Entries for other services, left alone. */
  foreign: Entry[]
  damaged: string[]
  left: number
}

/** How long to retry asking for the limits of the service. */
const META_PATIENCE_MS = 5_000

const PASSING = new Set(['unreachable', 'not_allowed', 'failure'])

/**
 * A temporary problem, or one with the credential: the same request may succeed later. Not 403: another
 * credential must not record what this one may not.
 */
const isPassing = ({ exit, status }: Problem): boolean => PASSING.has(exit) && status !== 403

export interface DeliverOptions {
  host: string
  api: Api
  now_ms: number
  /** The entry that was just written; all others were waiting. */
  new_id?: string
}

export async function deliverAll(spool: SpoolFolder, options: DeliverOptions): Promise<Delivery> {
  const { entries, damaged } = await listEntries(spool.queue)
  const own = entries.filter(({ host }) => host === options.host)
  const delivery: Delivery = {
    delivered: new Map(),
    refused: new Map(),
    stopped_by: undefined,
    foreign: entries.filter(({ host }) => host !== options.host),
    damaged,
    left: own.length,
  }
  const blocked = new Set<string>()
  for (const entry of own) {
    if (blocked.has(entry.stream)) continue
    const outcome = await deliver(spool, entry, options)
    if ('answer' in outcome) delivery.delivered.set(entry.id, outcome.answer)
    else if (isPassing(outcome.problem)) {
      delivery.stopped_by = outcome.problem
      break
    } else {
      delivery.refused.set(entry.id, outcome.problem)
      blocked.add(entry.stream)
    }
    delivery.left -= 1
  }
  // Leftovers do no harm, so failing to clean the folder is no reason to fail.
  await sweep(spool, options.now_ms).catch(() => undefined)
  return delivery
}

async function deliver(
  spool: SpoolFolder,
  entry: Entry,
  { api, new_id }: DeliverOptions,
): Promise<{ answer: Answer } | { problem: Problem }> {
  try {
    const answer = await api.call(
      await buildCall(spool.queue, entry, { api, had_to_wait: entry.id !== new_id }),
    )
    await removeEntry(spool, spool.queue, entry.id)
    return { answer }
  } catch (error) {
    if (!(error instanceof Problem)) throw error
    if (!isPassing(error)) {
      const { message, exit, request_id } = error
      await refuseEntry(spool, entry.id, { message, exit, request_id })
    }
    return { problem: error }
  }
}

interface Sending {
  api: Api
  had_to_wait: boolean
}

/** Builds the request. The API client adds the credential. */
async function buildCall(folder: string, entry: Entry, { api, had_to_wait }: Sending): Promise<Call> {
  const { method, path, query, json_part, idempotency_key } = entry
  const json = { ...entry.json, ...describeTime(entry, had_to_wait) }
  const base = { method, path, query, ...(method === 'POST' ? { idempotency_key } : {}) }
  if (json_part === undefined) return { ...base, json }
  const first: Part = {
    name: json_part,
    content_type: 'application/json',
    content: { bytes: Buffer.from(JSON.stringify(json)) },
  }
  const isLarge = entry.parts.some(({ size }) => size >= SMALLEST_BYTES)
  const mayCompress = isLarge && (await takesCompressed(api))
  const files: Part[] = []
  for (const part of entry.parts)
    files.push(await buildFile(part, getPartPath(folder, entry, part), mayCompress))
  return { ...base, parts: [first, ...files] }
}

async function buildFile(part: SpooledPart, path: string, mayCompress: boolean): Promise<Part> {
  const { name, content_type, filename, size, sha256 } = part
  const described = { name, content_type, sha256, ...(filename === undefined ? {} : { filename }) }
  const packed = mayCompress && size >= SMALLEST_BYTES ? await compress(path, size) : undefined
  if (packed === undefined) return { ...described, content: { path, size } }
  return { ...described, content_encoding: 'gzip', content: { bytes: packed } }
}

/**
 * An earlier version would store the compressed bytes as the content. It does not announce several files
 * either.
 */
async function takesCompressed(api: Api): Promise<boolean> {
  try {
    const { json } = await api.call({ method: 'GET', path: '/meta', timeout_ms: META_PATIENCE_MS })
    const { limits } = (json ?? {}) as { limits?: { evidence_files?: unknown } }
    return typeof limits?.evidence_files === 'number'
  } catch (error) {
    // Then the request itself reports the problem.
    if (error instanceof Problem) return false
    throw error
  }
}

/**
 * Evidence carries its collection time. Environment reports contain it already, and flows have no such time.
 */
function describeTime({ stream, collected_at }: Entry, had_to_wait: boolean): object {
  if (!stream.startsWith('trail/')) return {}
  return { collected_at, ...(had_to_wait ? { spooled: true } : {}) }
}
