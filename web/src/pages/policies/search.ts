// The query parameters of the pages of policies.

export interface PoliciesSearch {
  name?: string
  /** Lists archived policies instead of active ones. */
  archived?: true
  page?: number
}

/** The two versions that are compared. */
export interface PolicySearch {
  from?: number
  to?: number
}
