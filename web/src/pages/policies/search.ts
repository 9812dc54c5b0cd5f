// The query parameters of the policy pages.

export interface PoliciesSearch {
  name?: string
  /** Lists archived policies instead of active ones. */
  archived?: true
  page?: number
}

/** The two compared versions. */
export interface PolicySearch {
  from?: number
  to?: number
}
