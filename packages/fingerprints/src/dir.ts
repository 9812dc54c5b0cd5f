// The fingerprint of a folder with the method `dir`, as an existing client computes it, so that fingerprints
// match those recorded in the past. It has known weaknesses, which the warnings name; `dir-v2` has none of
// them.
import { createHash } from 'node:crypto'
import { readlink, stat } from 'node:fs/promises'
import { type Bytes, joinPaths, showBytes, toBuffer, toBytes } from './byte-paths.ts'
import { expandPattern } from './expand-pattern.ts'
import { hashFile, nameSpecialKind } from './hash-file.ts'
import { IGNORE_FILE, type IgnoreFile, readIgnoreFile } from './ignore-file.ts'
import { mapInOrder } from './in-order.ts'
import { explainFileError, FingerprintProblem } from './problem.ts'
import {
  checkRoot,
  FILES_AT_ONCE,
  type FolderFingerprint,
  type Listed,
  listFolder,
  makeSpecialProblem,
  warnIfEmpty,
} from './tree.ts'

const NO_MODES =
  'The method "dir" does not cover modes: a file that becomes executable keeps the fingerprint. "dir-v2" covers them.'
const COLLISIONS =
  'The method "dir" does not cover the structure of a folder: different folders, such as a/b and a beside b, can have ' +
  'the same fingerprint. "dir-v2" tells them apart.'

export interface DirectoryOptions {
  /** Patterns of paths to exclude, relative to the folder. */
  exclude: readonly (string | Uint8Array)[]
  /** Whether to follow a folder that is a symbolic link. Otherwise it is an error. */
  follow_root: boolean
}

interface Entry extends Listed {
  path: Bytes
}

export async function fingerprintDirectory(
  path: string | Uint8Array,
  { exclude, follow_root }: DirectoryOptions,
): Promise<FolderFingerprint> {
  const root = await checkRoot(path, follow_root)
  const excluded = new Set<Bytes>()
  await addMatches(root, exclude.map(toBytes), excluded)
  const ignoreFile = await readIgnoreFile(root)
  const isLeftOut = ignoreFile !== undefined && excluded.has(ignoreFile.path)
  await addMatches(root, ignoreFile?.patterns ?? [], excluded)
  // Patterns in the ignore file cannot exclude the file itself. The caller's patterns can, and the file's
  // patterns still apply then.
  if (ignoreFile && !isLeftOut) excluded.delete(ignoreFile.path)

  const hash = createHash('sha256')
  let entries = 0
  for await (const hashes of mapInOrder(walk(root, excluded), FILES_AT_ONCE, hashEntry)) {
    hash.update(hashes)
    entries++
  }
  const warnings = [NO_MODES, COLLISIONS, ...warnIfEmpty(entries), ...warnOfIgnoreFile(ignoreFile, isLeftOut)]
  return { fingerprint: hash.digest('hex'), entries, warnings }
}

async function addMatches(root: Bytes, patterns: readonly Bytes[], excluded: Set<Bytes>): Promise<void> {
  for (const pattern of patterns) {
    for (const match of await expandPattern(root, pattern)) excluded.add(match)
  }
}

/** A folder before its content, and the entries of each folder in byte order. Lists one folder at a time. */
async function* walk(root: Bytes, excluded: ReadonlySet<Bytes>): AsyncGenerator<Entry> {
  const list = async (folder: Bytes) => {
    const listed = await listFolder(folder, name => excluded.has(joinPaths(folder, name)))
    return listed.map(each => ({ ...each, path: joinPaths(folder, each.name) })).reverse()
  }
  const waiting = await list(root)
  for (let entry = waiting.pop(); entry !== undefined; entry = waiting.pop()) {
    yield entry
    if (entry.kind === 'folder') for (const below of await list(entry.path)) waiting.push(below)
  }
}

/** An entry's part of the hashed text: the hash of its name, and the hash of its content or link target. */
async function hashEntry({ name, path, kind }: Entry): Promise<string> {
  const ofName = hashBytes(name)
  if (kind === 'folder') return ofName
  if (kind === 'file' || (await isLinkToFile(path))) {
    return ofName + (await hashFile(path, { follow: kind === 'link' })).sha256
  }
  return ofName + hashBytes(toBytes(await readlink(toBuffer(path), 'buffer')))
}

function hashBytes(bytes: Bytes): string {
  return createHash('sha256').update(bytes, 'latin1').digest('hex')
}

/** Whether a link points to a file; otherwise, to a folder. */
async function isLinkToFile(path: Bytes): Promise<boolean> {
  try {
    const target = await stat(toBuffer(path))
    if (target.isFile() || target.isDirectory()) return target.isFile()
    throw makeSpecialProblem(path, `a link to ${nameSpecialKind(target)}`)
  } catch (error) {
    const code = error instanceof Error && 'code' in error ? error.code : undefined
    if (code !== 'ENOENT' && code !== 'ENOTDIR' && code !== 'ELOOP') throw explainFileError(error, path)
    const message =
      `${showBytes(path)} is a symbolic link that leads nowhere, and the method "dir" needs what it leads to. ` +
      'Repair, remove or exclude it, or use "dir-v2", which covers the text of links.'
    throw new FingerprintProblem('invalid', message, { cause: error })
  }
}

function warnOfIgnoreFile(ignoreFile: IgnoreFile | undefined, isLeftOut: boolean): string[] {
  if (!isLeftOut || !ignoreFile || ignoreFile.patterns.length === 0) return []
  return [
    `${IGNORE_FILE} is excluded, but its patterns still apply: a file that is added together with a pattern for it ` +
      'stays invisible. Move the patterns to --exclude and delete the file.',
  ]
}
