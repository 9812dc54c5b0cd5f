// Sends what waits in the spool, oldest first. Stops at the first entry that cannot be delivered now, and sets aside the
// ones that the service refuses, with everything of the same stream behind them kept for the next time.
import type { Api } from '../http/api.ts'
import type { Answer, Call } from '../http/call.ts'
import type { Part } from '../http/multipart.ts'
import { Problem } from '../program/problem.ts'
import type { Entry } from './entry.ts'
import { getPartPath, listEntries, refuseEntry, removeEntry, type SpoolFolder } from './folder.ts'

export interface Delivery {
  delivered: Map<string, Answer>
  refused: Map<string, Problem>
  /** Why it stopped; undefined if everything was tried. */
  stopped_by: Problem | undefined
  /** Entries for other services, left alone. */
  foreign: Entry[]
  damaged: string[]
  left: number
}

const PASSING = new Set(['unreachable', 'not_allowed', 'failure'])

/**
 * A problem of the moment or of the credential: the same request may succeed later. Not 403: another credential must not
 * record what this one may not.
 */
const isPassing = ({ exit, status }: Problem): boolean => PASSING.has(exit) && status !== 403

export interface DeliverOptions {
  host: string
  api: Api
  /** The entry that was just written; all others had to wait. */
  new_id?: string
  /** Called before each entry is sent. */
  onSend?: (entry: Entry) => void
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
    options.onSend?.(entry)
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
  return delivery
}

async function deliver(
  spool: SpoolFolder,
  entry: Entry,
  { api, new_id }: DeliverOptions,
): Promise<{ answer: Answer } | { problem: Problem }> {
  try {
    const answer = await api.call(toCall(spool.queue, entry, entry.id !== new_id))
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

/** The request as it is sent. The credential is added by the API. */
export function toCall(folder: string, entry: Entry, had_to_wait: boolean): Call {
  const { method, path, query, json_part, idempotency_key } = entry
  const json = { ...entry.json, ...describeTime(entry, had_to_wait) }
  const base = { method, path, query, ...(method === 'POST' ? { idempotency_key } : {}) }
  if (json_part === undefined) return { ...base, json }
  const first: Part = {
    name: json_part,
    content_type: 'application/json',
    content: { bytes: Buffer.from(JSON.stringify(json)) },
  }
  const files = entry.parts.map(
    (part): Part => ({
      name: part.name,
      content_type: part.content_type,
      ...(part.filename === undefined ? {} : { filename: part.filename }),
      content: { path: getPartPath(folder, entry, part), size: part.size },
    }),
  )
  return { ...base, parts: [first, ...files] }
}

/** Evidence says when it was collected. Reports of environments say it themselves, and flows have no such time. */
function describeTime({ stream, collected_at }: Entry, had_to_wait: boolean): object {
  if (!stream.startsWith('trail/')) return {}
  return { collected_at, ...(had_to_wait ? { spooled: true } : {}) }
}
