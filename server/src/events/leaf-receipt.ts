// The places of a request's events in the log, which its response states.

export interface LoggedLeaf {
  org_id: string
  index: number
  /** Of the log after the transaction. */
  size: number
  leaf_hash: Buffer
}

/** Filled when the transaction has committed. */
export interface LeafReceipt {
  leaves: LoggedLeaf[]
  /** What a retry of the request is recognized by. */
  idempotency?: { caller_id: string; key: string } | undefined
}
