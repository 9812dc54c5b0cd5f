// Records a write: first as a file in the spool, then at the service. If the service is down, the file stays,
// and a later command delivers it.
import type { Api } from '../http/api.ts'
import type { Answer } from '../http/call.ts'
import type { Part } from '../http/multipart.ts'
import { Problem } from '../program/problem.ts'
import { type Delivery, deliverAll } from './deliver.ts'
import { deriveKey, type Entry, makeId, type SpooledPart } from './entry.ts'
import {
  beginEntry,
  commitEntry,
  copyPart,
  countUp,
  dropAside,
  findNewestId,
  openSpool,
  type SpoolFolder,
} from './folder.ts'
import { acquireLock } from './lock.ts'

export interface Write {
  command: string
  org: string
  stream: string
  method: 'PUT' | 'POST'
  path: string
  query?: Readonly<Record<string, string>>
  json: Readonly<Record<string, unknown>>
  json_part?: string
  files?: readonly Part[]
}

export interface RecorderParts {
  root: string
  host: string
  api: Api
  timeout_ms: number
  /** Identifies the pipeline run; undefined outside of one. */
  run: { id: string; attempt: string } | undefined
  now_ms(): number
  random_hex(): string
  say(text: string): void
}

/** `files` are the sent files with their hashes; undefined if the spool could not be used. */
export type Recorded = { answer: Answer; files?: readonly SpooledPart[] } | { waiting: Problem }

export async function record(write: Write, parts: RecorderParts): Promise<Recorded> {
  const spooled = await writeEntry(write, parts)
  if ('problem' in spooled) {
    parts.say(`The spool cannot be used, so this is sent without it: ${spooled.problem}`)
    return sendDirectly(write, parts)
  }
  const { spool, entry } = spooled
  const lock = await acquireLock(spool.root, { patience_ms: parts.timeout_ms, now_ms: parts.now_ms })
  if (lock === undefined) return { waiting: makeBusyProblem() }
  try {
    const delivery = await deliverAll(spool, {
      host: parts.host,
      api: parts.api,
      now_ms: parts.now_ms(),
      new_id: entry.id,
    })
    return readOutcome(delivery, entry, parts)
  } finally {
    await lock.release()
  }
}

const makeBusyProblem = () =>
  new Problem('Another waybill process is sending from this spool', { exit: 'unreachable' })

function readOutcome(delivery: Delivery, entry: Entry, parts: RecorderParts): Recorded {
  for (const [id, problem] of delivery.refused)
    if (id !== entry.id) parts.say(`An earlier write was refused and set aside (${id}): ${problem.message}`)
  const answer = delivery.delivered.get(entry.id)
  if (answer !== undefined) return { answer, files: entry.parts }
  const refused = delivery.refused.get(entry.id)
  if (refused !== undefined) {
    const { exit, request_id, status, hint } = refused
    const kept = `It is kept in the spool as ${entry.id}: "waybill spool list --refused".`
    throw new Problem(refused.message, {
      exit,
      request_id,
      status,
      hint: [hint, kept].filter(Boolean).join(' '),
    })
  }
  // An invalid credential stops everything; waiting would not help.
  if (delivery.stopped_by?.exit === 'not_allowed') throw delivery.stopped_by
  const behind = new Problem('An earlier write of the same trail was refused', { exit: 'conflict' })
  return { waiting: delivery.stopped_by ?? behind }
}

async function writeEntry(
  write: Write,
  parts: RecorderParts,
): Promise<{ spool: SpoolFolder; entry: Entry } | { problem: string }> {
  let spool: SpoolFolder | undefined
  let id = ''
  try {
    spool = await openSpool(parts.root)
    id = makeId(parts.now_ms(), await findNewestId(spool.queue), parts.random_hex())
    const folder = await beginEntry(spool, id)
    const files = []
    for (const [index, part] of (write.files ?? []).entries()) files.push(await copyPart(folder, index, part))
    const entry = await completeEntry({ ...write, parts: files }, id, { ...parts, spool })
    await commitEntry(spool, entry)
    return { spool, entry }
  } catch (error) {
    const { code, message } = error as NodeJS.ErrnoException
    if (code === undefined) throw error
    if (spool !== undefined) await dropAside(spool, id).catch(() => undefined)
    return { problem: message }
  }
}

async function completeEntry(
  write: Write & { parts: Entry['parts'] },
  id: string,
  { host, run, now_ms, random_hex, spool }: RecorderParts & { spool: SpoolFolder },
): Promise<Entry> {
  const { command, org, stream, method, path, query = {}, json, json_part, parts } = write
  const content = { org, method, path, query, json, parts }
  return {
    version: 1,
    id,
    command,
    host,
    stream,
    collected_at: Math.floor(now_ms() / 1000),
    json_part,
    ...content,
    idempotency_key: await chooseKey(content, { run, random_hex, spool }),
  }
}

/**
 * In a pipeline, the key covers the run and how often it recorded this content: a repeated job creates no
 * duplicate, and a verdict that changes back and forth is recorded each time. Elsewhere every command records
 * something new.
 */
async function chooseKey(
  content: Pick<Entry, 'org' | 'method' | 'path' | 'query' | 'json' | 'parts'>,
  { run, random_hex, spool }: Pick<RecorderParts, 'run' | 'random_hex'> & { spool: SpoolFolder },
): Promise<string> {
  if (run === undefined) return deriveKey(content, [random_hex(), random_hex()])
  const base = deriveKey(content, [run.id])
  const number = await countUp(spool, deriveKey(content, [run.id, run.attempt]))
  return number === 1 ? base : deriveKey(content, [run.id, String(number)])
}

/** Writes without the spool: a write that cannot be delivered now is lost, and the caller knows it. */
export async function sendDirectly(
  write: Write,
  { api, random_hex }: Pick<RecorderParts, 'api' | 'random_hex'>,
): Promise<Recorded> {
  const { method, path, query = {}, json, json_part, files = [] } = write
  const base = { method, path, query, idempotency_key: `wb-${random_hex()}${random_hex()}` }
  if (json_part === undefined) return { answer: await api.call({ ...base, json }) }
  const bytes = Buffer.from(JSON.stringify(json))
  const first: Part = { name: json_part, content_type: 'application/json', content: { bytes } }
  return { answer: await api.call({ ...base, parts: [first, ...files] }) }
}
