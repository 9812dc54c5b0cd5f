// Wraps the evidence store of a running service: its faults become responses that tell whose fault it is, and the
// operator is notified when they begin and end, not once for each request.
import type { Clock } from '../lib/clock.ts'
import { EvidenceFault, evidenceAway, evidenceFull } from '../lib/errors.ts'
import type { EvidenceStore } from './evidence.ts'
import { classifyDiskError } from './file-errors.ts'

/** On a disk that is almost full, some writes fail and others succeed: this must not fill the log. */
const REPEAT_AFTER_MS = 60_000

export interface EvidenceReports {
  clock: Clock
  onFault(reason: string, cause: unknown): void
  onRecovery(): void
}

export interface WatchedEvidence extends EvidenceStore {
  /** The fault of the last attempt to use the store; undefined if it succeeded. */
  getFault(): string | undefined
}

export function watchEvidence(store: EvidenceStore, reports: EvidenceReports): WatchedEvidence {
  const { clock } = reports
  let fault: string | undefined
  let reported: { reason: string; at_ms: number } | undefined
  let is_recovery_due = false

  function noteFault({ reason, cause }: EvidenceFault): void {
    fault = reason
    const now_ms = clock.monotonic_ms()
    if (reported?.reason === reason && (is_recovery_due || now_ms - reported.at_ms < REPEAT_AFTER_MS)) return
    reported = { reason, at_ms: now_ms }
    is_recovery_due = true
    reports.onFault(reason, cause)
  }

  function noteSuccess(): void {
    fault = undefined
    if (!is_recovery_due) return
    is_recovery_due = false
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

  const { anchors } = store
  return {
    ...store,
    anchors: {
      list: org_id => watch(() => anchors.list(org_id)),
      add: (org_id, name, text) => watch(() => anchors.add(org_id, name, text)),
      remove: (org_id, name) => watch(() => anchors.remove(org_id, name)),
    },
    getFault: () => fault,
    probe: () => watchWrite(store.probe),
    stage: async (org_id, name, content) => {
      const staged = await watch(() => store.stage(org_id, name, content))
      return { ...staged, keep: () => watchWrite(staged.keep) }
    },
    open: (org_id, sha256) => watch(() => store.open(org_id, sha256)),
  }
}

function toEvidenceFault(error: unknown): EvidenceFault | undefined {
  if (error instanceof EvidenceFault) return error
  const kind = classifyDiskError(error)
  if (kind === undefined) return undefined
  const { code = '' } = error as { code?: string }
  return kind === 'full' ? evidenceFull(error) : evidenceAway(code, error)
}
