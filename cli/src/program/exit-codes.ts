// The exit codes of the program. Pipelines read them, so each has one meaning and never changes. Only 4 means
// no.

export const EXIT_CODES = {
  /** Done, or the answer is yes. */
  done: 0,
  /** A failure of the program itself. */
  failure: 1,
  /** The command line or its input is invalid, or the service answered 400, 413 or 422. */
  usage: 2,
  /** The service could not be reached, or failed after all retries. */
  unreachable: 3,
  /** The answer is no: not compliant, or the verification failed. */
  no: 4,
  /** Not signed in, or not allowed. */
  not_allowed: 5,
  not_found: 6,
  conflict: 7,
  /** Neither yes nor no: nothing was reported yet, no policy is attached, or the last report is old or partial. */
  unknown: 8,
  /** Written to the spool but not delivered; only with `--spool=strict`. */
  spooled: 9,
  interrupted: 130,
} as const

export type Exit = keyof typeof EXIT_CODES

/** For the help text. */
export const EXIT_SUMMARIES: Record<Exit, string> = {
  done: 'done, or the answer is yes',
  failure: 'the program failed; please report it',
  usage: 'the command or its input is invalid',
  unreachable: 'the service could not be reached, or failed after all retries',
  no: 'the answer is no: not compliant, or the verification failed',
  not_allowed: 'not signed in, or not allowed',
  not_found: 'not found',
  conflict: 'conflict with what is recorded',
  unknown: 'unknown: nothing reported, no policy attached, or the last report is old or partial',
  spooled: 'recorded in the spool, not delivered (only with --spool=strict)',
  interrupted: 'interrupted',
}
