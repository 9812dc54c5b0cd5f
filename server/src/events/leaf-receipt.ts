// The log positions of a request's events, which its response states.

export interface LoggedLeaf {
  org_id: string
  index: number
  /** Size of the log after the transaction. */
  size: number
  leaf_hash: Buffer
}

/** Filled once the transaction has committed. */
export interface LeafReceipt {
  leaves: LoggedLeaf[]
  /** Identifies a retry of the request. */
  idempotency?: { caller_id: string; key: string } | undefined
}
