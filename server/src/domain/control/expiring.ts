// When a decision on a control expires soon enough that somebody should decide again.

/** Decisions that expire within this many days need attention. */
export const EXPIRING_DECISION_DAYS = 14
