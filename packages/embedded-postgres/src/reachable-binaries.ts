// Provides programs that the database user can run. If it cannot read them, as in a clone under /root, or if they lack links
// that we may not create, as in a package that root installed without install scripts, we keep one copy per version: root in
// the temporary directory, anybody else in the data directory. A copy is used only if nobody else could have changed it.
import { chmod, cp, lstat, mkdtemp, readdir, rename, rm } from 'node:fs/promises'
import path from 'node:path'
import type { Account } from './account.ts'
import { completeLinks, readBinariesVersion } from './binaries.ts'
import { getErrorCode, ignoreAbsent, isReachable } from './file-system.ts'
import { chooseTemporaryDirectory } from './socket-directory.ts'

const WRITABLE_BY_OTHERS = 0o022
const EXECUTABLE = 0o111

/** Returns `native_dir` itself or a copy to use instead. */
export async function ensureReachableBinaries(
  native_dir: string,
  account: Account | undefined,
  data_dir: string,
): Promise<string> {
  if ((await completeLinks(native_dir)) && (await canRun(native_dir, account))) return native_dir
  const parent = account === undefined ? data_dir : await chooseTemporaryDirectory(account)
  const version = await readBinariesVersion(native_dir)
  const shared_copy = path.join(parent, `waybill-postgres-${version}-${process.arch}`)
  const found = await lstat(shared_copy).catch(ignoreAbsent)
  if (found === undefined) return putInPlace(await copyBinaries(native_dir, parent), shared_copy)
  const is_trusted =
    found.isDirectory() && found.uid === process.getuid?.() && (found.mode & WRITABLE_BY_OTHERS) === 0
  if (!is_trusted) return copyBinaries(native_dir, parent)
  if (await isComplete(shared_copy, native_dir)) return shared_copy
  return replaceCopy(await copyBinaries(native_dir, parent), shared_copy)
}

async function canRun(native_dir: string, account: Account | undefined): Promise<boolean> {
  if (account === undefined) return true
  // The installer's umask gives all files of the package the same mode, so checking one of each kind is enough.
  for (const part of ['bin/postgres', 'lib/postgresql', 'share/postgresql', 'pg-symlinks.json']) {
    const file = path.join(native_dir, part)
    if ((await lstat(file).catch(ignoreAbsent)) !== undefined && !(await isReachable(file, account)))
      return false
  }
  return true
}

async function copyBinaries(native_dir: string, parent: string): Promise<string> {
  const copy = await mkdtemp(path.join(parent, 'waybill-postgres-'))
  await cp(native_dir, copy, { recursive: true, verbatimSymlinks: true })
  for (const entry of await readdir(copy, { recursive: true })) await openToAll(path.join(copy, entry))
  await openToAll(copy)
  await completeLinks(copy)
  return copy
}

async function openToAll(file: string): Promise<void> {
  const found = await lstat(file)
  if (found.isSymbolicLink()) return
  await chmod(file, found.isDirectory() || (found.mode & EXECUTABLE) !== 0 ? 0o755 : 0o644)
}

async function putInPlace(copy: string, shared_copy: string): Promise<string> {
  try {
    await rename(copy, shared_copy)
    return shared_copy
  } catch (error) {
    const code = getErrorCode(error)
    if (code !== 'ENOTEMPTY' && code !== 'EEXIST' && code !== 'ENOTDIR') throw error
    // Another process was faster. There is no need to verify its copy: ours is good.
    return copy
  }
}

// Needed because a clean-up job may have deleted old files from the temporary directory.
async function replaceCopy(copy: string, shared_copy: string): Promise<string> {
  const old_copy = `${copy}-old`
  await rename(shared_copy, old_copy)
  const result = await putInPlace(copy, shared_copy)
  await rm(old_copy, { recursive: true, force: true })
  return result
}

async function isComplete(copy: string, native_dir: string): Promise<boolean> {
  const copied = new Set(await readdir(copy, { recursive: true }))
  return (await readdir(native_dir, { recursive: true })).every(entry => copied.has(entry))
}
