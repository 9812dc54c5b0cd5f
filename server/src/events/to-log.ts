// Turns an event into its row and into what the log says about it: the hash of its body and the subjects it is about.
import type { LogEntry } from '../db/database.ts'
import { formatBody } from '../domain/log/body.ts'
import { commitToPart, hashBody, SALT_BYTES, type Subject } from '../domain/log/commit.ts'
import { printJson } from '../domain/log/print-json.ts'
import { listSubjects } from '../domain/log/subjects.ts'
import { createSecretBytes } from '../lib/secrets.ts'
import type { EventRow, NewEvent } from './insert-store.ts'
import type { LeafReceipt } from './leaf-receipt.ts'

/** What the log needs to know of an event that its transaction inserts. */
export interface EventEntry extends Omit<LogEntry, 'append'> {
  event_id: string
  kind: string
  now: Date
  body_hash: Buffer
  subjects: readonly Subject[]
  receipt: LeafReceipt | undefined
}

export interface EventToInsert extends Omit<NewEvent, 'parts'> {
  /** What the change stores elsewhere, by name, as the bytes that are stored. The event has a hash of each. */
  contents?: Readonly<Record<string, string>> | undefined
  /** An attached file, which is stored under its own hash. */
  evidence?: { sha256: string; bytes: number; name: string } | undefined
  receipt?: LeafReceipt | undefined
}

/** In the same order. One call reads the random bytes of all salts. */
export function toRowsAndEntries(org_id: string, events: readonly EventToInsert[]) {
  const salts = createSecretBytes(SALT_BYTES * events.length)
  return events.map((event, i) =>
    toRowAndEntry(org_id, event, salts.subarray(i * SALT_BYTES, (i + 1) * SALT_BYTES)),
  )
}

function toRowAndEntry(org_id: string, event: EventToInsert, salt: Buffer) {
  const { receipt, contents, evidence, ...rest } = event
  const own = { parts: buildParts(salt, contents, evidence), salt: salt.toString('hex') }
  const row: EventRow = Object.assign(rest, own)
  const { event_id, kind, now } = row
  const body_hash = hashBody(salt, printBody(row))
  const entry: EventEntry = { org_id, event_id, kind, now, body_hash, subjects: listSubjects(row), receipt }
  return { row, entry }
}

function printBody(event: NewEvent): string {
  const { now, data, caller, parts } = event
  return formatBody({
    ...event,
    happened_at: now,
    data: printJson(data),
    caller: caller ? printJson(caller) : null,
    parts: parts ? printJson(parts) : null,
  })
}

function buildParts(
  salt: Buffer,
  contents: EventToInsert['contents'] = {},
  evidence: EventToInsert['evidence'],
): NewEvent['parts'] {
  const committed = Object.entries(contents).map(([name, text]) => [
    name,
    { commitment: commitToPart(salt, name, text), bytes: Buffer.byteLength(text) },
  ])
  if (committed.length === 0 && !evidence) return undefined
  return { ...Object.fromEntries(committed), ...(evidence ? { evidence } : {}) }
}
