// What the rest of the program knows of the evidence store: attachments by the SHA-256 of their content, per org. An
// attachment is staged while the request is judged and kept just before its row is written: object first, row second.
import type { Readable } from 'node:stream'

/** A store that cannot be used as it is set up: one line for the operator. */
export class EvidenceProblem extends Error {}

export interface StagedEvidence {
  readonly sha256: string
  readonly bytes: number
  /** The file name the sender gave, as data: nothing is ever stored under it. */
  readonly name: string
  /** Makes it part of the store; call it before the transaction that names it. Doing it again changes nothing. */
  keep(): Promise<void>
  /** Forgets what was staged; nothing happens once it is kept. */
  discard(): Promise<void>
}

export interface KeptEvidence {
  org_id: string
  sha256: string
  bytes: number
  /** When it was last kept: keeping the same content again counts from then. */
  kept_at: Date
}

export interface EvidenceStore {
  /** Reads the stream to its end without holding it in memory; a stream that fails leaves nothing behind. */
  stage(org_id: string, name: string, content: Readable): Promise<StagedEvidence>
  /** The content, verified against its hash while it is read: a stream that does not match fails before it ends. */
  open(org_id: string, sha256: string): Promise<{ bytes: number; content: Readable } | undefined>
  /** Every kept object, for checks, backups and the sweep for orphans. */
  list(): AsyncIterable<KeptEvidence>
  /** With a time, only what was last kept before it: true when nothing is left. */
  remove(org_id: string, sha256: string, kept_before?: Date): Promise<boolean>
}
