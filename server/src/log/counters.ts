// Counts the work on logs since the process started, for the metrics.

export interface LogCounters {
  checkpoints_signed: number
  /** Checkpoints that were not signed, for whatever reason. */
  signing_failures: number
  /** Stored writes whose proof could not be made. */
  proof_failures: number
  /** Checkpoints that did not reach the evidence store or the database. */
  publishing_failures: number
  /** Failed attempts to store hashes above the leaves. The hashes stay in memory and are stored later. */
  storing_failures: number
  /** How often each witness was asked but did not cosign, by its name in the policy. */
  readonly witness_failures: Map<string, number>
}

export const makeLogCounters = (): LogCounters => ({
  checkpoints_signed: 0,
  signing_failures: 0,
  proof_failures: 0,
  publishing_failures: 0,
  storing_failures: 0,
  witness_failures: new Map(),
})
