// Imports events from before the log, in the background, a few at a time beside all other writes. Each batch is one
// transaction, which also moves the position of the next batch: however a process ends, no event is imported twice or
// left out.
import type { Database, Db } from '../db/database.ts'
import { formatBody } from '../domain/log/body.ts'
import { hashBody, SALT_BYTES } from '../domain/log/commit.ts'
import { HISTORY_IMPORTED, type ImportState, moveImport } from '../domain/log/history.ts'
import { listSubjects } from '../domain/log/subjects.ts'
import { appendToLog } from '../events/append-to-log.ts'
import { COVERAGE, type Coverage } from '../events/coverage.ts'
import type { EventKind } from '../events/kinds.ts'
import { recordEvent } from '../events/record.ts'
import { SYSTEM_ACTOR } from '../events/request-context.ts'
import { type EventEntry, printData } from '../events/to-log.ts'
import { assert } from '../lib/assert.ts'
import type { Clock } from '../lib/clock.ts'
import { type Ids, toWireId } from '../lib/ids.ts'
import type { Log } from '../lib/log.ts'
import { createSecretBytes } from '../lib/secrets.ts'
import {
  buildImportStep,
  type ImportedCount,
  listPendingImports,
  lockImport,
  type OldEventRow,
  readOldEvents,
  storeImport,
} from './history-store.ts'

export const BATCH = 200
const EVERY_MS = 60_000

export interface HistoryParts {
  db: Database
  ids: Ids
  clock: Clock
  log: Log
}

export interface HistoryImport {
  /** Waits for a batch in progress. */
  stop(): Promise<void>
}

export function startImportingHistory(parts: HistoryParts): HistoryImport {
  let stopping = false
  const isStopping = () => stopping
  let running: Promise<void> | undefined
  const start = () => {
    running ??= importHistory(parts, isStopping).finally(() => {
      running = undefined
    })
  }
  start()
  const timer = setInterval(start, EVERY_MS)
  timer.unref()
  return {
    stop: async () => {
      stopping = true
      clearInterval(timer)
      await running
    },
  }
}

/** Imports everything that is left. The next round retries failures. */
export async function importHistory(parts: HistoryParts, isStopping = () => false): Promise<void> {
  const { db, log } = parts
  try {
    for (const { org_id } of await listPendingImports(db)) {
      try {
        while (!isStopping() && (await importBatch(parts, org_id)));
      } catch (error) {
        log.warn({ err: error, org_id }, 'events from before the log could not be imported')
      }
    }
  } catch (error) {
    log.warn({ err: error }, 'the organizations from before the log could not be listed')
  }
}

/** False if nothing is left to do, or if another process is doing it. */
export function importBatch({ db, ids, clock }: HistoryParts, org_id: string): Promise<boolean> {
  return db.withTransaction({ org_id }, async tx => {
    const state = await lockImport(tx, org_id)
    if (!state) return false
    const salts = createSecretBytes(SALT_BYTES * BATCH)
    const examined = await readOldEvents(tx, org_id, {
      after: state.last_event_id,
      limit: BATCH,
      salts: Array.from({ length: BATCH }, (_, i) =>
        salts.subarray(i * SALT_BYTES, (i + 1) * SALT_BYTES).toString('hex'),
      ),
    })
    const old = examined.filter(({ is_old }) => is_old)
    const now = clock.now()
    await importEvents(tx, org_id, old, { now, beside_id: ids.next() })
    const moved = moveImport(state, examined, old)
    const is_complete = examined.length < BATCH
    if (is_complete) await recordComplete(tx, org_id, moved, { ids, now })
    await storeImport(tx, org_id, moved, is_complete ? now : null)
    return !is_complete
  })
}

type Opening = Pick<EventEntry, 'now' | 'beside_id'>

async function importEvents(
  tx: Db,
  org_id: string,
  old: readonly OldEventRow[],
  opening: Opening,
): Promise<void> {
  if (old.length === 0) return
  const rows = old.map(({ event_id, salt, named }) => ({ event_id, salt, parts: named }))
  const logged = old.map(event => Object.assign(toEntry(org_id, event, opening), { append: appendToLog }))
  const [result] = await tx.runSteps([{ ...buildImportStep(org_id, rows), logged }])
  const [stored] = result as ImportedCount[]
  assert(stored?.imported === old.length, 'events without a leaf have no salt yet')
}

/** For an event of an unknown version: nothing of it is hidden. */
const NO_COVERAGE: Pick<Coverage, 'about' | 'hidden'> = { about: [], hidden: [] }

function toEntry(org_id: string, event: OldEventRow, opening: Opening): EventEntry {
  const { event_id, data, values, parts, named } = event
  const { about, hidden } = COVERAGE[event.kind as EventKind] ?? NO_COVERAGE
  const salt = Buffer.from(event.salt, 'hex')
  const printed = hidden.length === 0 ? data : printData(salt, values, hidden)
  const body = formatBody({ ...event, data: printed, parts })
  return {
    org_id,
    event_id,
    kind: HISTORY_IMPORTED,
    body_hash: hashBody(salt, body),
    subjects: listSubjects({ ...event, data: values, parts: named }, about),
    receipt: undefined,
    ...opening,
  }
}

/** An organization without events from before the log needs no event about them. */
async function recordComplete(
  tx: Db,
  org_id: string,
  { imported, first_id, last_id, kinds }: ImportState,
  { ids, now }: { ids: Ids; now: Date },
): Promise<void> {
  if (first_id === null || last_id === null) return
  const context = { org: { org_id }, caller: { name: SYSTEM_ACTOR }, now, request_id: 'history' }
  await recordEvent(tx, context, ids, {
    kind: 'history_complete',
    data: { count: imported, first_id: toWireId(first_id), last_id: toWireId(last_id), kinds },
  })
}
