// Chooses names for a reporter: the ones that are listed or match a pattern, or all except those.
import { RE2JS } from 're2js'
import { failUsage } from '../../program/problem.ts'

export interface NameFilter {
  /** The user's name for the filter, for messages. */
  flags: { names: string; patterns: string; excluded_names: string; excluded_patterns: string }
  names: readonly string[]
  patterns: readonly string[]
  excluded_names: readonly string[]
  excluded_patterns: readonly string[]
}

export interface NamePick {
  isPicked(name: string): boolean
  /** The complete selection if it consists of names alone; otherwise undefined. */
  listed: readonly string[] | undefined
  /** For people. */
  description: string
}

/** Patterns use RE2 syntax, run in linear time, and match anywhere in a name. */
export function pickNames(what: string, filter: NameFilter): NamePick {
  const { flags, names, patterns, excluded_names, excluded_patterns } = filter
  const isPositive = names.length + patterns.length > 0
  const isNegative = excluded_names.length + excluded_patterns.length > 0
  if (isPositive && isNegative)
    failUsage(
      `--${flags.names} and --${flags.patterns} cannot be combined with --${flags.excluded_names} and --${flags.excluded_patterns}`,
    )
  const included = patterns.map(pattern => compile(pattern, flags.patterns))
  const excluded = excluded_patterns.map(pattern => compile(pattern, flags.excluded_patterns))
  const isPicked = (name: string) =>
    isPositive
      ? names.includes(name) || included.some(matches => matches(name))
      : !excluded_names.includes(name) && !excluded.some(matches => matches(name))
  const listed = isPositive && patterns.length === 0 ? names : undefined
  const all = isPositive ? [...names, ...patterns] : [...excluded_names, ...excluded_patterns]
  const description = isPositive
    ? `${what} ${all.join(', ')}`
    : `all ${what}${isNegative ? ` except ${all.join(', ')}` : ''}`
  return { isPicked, listed, description }
}

export function compile(pattern: string, flag: string): (text: string) => boolean {
  try {
    const compiled = RE2JS.compile(pattern)
    return text => compiled.matcher(text).find()
  } catch (error) {
    failUsage(`--${flag}: "${pattern}" is not a pattern: ${error instanceof Error ? error.message : error}`)
  }
}
