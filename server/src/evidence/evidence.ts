// The interface of the evidence store: attachments per org, addressed by the SHA-256 of their content. An attachment is
// staged while the request is validated and kept just before its row is written, so that a row never lacks its object.
import type { Readable } from 'node:stream'

/** The store cannot be used as configured: printed to the operator as one line. */
export class EvidenceProblem extends Error {}

export interface StagedEvidence {
  readonly sha256: string
  readonly bytes: number
  /** The sender's file name, which is only data: nothing is ever stored under it. */
  readonly name: string
  /** Makes it part of the store. Call this before the transaction that refers to it. Idempotent. */
  keep(): Promise<void>
  /** Deletes the staged content; has no effect once it is kept. */
  discard(): Promise<void>
}

export interface KeptEvidence {
  org_id: string
  sha256: string
  bytes: number
  /** When it was last kept; keeping the same content again updates it. */
  kept_at: Date
}

export interface AnchorName {
  org_id: string
  name: string
}

/** Small texts under names, apart from the attachments: the newest checkpoint of each log, which the sweep leaves alone. */
export interface AnchorStore {
  /** The texts of one org, by name. */
  list(org_id: string): Promise<Map<string, string>>
  /** The names of all orgs in order, at most `limit` of those after `after`. */
  listNames(after: AnchorName | undefined, limit: number): Promise<AnchorName[]>
  /** Has no effect if the name is taken: then it returns the existing text. */
  add(org_id: string, name: string, text: string): Promise<string>
  remove(org_id: string, name: string): Promise<void>
}

export interface EvidenceStore {
  readonly anchors: AnchorStore
  /** Reads the stream to its end without buffering it in memory. A stream that fails leaves nothing behind. */
  stage(org_id: string, name: string, content: Readable): Promise<StagedEvidence>
  /** The content is verified while it is read: a stream that does not match the hash fails before it ends. */
  open(org_id: string, sha256: string): Promise<{ bytes: number; content: Readable } | undefined>
  /** Writes a few bytes and removes them, or replaces them, to prove that the store can be written. */
  probe(): Promise<void>
  /** The space on the store's disk; a bucket has no size. */
  readSpace?(): Promise<{ free_bytes: number; total_bytes: number }>
  /** Every kept object, for checks, backups and the sweep for orphans. */
  list(): AsyncIterable<KeptEvidence>
  /** With `kept_before`, removes the object only if it was last kept before that time. Returns whether it is gone. */
  remove(org_id: string, sha256: string, kept_before?: Date): Promise<boolean>
}
