// The patterns of `dir-v2`. They match paths relative to the folder, segment by segment, and never consult
// the disk: neither the path of the folder nor the names in it change the meaning of a pattern.
import { type Bytes, showBytes } from './byte-paths.ts'
import { isWellFormed, matchesName } from './match-name.ts'
import { FingerprintProblem } from './problem.ts'

const ANY_DEPTH = '**'

/** The segments of a pattern between slashes. */
export type PathPattern = readonly Bytes[]

/** Describes the source of the pattern in messages. */
export function parsePattern(text: Bytes, source: string): PathPattern {
  const refuse = (why: string) =>
    new FingerprintProblem('invalid', `The pattern ${showBytes(text)} in ${source} ${why}`)
  const parts = text.split('/').filter(part => part !== '' && part !== '.') as Bytes[]
  if (parts.length === 0) throw refuse('matches no path. Name a path relative to the folder.')
  for (const part of parts) {
    if (part === '..') throw refuse('leaves the folder. Patterns are relative to the folder: remove "..".')
    if (part === ANY_DEPTH) continue
    if (part.includes(ANY_DEPTH)) throw refuse('has "**" beside other characters. Write it between slashes.')
    if (!isWellFormed(part)) {
      throw refuse('is malformed: a "[" needs its "]" in the same name, and a "\\" something after it.')
    }
  }
  return parts
}

/** `**` matches any number of segments; at the end at least one, so that `a/**` keeps the folder a itself. */
export function matchesPath(pattern: PathPattern, path: readonly Bytes[]): boolean {
  let [at, part] = [0, 0]
  // The position of the last `**`, and how many path segments it matches.
  let star: { at: number; part: number } | undefined
  while (part < path.length) {
    const wanted = pattern[at]
    if (wanted === ANY_DEPTH) {
      if (at === pattern.length - 1) return true
      star = { at, part }
      at++
    } else if (wanted !== undefined && matchesName(wanted, path[part] as Bytes)) {
      at++
      part++
    } else if (star) {
      star.part++
      at = star.at + 1
      part = star.part
    } else {
      return false
    }
  }
  return at === pattern.length
}

/**
 * Parses lines of patterns. A line that begins with `#` is a comment; spaces, tabs and CR at the ends are
 * trimmed.
 */
export function parsePatternLines(content: Bytes, source: string): PathPattern[] {
  return content
    .split('\n')
    .map(line => trimBlanks(line))
    .map((line, index) => ({ line, place: `line ${index + 1} of ${source}` }))
    .filter(({ line }) => line !== '' && !line.startsWith('#'))
    .map(({ line, place }) => parsePattern(line, place))
}

function trimBlanks(line: string): Bytes {
  let [start, end] = [0, line.length]
  while (start < end && ' \t\r'.includes(line[start] as string)) start++
  while (end > start && ' \t\r'.includes(line[end - 1] as string)) end--
  return line.slice(start, end) as Bytes
}
