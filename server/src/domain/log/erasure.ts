// Erasure from a log: what can be erased, why, and what is left of an event. The leaf of an erased event stays:
// without the salt, its hash reveals nothing.

/** Replaces the actor of an erased event, and the sender of an erased report. */
export const ERASED = 'erased'

/** Why a body is erased. Fixed values, because free text could name the person again. */
export const ERASURE_REASONS = ['data_subject_request', 'legal_obligation', 'recorded_by_mistake'] as const
export type ErasureReason = (typeof ERASURE_REASONS)[number]

/** Verifiers need these bodies: the tag key, the chain of keys, what was imported, and what was erased. */
export const UNERASABLE_KINDS: readonly string[] = [
  'log_opened',
  'log_reopened',
  'log_key_added',
  'log_key_retired',
  'history_complete',
  'body_erased',
]

export const isErasable = (kind: string): boolean => !UNERASABLE_KINDS.includes(kind)

/** An erasure event's record of the leaf whose body it erases. */
export interface ErasedLeaf {
  epoch: number
  index: number
  /** The id of the event, as callers know it. */
  event: string
  kind: string
  happened_at: string
}

/** Whether an erasure is about this very leaf, and about the event as it was recorded. */
export function isErasureOf(erasure: Partial<ErasedLeaf> | null, leaf: ErasedLeaf): boolean {
  return (
    erasure !== null &&
    erasure.epoch === leaf.epoch &&
    erasure.index === leaf.index &&
    erasure.event === leaf.event &&
    erasure.kind === leaf.kind &&
    erasure.happened_at === leaf.happened_at
  )
}
