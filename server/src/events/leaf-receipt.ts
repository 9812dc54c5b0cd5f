// The places of a request's events in the log, which its response states.

export interface LoggedLeaf {
  index: number
  /** Of the log after the transaction. */
  size: number
  leaf_hash: Buffer
}

/** Filled when the transaction has committed. */
export class LeafReceipt {
  readonly leaves: LoggedLeaf[] = []

  /** Requests are stored as JSON in several places; the receipt is no part of them. */
  toJSON(): undefined {
    return undefined
  }
}
