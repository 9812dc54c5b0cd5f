// File checks for the rest of this folder: whether a file exists, and whether the database user can reach it.
import type { Stats } from 'node:fs'
import { stat } from 'node:fs/promises'
import path from 'node:path'

const READ = 4
const ENTER = 1

export function getErrorCode(error: unknown): string | undefined {
  return error instanceof Error && 'code' in error && typeof error.code === 'string' ? error.code : undefined
}

/** For `.catch()`: turns "no such file" into undefined and rethrows every other error. */
export function ignoreAbsent(error: unknown): undefined {
  if (getErrorCode(error) !== 'ENOENT') throw error
  return undefined
}

type Account = Pick<Stats, 'uid' | 'gid'>

/** True when the account can read the file or directory and enter every directory above it. */
export async function isReachable(file: string, account: Account): Promise<boolean> {
  const found = await stat(file)
  if (!allows(found, account, found.isDirectory() ? READ | ENTER : READ)) return false
  for (let at = path.dirname(file); ; at = path.dirname(at)) {
    if (!allows(await stat(at), account, ENTER)) return false
    if (at === path.dirname(at)) return true
  }
}

function allows(found: Stats, account: Account, needed: number): boolean {
  const shift = found.uid === account.uid ? 6 : found.gid === account.gid ? 3 : 0
  return ((found.mode >> shift) & needed) === needed
}
