// The only kind of error of this package.
import { type Bytes, showBytes } from './byte-paths.ts'

/**
 * Why there is no fingerprint. `invalid`: the input cannot have one. `mismatch`: the bytes do not match their
 * stated digest. `not_pushed`: the image has no registry digest. `unreachable`: a retry can help.
 */
export type Reason = 'invalid' | 'mismatch' | 'not_allowed' | 'not_found' | 'not_pushed' | 'unreachable'

/** The message says what happened, why, and what to do. It contains no secret. */
export class FingerprintProblem extends Error {
  readonly reason: Reason
  /** Seconds that a registry asked to wait. */
  readonly retry_after_s: number | undefined

  constructor(reason: Reason, message: string, options: { cause?: unknown; retry_after_s?: number } = {}) {
    super(message, { cause: options.cause })
    this.name = 'FingerprintProblem'
    this.reason = reason
    this.retry_after_s = options.retry_after_s
  }
}

/** Turns a file system error into a sentence about the path. */
export function explainFileError(error: unknown, path: Bytes): FingerprintProblem {
  if (error instanceof FingerprintProblem) return error
  const code = error instanceof Error && 'code' in error ? String(error.code) : 'unknown error'
  const shown = showBytes(path)
  if (code === 'ENOENT' || code === 'ENOTDIR') {
    return new FingerprintProblem('not_found', `${shown} does not exist. Check the path.`, { cause: error })
  }
  if (code === 'EACCES' || code === 'EPERM') {
    const message = `${shown} cannot be read (${code}). Run the command as a user who may read it.`
    return new FingerprintProblem('not_allowed', message, { cause: error })
  }
  return new FingerprintProblem('invalid', `${shown} cannot be read (${code}).`, { cause: error })
}
