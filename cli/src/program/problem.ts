// A problem that the user can fix. The program prints it and exits with its code; every other error is a bug
// and gets a stack trace.
import type { Exit } from './exit-codes.ts'

export interface ProblemDetails {
  exit: Exit
  /** How to fix it. */
  hint?: string | undefined
  /** Identifies the request in the service's log. */
  request_id?: string | undefined
  /** The status of the response, if there was one. */
  status?: number | undefined
}

export class Problem extends Error {
  readonly exit: Exit
  readonly hint: string | undefined
  readonly request_id: string | undefined
  readonly status: number | undefined

  constructor(message: string, { exit, hint, request_id, status }: ProblemDetails) {
    super(message)
    this.name = 'Problem'
    this.exit = exit
    this.hint = hint
    this.request_id = request_id
    this.status = status
  }
}

export function failUsage(message: string, hint?: string): never {
  throw new Problem(message, { exit: 'usage', hint })
}
