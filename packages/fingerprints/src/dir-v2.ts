// The fingerprint of a folder with the method `dir-v2`, which README.md defines: the SHA-256 of one line for
// each entry, in byte order of their paths. Never follows links.
import { createHash } from 'node:crypto'
import { lstat, readFile, readlink } from 'node:fs/promises'
import { type Bytes, showBytes, toBuffer, toBytes } from './byte-paths.ts'
import { hashFile } from './hash-file.ts'
import { mapInOrder } from './in-order.ts'
import { matchesPath, type PathPattern, parsePattern, parsePatternLines } from './path-patterns.ts'
import { explainFileError, FingerprintProblem } from './problem.ts'
import {
  checkRoot,
  compareNames,
  FILES_AT_ONCE,
  type FolderFingerprint,
  type Listed,
  listFolder,
  warnIfEmpty,
} from './tree.ts'

/** In the root of the folder. Always counts as part of the folder. */
const WAYBILL_IGNORE_FILE = '.waybillignore'
const IGNORE_FILE_BYTES = 1024 * 1024

export interface DirectoryV2Options {
  /** Patterns of paths to exclude, relative to the folder. */
  exclude: readonly (string | Uint8Array)[]
  /** Whether to follow a folder that is a symbolic link. Otherwise it is an error. */
  follow_root?: boolean
}

/** What is known about an entry before it is read. */
interface Found extends Listed {
  /** The parts of the path, relative to the root. */
  parts: readonly Bytes[]
}

interface IgnoreFileV2 {
  patterns: PathPattern[]
  sha256: string
}

export async function fingerprintDirectoryV2(
  path: string | Uint8Array,
  { exclude, follow_root = false }: DirectoryV2Options,
): Promise<FolderFingerprint> {
  const root = await checkRoot(path, follow_root)
  const asked = exclude.map(text => parsePattern(toBytes(text), '--exclude (exclude)'))
  const ignoreFile = await readIgnoreFile(root)
  const patterns = [...asked, ...(ignoreFile?.patterns ?? [])]
  const hash = createHash('sha256')
  let entries = 0
  const describe = (found: Found) => describeEntry(root, found, ignoreFile)
  for await (const line of mapInOrder(walk(root, patterns), FILES_AT_ONCE, describe)) {
    hash.update(line, 'latin1')
    entries++
  }
  return { fingerprint: hash.digest('hex'), entries, warnings: warnIfEmpty(entries) }
}

/**
 * One entry of the folder, as it is hashed. A link has the length of its target, which makes the end of the
 * line unambiguous.
 */
type CanonicalEntry =
  | { kind: 'file'; path: Bytes; is_executable: boolean; size: number; sha256: string }
  | { kind: 'folder'; path: Bytes }
  | { kind: 'link'; path: Bytes; text: Bytes }

function formatLine(entry: CanonicalEntry): Bytes {
  const fields =
    entry.kind === 'file'
      ? ['f', entry.is_executable ? 'x' : '-', entry.path, entry.size, entry.sha256]
      : entry.kind === 'folder'
        ? ['d', '-', entry.path, 0, '']
        : ['l', '-', entry.path, entry.text.length, entry.text]
  return `${fields.join('\0')}\n` as Bytes
}

/**
 * All entries in byte order of their full paths. Everything below a folder a begins with `a/`, so `a.txt`
 * comes between the folder and its content: a folder appears twice, once for itself and once, as `a/`, to be
 * opened.
 */
async function* walk(root: Bytes, patterns: readonly PathPattern[]): AsyncGenerator<Found> {
  const list = async (folder: readonly Bytes[]): Promise<(Found & { is_opened: boolean })[]> => {
    const listed = await listFolder(toPath(root, folder), name => isExcluded([...folder, name], patterns))
    return listed
      .flatMap(({ name, kind }) => {
        const found = { name, kind, parts: [...folder, name], is_opened: false }
        const opened = { ...found, name: `${name}/` as Bytes, is_opened: true }
        return kind === 'folder' ? [found, opened] : [found]
      })
      .sort((one, other) => compareNames(other, one))
  }
  const waiting = await list([])
  for (let found = waiting.pop(); found !== undefined; found = waiting.pop()) {
    if (!found.is_opened) yield found
    else for (const below of await list(found.parts)) waiting.push(below)
  }
}

function isExcluded(path: readonly Bytes[], patterns: readonly PathPattern[]): boolean {
  if (path.length === 1 && path[0] === WAYBILL_IGNORE_FILE) return false
  return patterns.some(pattern => matchesPath(pattern, path))
}

function toPath(root: Bytes, parts: readonly Bytes[]): Bytes {
  return [root, ...parts].join('/') as Bytes
}

async function describeEntry(
  root: Bytes,
  found: Found,
  ignoreFile: IgnoreFileV2 | undefined,
): Promise<Bytes> {
  const path = found.parts.join('/') as Bytes
  const full = toPath(root, found.parts)
  if (found.kind === 'folder') return formatLine({ kind: 'folder', path })
  if (found.kind === 'link') {
    try {
      return formatLine({ kind: 'link', path, text: toBytes(await readlink(toBuffer(full), 'buffer')) })
    } catch (error) {
      throw explainFileError(error, full)
    }
  }
  const file = await hashFile(full, { follow: false })
  if (path === WAYBILL_IGNORE_FILE && file.sha256 !== ignoreFile?.sha256) {
    const message = `${showBytes(full)} changed while the folder was read. Try again when nothing writes to the folder.`
    throw new FingerprintProblem('mismatch', message)
  }
  return formatLine({ kind: 'file', path, ...file })
}

/** A link is refused: its target could change the exclusions without changing the fingerprint. */
async function readIgnoreFile(root: Bytes): Promise<IgnoreFileV2 | undefined> {
  const path = toPath(root, [toBytes(WAYBILL_IGNORE_FILE)])
  try {
    const stats = await lstat(toBuffer(path))
    if (!stats.isFile() || stats.size > IGNORE_FILE_BYTES) {
      const message = `${showBytes(path)} must be a regular file of at most 1 MiB. Replace or remove it.`
      throw new FingerprintProblem('invalid', message)
    }
    const content = await readFile(toBuffer(path))
    const sha256 = createHash('sha256').update(content).digest('hex')
    return { patterns: parsePatternLines(toBytes(content), WAYBILL_IGNORE_FILE), sha256 }
  } catch (error) {
    const isMissing = error instanceof Error && 'code' in error && error.code === 'ENOENT'
    if (isMissing) return undefined
    throw explainFileError(error, path)
  }
}
