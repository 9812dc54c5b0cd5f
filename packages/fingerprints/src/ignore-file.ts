// The ignore file of `dir`: finds it and parses its patterns. Its name and quirks match the original.
import { lstat, readdir, readFile } from 'node:fs/promises'
import { type Bytes, joinPaths, showBytes, toBuffer, toBytes } from './byte-paths.ts'
import { explainFileError, FingerprintProblem } from './problem.ts'

export const IGNORE_FILE = '.kosli_ignore'
/** The letters k and s each have a third form in Unicode that counts as equal, hence `u`. */
const ANY_CASE = /^\.kosli_ignore$/iu
/** The original cannot read a line this long. */
const LINE_LIMIT = 64 * 1024

/** The whitespace trimmed from the ends of a line, as UTF-8 bytes. */
const SPACES: ReadonlySet<string> = new Set(
  [
    ...'\t\n\v\f\r \u0085\u00a0\u1680\u2028\u2029\u202f\u205f\u3000',
    ...'\u2000\u2001\u2002\u2003\u2004\u2005',
  ]
    .concat([...'\u2006\u2007\u2008\u2009\u200a'])
    .map(toBytes),
)
const SPACE_WIDTHS = [1, 2, 3]

export interface IgnoreFile {
  /** As the walk spells it. */
  path: Bytes
  patterns: Bytes[]
}

/** A folder with this name has no patterns. A file system may store the name in another case. */
export async function readIgnoreFile(root: Bytes): Promise<IgnoreFile | undefined> {
  const name = await findName(root)
  if (name === undefined) return undefined
  const path = joinPaths(root, name)
  return { path, patterns: parseIgnoreFile(await readContent(path), path) }
}

export function parseIgnoreFile(content: Bytes, path: Bytes): Bytes[] {
  const lines = content.split('\n')
  if (lines.some(line => line.length >= LINE_LIMIT)) {
    const message = `${showBytes(path)} has a line of 64 KiB or more. Make its lines shorter.`
    throw new FingerprintProblem('invalid', message)
  }
  return lines.map(line => trimSpaces((line.split('#', 1)[0] ?? '') as Bytes)).filter(line => line !== '')
}

async function findName(root: Bytes): Promise<Bytes | undefined> {
  const usual = joinPaths(root, toBytes(IGNORE_FILE))
  try {
    await lstat(toBuffer(usual))
  } catch (error) {
    if (error instanceof Error && 'code' in error && error.code === 'ENOENT') return undefined
    throw explainFileError(error, usual)
  }
  const entries = await readdir(toBuffer(root), { encoding: 'buffer', withFileTypes: true })
  const names = entries.filter(entry => !entry.isDirectory()).map(({ name }) => toBytes(name))
  const similar = names.filter(name => ANY_CASE.test(toBuffer(name).toString('utf8'))).sort()
  return similar.find(name => name === IGNORE_FILE) ?? similar[0]
}

async function readContent(path: Bytes): Promise<Bytes> {
  try {
    return toBytes(await readFile(toBuffer(path)))
  } catch (error) {
    // A link to a folder, or a dangling one: the walk decides about it.
    if (error instanceof Error && 'code' in error && /^(EISDIR|ENOENT)$/.test(String(error.code)))
      return toBytes('')
    throw explainFileError(error, path)
  }
}

function trimSpaces(line: Bytes): Bytes {
  let [start, end] = [0, line.length]
  const findWidth = (from: (width: number) => number) =>
    SPACE_WIDTHS.find(
      width => end - start >= width && SPACES.has(line.slice(from(width), from(width) + width)),
    )
  for (let width = findWidth(() => start); width !== undefined; width = findWidth(() => start)) start += width
  const fromEnd = (width: number) => end - width
  for (let width = findWidth(fromEnd); width !== undefined; width = findWidth(fromEnd)) end -= width
  return line.slice(start, end) as Bytes
}
