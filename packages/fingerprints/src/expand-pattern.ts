// Lists the paths that match a pattern of `dir`, exactly as the original does: Go's `filepath.Glob`, and
// `**`, which splits a pattern. A name on disk becomes part of the next pattern, so a name with `[` in it can
// make that malformed. A path keeps the spelling of its pattern: `root//x` is listed and equals no path of a
// walk.
import { lstat, readdir, stat } from 'node:fs/promises'
import { type Bytes, joinPaths, showBytes, toBuffer, toBytes } from './byte-paths.ts'
import { hasWildcard, MalformedPattern, matchesName } from './match-name.ts'
import { explainFileError, FingerprintProblem } from './problem.ts'

/** The source of names for a pattern: a disk, or a list. */
export interface Folders {
  exists(path: Bytes): Promise<boolean>
  /** The names in the folder at a path; none if it is not a folder. */
  listNames(path: Bytes): Promise<Bytes[]>
  /** The names in a folder; undefined for anything else, including links. */
  listBelow(path: Bytes): Promise<Bytes[] | undefined>
}

/** The pattern is relative to the root; the paths begin with the root as the caller spelled it. */
export async function expandPattern(root: Bytes, pattern: Bytes, folders: Folders = DISK): Promise<Bytes[]> {
  try {
    const full = joinPaths(root, pattern)
    return full.includes('**')
      ? await expandPieces(full.split('**') as Bytes[], folders)
      : await glob(full, folders)
  } catch (error) {
    if (!(error instanceof MalformedPattern)) throw error
    const message =
      `The pattern ${showBytes(pattern)} is malformed, on its own or together with a name in the folder: a "[" needs ` +
      'its "]", and a "\\" something after it. Correct it, or put a "\\" before a "[" that stands for itself.'
    throw new FingerprintProblem('invalid', message, { cause: error })
  }
}

/** Each piece continues every path found so far; everything below a match is found too. */
async function expandPieces(pieces: readonly Bytes[], folders: Folders): Promise<Bytes[]> {
  let found: Iterable<Bytes> = ['' as Bytes]
  for (const piece of pieces) {
    const next = new Set<Bytes>()
    for (const path of found) {
      for (const match of await glob((path + piece) as Bytes, folders))
        await addWithDescendants(match, next, folders)
    }
    found = next
  }
  return [...found]
}

async function addWithDescendants(top: Bytes, found: Set<Bytes>, folders: Folders): Promise<void> {
  const waiting = [top]
  for (let path = waiting.pop(); path !== undefined; path = waiting.pop()) {
    found.add(path)
    for (const name of (await folders.listBelow(path)) ?? []) waiting.push(joinPaths(path, name))
  }
}

async function glob(pattern: Bytes, folders: Folders): Promise<Bytes[]> {
  // Notices a malformed beginning even if there is nothing to match.
  matchesName(pattern, '' as Bytes)
  if (!hasWildcard(pattern)) return (await folders.exists(pattern)) ? [pattern] : []
  const slash = pattern.lastIndexOf('/')
  const last = pattern.slice(slash + 1) as Bytes
  const folder = (slash > 0 ? pattern.slice(0, slash) : slash === 0 ? '/' : '.') as Bytes
  const matches = hasWildcard(folder) ? await glob(folder, folders) : [folder]
  const found: Bytes[] = []
  for (const each of matches) {
    for (const name of await folders.listNames(each)) {
      if (matchesName(last, name)) found.push(joinPaths(each, name))
    }
  }
  return found
}

const DISK: Folders = {
  exists: async path => {
    try {
      await lstat(toBuffer(path))
      return true
    } catch {
      // Patterns may name paths that do not exist or are not visible.
      return false
    }
  },
  listNames: async path => {
    try {
      if (!(await stat(toBuffer(path))).isDirectory()) return []
      return (await readdir(toBuffer(path), 'buffer')).map(toBytes)
    } catch {
      // As in the original, nothing matches in an unreadable folder. The walk finds it and reports it.
      return []
    }
  },
  listBelow: async path => {
    try {
      if (!(await lstat(toBuffer(path))).isDirectory()) return undefined
      return (await readdir(toBuffer(path), 'buffer')).map(toBytes)
    } catch (error) {
      throw explainFileError(error, path)
    }
  },
}
