// Which names a reporter takes: those that are named or match a pattern, or all but those.
import { RE2JS } from 're2js'
import { failUsage } from '../../program/problem.ts'

export interface NameFilter {
  /** How the user named the filter, for messages. */
  flags: { names: string; patterns: string; excluded_names: string; excluded_patterns: string }
  names: readonly string[]
  patterns: readonly string[]
  excluded_names: readonly string[]
  excluded_patterns: readonly string[]
}

export interface NamePick {
  isPicked(name: string): boolean
  /** Undefined if names alone do not say which there are. */
  listed: readonly string[] | undefined
  /** For people. */
  description: string
}

/** Patterns are those of RE2, in linear time, and match anywhere in a name. */
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
