// Compares all logs with their anchors, also while nothing is written: at the start, and then every minute. A database that
// was restored or rolled back is noticed before its next write. Only the names of the anchors are read, and all logs are
// compared by one statement.
import type { Database } from '../db/database.ts'
import type { AnchorName, AnchorStore } from '../evidence/evidence.ts'
import { EvidenceFault } from '../lib/errors.ts'
import type { Log } from '../lib/log.ts'
import { compareAges, parseAnchorName } from './anchors.ts'
import { type AnchorPlace, listBehind } from './checkpoint-store.ts'
import type { Logs } from './logs.ts'
import { describeOlderEpoch, describeShorterLog, NO_ANCHOR } from './open-log.ts'

const EVERY_MS = 60_000
/** In a larger installation, the next round goes on where this one stops. */
const MOST_ANCHORS = 10_000
/** Logs that are read again in one round. */
const MOST_EXAMINED = 20
const MOST_NAMED = 20
const LACKS =
  'the database lacks what was signed: it was restored or rolled back. Nothing is signed until "waybill admin log reopen"'

interface LostLog {
  org_id: string
  sentence: string
}

interface Compared {
  /** Shorter than what was signed. */
  lost: LostLog[]
  /** Signed before, and without an anchor. */
  unanchored: LostLog[]
  /** Where the next round begins; undefined if this one has reached the end. */
  next: AnchorName | undefined
}

/** `run` runs the one statement. */
export async function compareAnchors(
  anchors: AnchorStore,
  run: Parameters<typeof listBehind>[0],
  { after, limit }: { after: AnchorName | undefined; limit: number },
): Promise<Compared> {
  // Before the logs, which only grow: an anchor that is new now belongs to a log that is longer by then.
  const names = await anchors.listNames(after, limit)
  const is_end = names.length < limit
  const behind = await listBehind(run, pickNewest(names), after === undefined && is_end)
  const compared: Compared = { lost: [], unanchored: [], next: is_end ? undefined : names.at(-1) }
  for (const { org_id, epoch, size, anchor_epoch, anchor_size } of behind) {
    if (anchor_epoch === null || anchor_size === null || anchor_epoch < epoch)
      compared.unanchored.push({ org_id, sentence: NO_ANCHOR })
    else if (anchor_epoch > epoch)
      compared.lost.push({ org_id, sentence: describeOlderEpoch(epoch, anchor_epoch) })
    else compared.lost.push({ org_id, sentence: describeShorterLog(size, anchor_size) })
  }
  return compared
}

function pickNewest(names: readonly AnchorName[]): AnchorPlace[] {
  const newest = new Map<string, AnchorPlace>()
  for (const { org_id, name } of names) {
    const place = parseAnchorName(name)
    const known = newest.get(org_id)
    if (place && (!known || compareAges(known, place) < 0)) newest.set(org_id, { org_id, ...place })
  }
  return [...newest.values()]
}

export interface ComparingParts {
  db: Pick<Database, 'runOnce'>
  evidence: { anchors: AnchorStore }
  logs: Pick<Logs, 'markLost' | 'examine' | 'listLost'>
  log: Log
}

export interface Comparing {
  /** Waits for a round in progress. */
  stop(): Promise<void>
}

export function startComparing(parts: ComparingParts): Comparing {
  const compare = makeRounds(parts)
  let running: Promise<void> | undefined
  const start = () => {
    running ??= compare().finally(() => {
      running = undefined
    })
  }
  start()
  const timer = setInterval(start, EVERY_MS)
  timer.unref()
  return {
    stop: async () => {
      clearInterval(timer)
      await running
    },
  }
}

/** Returns a function that does one round. */
export function makeRounds({ db, evidence, logs, log }: ComparingParts): () => Promise<void> {
  const run: Parameters<typeof listBehind>[0] = (statement, params) =>
    db.runOnce({ worker: true }, statement, params)
  let after: AnchorName | undefined
  let reported = new Set<string>()
  return async () => {
    try {
      const place = { after, limit: MOST_ANCHORS }
      const { lost, unanchored, next } = await compareAnchors(evidence.anchors, run, place)
      after = next
      const doubted = new Set([...unanchored, ...logs.listLost()].map(({ org_id }) => org_id))
      for (const { org_id, sentence } of lost) {
        logs.markLost(org_id, sentence)
        doubted.delete(org_id)
      }
      for (const org_id of [...doubted].slice(0, MOST_EXAMINED)) await logs.examine(org_id)
    } catch (error) {
      // The store reports its own faults, and the next round tries again.
      if (!(error instanceof EvidenceFault))
        log.warn({ err: error }, 'the logs could not be compared with their anchors')
    }
    reported = reportNew(logs.listLost(), reported, log)
  }
}

/** All of them in one line: a rolled back database lacks records of every organization. */
function reportNew(all: readonly LostLog[], reported: ReadonlySet<string>, log: Log): Set<string> {
  const found = all.filter(({ org_id }) => !reported.has(org_id))
  const [first] = found
  if (first) {
    const org_ids = found.slice(0, MOST_NAMED).map(({ org_id }) => org_id)
    log.error({ logs: found.length, org_ids, reason: first.sentence }, LACKS)
  }
  return new Set(all.map(({ org_id }) => org_id))
}
