// Opens the log of an organization with its first event: leaf 0 names the log and commits to its tag key.

import type { AppendContext } from '../db/database.ts'
import { assert } from '../lib/assert.ts'
import { makeSiblingId } from '../lib/ids.ts'
import { createSecretBytes } from '../lib/secrets.ts'
import { buildInsertStep } from './insert-store.ts'
import { buildOpenStep, buildReadKeyStep, type OpenedLog, type StoredKey } from './log-append-store.ts'
import { SYSTEM_ACTOR } from './request-context.ts'
import { type EventEntry, toRowsAndEntries } from './to-log.ts'

const TAG_KEY_BYTES = 32

interface FoundLog {
  tag_key: Buffer
  /** Leaf 0, if this transaction opens the log. */
  opening?: EventEntry
}

export async function findOrOpenLog(
  org_id: string,
  first: EventEntry,
  { known, runSteps }: AppendContext,
): Promise<FoundLog> {
  const known_key = known.get(org_id)
  if (known_key) return { tag_key: known_key }
  const stored_key = await readTagKey(org_id, runSteps)
  if (!stored_key) return openLog(org_id, first, runSteps)
  // A committed log stays. One that this transaction opens may be rolled back.
  known.set(org_id, stored_key)
  return { tag_key: stored_key }
}

type RunSteps = AppendContext['runSteps']

async function readTagKey(org_id: string, runSteps: RunSteps): Promise<Buffer | undefined> {
  const [rows] = await runSteps([buildReadKeyStep(org_id)])
  return (rows as StoredKey[])[0]?.tag_key
}

async function openLog(org_id: string, first: EventEntry, runSteps: RunSteps): Promise<FoundLog> {
  const [rows] = await runSteps([buildOpenStep(org_id, createSecretBytes(TAG_KEY_BYTES))])
  const [opened] = rows as OpenedLog[]
  if (!opened) {
    // Another transaction has opened the log meanwhile.
    const tag_key = await readTagKey(org_id, runSteps)
    assert(tag_key, 'an open log has a tag key')
    return { tag_key }
  }
  const { origin, tag_key } = opened
  const event = {
    event_id: makeSiblingId(first.beside_id ?? first.event_id),
    kind: 'log_opened' as const,
    now: first.now,
    actor: SYSTEM_ACTOR,
    request_id: 'log',
    data: { origin, tag_key: tag_key.toString('hex') },
  }
  const [opening] = toRowsAndEntries(org_id, [event])
  assert(opening, 'every event has its entry')
  await runSteps([buildInsertStep(org_id, [opening.row])])
  return { tag_key, opening: opening.entry }
}
