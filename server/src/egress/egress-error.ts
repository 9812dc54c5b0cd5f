// Why a connection did not come about or broke, as it travels through this folder.
import { type EgressReason, REASONS } from './egress.ts'

/** Its message is a sentence of the fixed list: nothing of the address or of the answer is in it. */
export class EgressError extends Error {
  readonly reason: EgressReason
  /** Of the system, such as ECONNREFUSED, where there is one. */
  readonly code: string | undefined

  constructor(reason: EgressReason, cause?: unknown) {
    super(REASONS[reason], { cause })
    this.name = 'EgressError'
    this.reason = reason
    this.code = (cause as NodeJS.ErrnoException | undefined)?.code
  }
}
