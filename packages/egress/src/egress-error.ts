// The error of this package: why a connection could not be opened or failed.
import { type EgressReason, REASONS } from './egress.ts'

/** Its message is one of REASONS and never contains parts of the URL or the response. */
export class EgressError extends Error {
  readonly reason: EgressReason
  /** The system's error code, such as ECONNREFUSED, if there is one. */
  readonly code: string | undefined

  constructor(reason: EgressReason, cause?: unknown) {
    super(REASONS[reason], { cause })
    this.name = 'EgressError'
    this.reason = reason
    this.code = (cause as NodeJS.ErrnoException | undefined)?.code
  }
}
