// The query parameters of the pages of custom attestation types.

export interface TypesSearch {
  /** Shows archived types instead of the others. */
  archived?: true
}

export interface TypeSearch {
  /** Defaults to the newest. */
  version?: number
}
