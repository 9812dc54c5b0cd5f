// Wraps the evidence store of a running service: its faults become responses that tell whose fault it is, and the
// operator is notified when they begin and end, not once for each request.
import type { Clock } from '../lib/clock.ts'
import { EvidenceDamaged, EvidenceFault } from '../lib/errors.ts'
import { putNewest } from '../lib/put-newest.ts'
import type { Address } from './address.ts'
import type { EvidenceStore } from './evidence.ts'
import { toDiskFault } from './file-errors.ts'

/** On a disk that is almost full, some writes fail and others succeed: this must not fill the log. */
const REPEAT_AFTER_MS = 60_000
/** The store words part of a reason. */
const MOST_REASONS = 50

export interface EvidenceReports {
  clock: Clock
  onFault(reason: string, cause: unknown): void
  onRecovery(): void
  /** A read broke off after it had begun; the store may be well. */
  onCut(reason: string, cause: unknown): void
  onDamage(address: Address, reason: string): void
}

export interface WatchedEvidence extends EvidenceStore {
  /** The fault of the last attempt to use the store; undefined if it succeeded. */
  getFault(): string | undefined
}

export function watchEvidence(store: EvidenceStore, reports: EvidenceReports): WatchedEvidence {
  const isNews = makeNews(reports.clock)
  let fault: string | undefined
  /** The reason that was reported last, until the store is well again. */
  let reported: string | undefined

  function noteFault({ reason, cause }: EvidenceFault): void {
    fault = reason
    if (reported === reason || !isNews(reason)) return
    reported = reason
    reports.onFault(reason, cause)
  }

  function noteSuccess(): void {
    fault = undefined
    if (reported === undefined) return
    reported = undefined
    reports.onRecovery()
  }

  async function watch<T>(use: () => Promise<T>): Promise<T> {
    try {
      return await use()
    } catch (error) {
      const known = toEvidenceFault(error)
      if (!known) throw error
      noteFault(known)
      throw known
    }
  }

  /** Counts only what reaches the store itself: staging alone proves nothing about a bucket. */
  async function watchWrite(write: () => Promise<void>): Promise<void> {
    await watch(write)
    noteSuccess()
  }

  function noteBrokenRead(address: Address, error: unknown): void {
    if (error instanceof EvidenceDamaged) reports.onDamage(address, error.reason)
    if (error instanceof EvidenceFault && isNews(`read: ${error.reason}`))
      reports.onCut(error.reason, error.cause)
  }

  const { anchors } = store
  return {
    ...store,
    anchors: {
      list: org_id => watch(() => anchors.list(org_id)),
      listNames: (after, limit) => watch(() => anchors.listNames(after, limit)),
      add: (org_id, name, text) => watch(() => anchors.add(org_id, name, text)),
      remove: (org_id, name) => watch(() => anchors.remove(org_id, name)),
    },
    getFault: () => fault,
    probe: () => watchWrite(store.probe),
    stage: async (org_id, name, content) => {
      const staged = await watch(() => store.stage(org_id, name, content))
      return { ...staged, keep: () => watchWrite(staged.keep) }
    },
    open: async (org_id, sha256) => {
      const opened = await watch(() => store.open(org_id, sha256))
      opened?.content.once('error', error => noteBrokenRead({ org_id, sha256 }, error))
      return opened
    },
  }
}

/** Whether something was not reported in the last minute; then it counts as reported. */
function makeNews(clock: Clock): (reason: string) => boolean {
  const reported_at = new Map<string, number>()
  return reason => {
    const now_ms = clock.monotonic_ms()
    const at_ms = reported_at.get(reason)
    if (at_ms !== undefined && now_ms - at_ms < REPEAT_AFTER_MS) return false
    putNewest(reported_at, reason, now_ms, MOST_REASONS)
    return true
  }
}

const toEvidenceFault = (error: unknown): EvidenceFault | undefined =>
  error instanceof EvidenceFault ? error : toDiskFault(error)
