// The directory of the Unix socket: a new one per start in the temporary directory, because a socket path is limited to
// about 100 bytes and the data directory may be anywhere.
import { chown, lstat, mkdtemp, readdir, rm, rmdir } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import path from 'node:path'
import type { Account } from './account.ts'
import { getErrorCode, ignoreAbsent, isReachable } from './file-system.ts'

const FALLBACK = '/tmp'
const RANDOM_PART = 'XXXXXX'
// macOS allows 104 including the final zero byte, Linux 108.
const MAX_SOCKET_PATH_BYTES = 103

/** The system's temporary directory, or /tmp if that one is private to root. */
export async function chooseTemporaryDirectory(account: Account | undefined): Promise<string> {
  const preferred = tmpdir()
  return account === undefined || (await isReachable(preferred, account)) ? preferred : FALLBACK
}

/** By the marker in the name, the next start finds the directories that a killed run of this cluster left behind. */
export async function createSocketDirectory(
  marker: string,
  port: number,
  account: Account | undefined,
): Promise<string> {
  const preferred = await chooseTemporaryDirectory(account)
  const longest = path.join(preferred, `${marker}-${RANDOM_PART}`, getSocketName(port))
  const parent = Buffer.byteLength(longest) > MAX_SOCKET_PATH_BYTES ? FALLBACK : preferred
  const directory = await mkdtemp(path.join(parent, `${marker}-`))
  if (account !== undefined) await chown(directory, account.uid, account.gid)
  return directory
}

/** Removes only PostgreSQL's own files: links could redirect a recursive removal that root runs below /tmp. */
export async function removeSocketDirectory(directory: string, port: number): Promise<void> {
  await rm(path.join(directory, getSocketName(port)), { force: true })
  await removeSocketLock(directory, port)
  await rmdir(directory).catch(ignoreForeign)
}

/** Another program may have the pid in a dead server's lock by now, and PostgreSQL would then refuse to start. */
export async function removeSocketLock(directory: string, port: number): Promise<void> {
  await rm(path.join(directory, `${getSocketName(port)}.lock`), { force: true })
}

export async function removeStaleSocketDirectories(
  marker: string,
  port: number,
  account: Account | undefined,
): Promise<void> {
  const owner = account?.uid ?? process.getuid?.()
  for (const parent of new Set([tmpdir(), FALLBACK])) {
    // An unreadable temporary directory is no reason to fail: the leftovers are empty directories.
    for (const entry of await readdir(parent).catch(() => [])) {
      if (!entry.startsWith(`${marker}-`)) continue
      const directory = path.join(parent, entry)
      const found = await lstat(directory).catch(ignoreAbsent)
      if (found?.isDirectory() && found.uid === owner) await removeSocketDirectory(directory, port)
    }
  }
}

function getSocketName(port: number): string {
  return `.s.PGSQL.${port}`
}

function ignoreForeign(error: unknown): void {
  // A directory that is gone or contains foreign files must not make a start or stop fail.
  if (getErrorCode(error) !== 'ENOENT' && getErrorCode(error) !== 'ENOTEMPTY') throw error
}
