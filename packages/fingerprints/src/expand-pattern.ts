// Lists the paths on disk that a pattern of `dir` stands for, with all the habits of the original: `filepath.Glob` of
// Go, and `**`, which splits a pattern. A name on disk becomes part of the next pattern, so a name with `[` in it can make
// that malformed. A path keeps the spelling of its pattern: `root//x` is listed and equals no path of a walk.
import { lstat, readdir, stat } from 'node:fs/promises'
import { type Bytes, joinPaths, showBytes, toBuffer, toBytes } from './byte-paths.ts'
import { hasWildcard, MalformedPattern, matchesName } from './match-name.ts'
import { explainFileError, FingerprintProblem } from './problem.ts'

/** The pattern is relative to the root; the paths begin with the root as it was spelled. */
export async function expandPattern(root: Bytes, pattern: Bytes): Promise<Bytes[]> {
  try {
    const full = joinPaths(root, pattern)
    return full.includes('**') ? await expandPieces(full.split('**') as Bytes[]) : await glob(full)
  } catch (error) {
    if (!(error instanceof MalformedPattern)) throw error
    const message =
      `The pattern ${showBytes(pattern)} is malformed, on its own or together with a name in the folder: a "[" needs ` +
      'its "]", and a "\\" something after it. Correct it, or put a "\\" before a "[" that stands for itself.'
    throw new FingerprintProblem('invalid', message, { cause: error })
  }
}

/** Each piece continues every path found so far, and everything below what it matches is found as well. */
async function expandPieces(pieces: readonly Bytes[]): Promise<Bytes[]> {
  let found: Iterable<Bytes> = ['' as Bytes]
  for (const piece of pieces) {
    const next = new Set<Bytes>()
    for (const path of found) {
      for (const match of await glob((path + piece) as Bytes)) await addWithDescendants(match, next)
    }
    found = next
  }
  return [...found]
}

async function addWithDescendants(top: Bytes, found: Set<Bytes>): Promise<void> {
  const waiting = [top]
  for (let path = waiting.pop(); path !== undefined; path = waiting.pop()) {
    found.add(path)
    try {
      if (!(await lstat(toBuffer(path))).isDirectory()) continue
      const names = await readdir(toBuffer(path), 'buffer')
      for (const name of names) waiting.push(joinPaths(path, toBytes(name)))
    } catch (error) {
      throw explainFileError(error, path)
    }
  }
}

async function glob(pattern: Bytes): Promise<Bytes[]> {
  // Notices a malformed beginning even where there is nothing to match.
  matchesName(pattern, '' as Bytes)
  if (!hasWildcard(pattern)) return (await exists(pattern)) ? [pattern] : []
  const slash = pattern.lastIndexOf('/')
  const last = pattern.slice(slash + 1) as Bytes
  const folder = (slash > 0 ? pattern.slice(0, slash) : slash === 0 ? '/' : '.') as Bytes
  const folders = hasWildcard(folder) ? await glob(folder) : [folder]
  const found: Bytes[] = []
  for (const each of folders) {
    for (const name of await listNames(each)) {
      if (matchesName(last, name)) found.push(joinPaths(each, name))
    }
  }
  return found
}

async function exists(path: Bytes): Promise<boolean> {
  try {
    await lstat(toBuffer(path))
    return true
  } catch {
    // Patterns may name what is not there, or cannot be seen.
    return false
  }
}

async function listNames(folder: Bytes): Promise<Bytes[]> {
  try {
    if (!(await stat(toBuffer(folder))).isDirectory()) return []
    return (await readdir(toBuffer(folder), 'buffer')).map(toBytes)
  } catch {
    // As in the original: nothing matches in a folder that cannot be read. The walk meets it, and reports it.
    return []
  }
}
