// Copies the newest checkpoint of every log that has grown to the evidence store, and then into the database, every
// few seconds. Several workers may do this at once: they sign the same.
import { formatNote } from '@waybill/transparency-log'
import type { Database } from '../db/database.ts'
import type { EvidenceStore } from '../evidence/evidence.ts'
import type { Clock } from '../lib/clock.ts'
import type { Log } from '../lib/log.ts'
import { addAnchor } from './anchors.ts'
import { findUnanchored, listGrownLogs, storeCheckpoint } from './checkpoint-store.ts'
import type { Logs } from './logs.ts'
import { isUnanchored, UNANCHORED } from './signer.ts'

const EVERY_MS = 5_000
const MINUTE_MS = 60_000

export interface PublishParts {
  db: Database
  evidence: EvidenceStore
  logs: Logs
  clock: Clock
  log: Log
}

export interface Publishing {
  /** Waits for a round in progress. */
  stop(): Promise<void>
}

export function startPublishing(parts: PublishParts): Publishing {
  let running: Promise<void> | undefined
  const timer = setInterval(() => {
    running ??= publishGrownLogs(parts).finally(() => {
      running = undefined
    })
  }, EVERY_MS)
  timer.unref()
  return {
    stop: async () => {
      clearInterval(timer)
      await running
    },
  }
}

export async function publishGrownLogs(parts: PublishParts): Promise<void> {
  const { db, log, logs } = parts
  try {
    for (const { org_id } of await listGrownLogs(db)) {
      await publish(parts, org_id).catch(error => {
        // Writes continue, and the next round tries again.
        logs.counters.publishing_failures += 1
        log.warn({ err: error, org_id }, 'the checkpoint of a log could not be published')
      })
    }
  } catch (error) {
    logs.counters.publishing_failures += 1
    log.warn({ err: error }, 'the logs that have grown could not be listed')
  }
}

async function publish({ db, evidence, logs, clock, log }: PublishParts, org_id: string): Promise<void> {
  const checkpoint = await logs.signForAnchor(org_id)
  const { epoch, size, root, note } = checkpoint
  const stored = await addAnchor(evidence.anchors, org_id, checkpoint)
  if (!stored.root.equals(root)) {
    logs.counters.publishing_failures += 1
    log.error(
      { org_id, epoch, size },
      'another checkpoint of the same size is in the evidence store: the log has forked',
    )
    return
  }
  const minute = Math.floor(clock.now().getTime() / MINUTE_MS)
  await storeCheckpoint(db, { org_id, epoch, minute, size, root, note: formatNote(note) })
}

/**
 * For the operator: a log without signatures because checkpoints do not reach the evidence store; undefined if there
 * is none.
 */
export async function describeUnanchored(db: Database): Promise<string | undefined> {
  const found = await findUnanchored(db)
  return found && isUnanchored(found.waited_ms)
    ? `log of organization ${found.org_id}: ${UNANCHORED}`
    : undefined
}
