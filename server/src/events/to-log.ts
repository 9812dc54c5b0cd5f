// Turns an event into its row and its log entry: the hash of its body and the subjects it is about.
import type { LogEntry } from '../db/database.ts'
import type { EvidenceFile } from '../domain/evidence/files.ts'
import { formatBody, hideFields } from '../domain/log/body.ts'
import { commitToPart, hashBody, SALT_BYTES, type Subject } from '../domain/log/commit.ts'
import { printJson } from '../domain/log/print-json.ts'
import { listSubjects } from '../domain/log/subjects.ts'
import { assert } from '../lib/assert.ts'
import { createSecretBytes } from '../lib/secrets.ts'
import { COVERAGE, type ContentName, type Coverage } from './coverage.ts'
import type { EventRow, NewEvent } from './insert-store.ts'
import type { LeafReceipt } from './leaf-receipt.ts'
import type { StoredRowName } from './stored-rows-store.ts'

/** The log's data about an event that its transaction inserts. */
export interface EventEntry extends Omit<LogEntry, 'append'> {
  event_id: string
  kind: string
  now: Date
  body_hash: Buffer
  subjects: readonly Subject[]
  receipt: LeafReceipt | undefined
  /** If this event opens the log, the opening event gets an id next to this one; by default next to the event's. */
  beside_id?: string
}

export interface EventToInsert extends Omit<NewEvent, 'parts'> {
  /** Content that the change stores elsewhere, by name, as the bytes that are stored; for a state, its hash. */
  contents?: Readonly<Partial<Record<ContentName, string>>> | undefined
  /** The rows that the event changes. */
  rows?: readonly StoredPart[] | undefined
  /** Attached files, which are stored under their own hashes. */
  files?: readonly EvidenceFile[] | undefined
  /** Facts in columns that neither the data nor a content includes. */
  facts?: Readonly<Record<string, unknown>> | undefined
  /** People and accounts, which no column of the event names. */
  about?: EventSubjects | undefined
  receipt?: LeafReceipt | undefined
}

export type EventSubjects = Readonly<Partial<Record<'person' | 'account', string>>>

interface StoredPart {
  name: StoredRowName
  id: string
  content: string
}

/** Keeps the order. One call reads the random bytes of all salts. */
export function toRowsAndEntries(org_id: string, events: readonly EventToInsert[]) {
  const salts = createSecretBytes(SALT_BYTES * events.length)
  return events.map((event, i) =>
    toRowAndEntry(org_id, event, salts.subarray(i * SALT_BYTES, (i + 1) * SALT_BYTES)),
  )
}

function toRowAndEntry(org_id: string, event: EventToInsert, salt: Buffer) {
  const { receipt, contents, rows, files, facts, about, ...rest } = event
  const coverage = COVERAGE[rest.kind]
  refuseUncovered(coverage, event)
  const row: EventRow = Object.assign(rest, { parts: buildParts(salt, event), salt: salt.toString('hex') })
  const { event_id, kind, now } = row
  const body_hash = hashBody(salt, printBody(salt, row, coverage))
  const subjects = listSubjects(row, coverage.about)
  const entry: EventEntry = { org_id, event_id, kind, now, body_hash, subjects, receipt }
  return { row, entry }
}

function printBody(salt: Buffer, event: NewEvent, { hidden }: Coverage): string {
  const { now, data, caller, parts } = event
  return formatBody({
    ...event,
    happened_at: now,
    data: printData(salt, data, hidden),
    caller: caller ? printJson(caller) : null,
    parts: parts ? printJson(parts) : null,
  })
}

/** An event that does not cover what its kind must cover is a bug. */
function refuseUncovered(coverage: Coverage, { kind, contents = {}, rows = [] }: EventToInsert): void {
  for (const name of coverage.contents) assert(contents[name] !== undefined, `${kind} covers the ${name}`)
  for (const name of coverage.rows)
    assert(
      rows.some(row => row.name === name),
      `${kind} covers the ${name}`,
    )
}

/** Prints the data as it appears in the body. */
export function printData(salt: Buffer, data: Record<string, unknown>, hidden: readonly string[]): string {
  if (hidden.length === 0) return printJson(data)
  return printJson(hideFields(data, hidden, (name, content) => commitToPart(salt, name, content)))
}

function buildParts(
  salt: Buffer,
  { contents = {}, rows = [], files = [], facts, about }: EventToInsert,
): NewEvent['parts'] {
  const parts: Record<string, unknown> = {}
  for (const [name, content] of Object.entries(contents))
    parts[name] = name === 'state' ? { sha256: content } : commitTo(salt, name, content)
  for (const { name, id, content } of rows) {
    // The second row of the same table gets a number.
    const part = name in parts ? `${name} ${Object.keys(parts).length}` : name
    parts[part] = { row: `${name} ${id}`, ...commitTo(salt, part, content) }
  }
  const [first] = files
  if (first) {
    // Keeps the form from when there was only one file, for the verifiers of that time.
    parts.evidence = { sha256: first.stored_sha256, bytes: first.stored_bytes, name: first.name }
    parts.files = files
  }
  if (facts && Object.keys(facts).length > 0) parts.facts = facts
  if (about) parts.about = about
  return Object.keys(parts).length > 0 ? parts : undefined
}

function commitTo(salt: Buffer, name: string, content: string) {
  return { commitment: commitToPart(salt, name, content), bytes: Buffer.byteLength(content) }
}
