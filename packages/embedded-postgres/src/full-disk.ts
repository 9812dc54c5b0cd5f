// Finds out whether PostgreSQL fails because the disk of its data directory is full.
import { statfs } from 'node:fs/promises'
import { getErrorCode } from './file-system.ts'
import { PostgresProblem } from './problem.ts'

/** A segment of the write-ahead log: PostgreSQL stops if it cannot write the next one. */
const LEAST_FREE_BYTES = 16 * 1024 * 1024
const FULL_CODES = new Set(['ENOSPC', 'EDQUOT'])
const FULL_TEXT = /No space left on device|Disk quota exceeded/i

export async function isDiskFull(data_dir: string): Promise<boolean> {
  const { bavail, bsize } = await statfs(data_dir)
  return bavail * bsize < LEAST_FREE_BYTES
}

/**
 * Returns the error, or one that says that the disk is full. `output` is what PostgreSQL has said: a quota does not show
 * in the free space, and a full disk may have no room for the output.
 */
export async function explainFailure(data_dir: string, error: unknown, output: string): Promise<unknown> {
  const is_told = FULL_CODES.has(getErrorCode(error) ?? '') || FULL_TEXT.test(output)
  // The first error is the one to report, whatever else is wrong with the disk.
  if (!is_told && !(await isDiskFull(data_dir).catch(() => false))) return error
  return new PostgresProblem(
    `The disk of the data directory ${data_dir} is full: make room for PostgreSQL, at least 16 MiB`,
    { cause: error },
  )
}
