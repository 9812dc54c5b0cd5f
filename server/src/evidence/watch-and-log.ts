// Watches the evidence store, and logs what goes wrong with it.
import type { Clock } from '../lib/clock.ts'
import type { Log } from '../lib/log.ts'
import type { EvidenceStore } from './evidence.ts'
import { type WatchedEvidence, watchEvidence } from './watched.ts'

interface WatchParts {
  evidence: EvidenceStore
  clock: Clock
  log: Log
}

/** Logs the beginning and the end of a fault of the store, and what readers do not get. */
export function watchAndLog({ evidence, clock, log }: WatchParts): WatchedEvidence {
  return watchEvidence(evidence, {
    clock,
    onFault: (reason, cause) => log.warn({ err: cause, reason }, 'evidence cannot be stored'),
    onRecovery: () => log.info('evidence can be stored again'),
    onCut: (reason, cause) => log.warn({ err: cause, reason }, 'evidence could not be read to its end'),
    onDamage: (address, reason) => log.error({ ...address, reason }, 'stored evidence is damaged'),
  })
}
