// Finds the value of each flag: command line, then WAYBILL_* variables, then another client's KOSLI_*
// variables, then the repository's waybill.yml (except for flags about where and as whom to sign in), then
// the CI job, then the user's file, then the default. Keeps the source of each value.
import type { CiJob } from '../ci/detect.ts'
import type { Environment } from '../ci/systems.ts'
import type { Flag, Flags, ValuesOf } from '../program/flags.ts'
import { failUsage } from '../program/problem.ts'

export interface Sources {
  given: ReadonlyMap<string, readonly string[]>
  env: Environment
  /** Values by flag, from `waybill.yml`. */
  repository_file: Readonly<Record<string, readonly string[]>>
  ci: CiJob | undefined
  /** Values by flag, from the user's file or the one that `--config-file` names. */
  user_file: Readonly<Record<string, readonly string[]>>
}

export interface Raw {
  texts: readonly string[]
  /** For messages: `--flow`, `WAYBILL_FLOW`, `waybill.yml`, … */
  from: string
}

export interface Resolution<F extends Flags> {
  values: ValuesOf<F>
  origins: ReadonlyMap<string, Raw>
  /** Another client's variables that were read. */
  foreign_variables: readonly string[]
}

const OWN_PREFIX = 'WAYBILL_'
const FOREIGN_PREFIX = 'KOSLI_'

export function resolveFlags<F extends Flags>(flags: F, sources: Sources): Resolution<F> {
  const origins = new Map<string, Raw>()
  const foreign_variables: string[] = []
  const values: Record<string, unknown> = {}
  for (const [name, flag] of Object.entries(flags)) {
    const raw = findRaw(name, flag, sources)
    if (raw !== undefined) {
      origins.set(name, raw)
      if (raw.from.startsWith(FOREIGN_PREFIX)) foreign_variables.push(raw.from)
    }
    values[name] = readValue(name, flag, raw)
  }
  return { values: values as ValuesOf<F>, origins, foreign_variables }
}

export function findRaw(name: string, flag: Flag, sources: Sources): Raw | undefined {
  const given = sources.given.get(name)
  if (given !== undefined) return { texts: given, from: `--${name}` }
  const suffix = name.toUpperCase().replaceAll('-', '_')
  const variables = [OWN_PREFIX + suffix, ...(flag.variables ?? []), FOREIGN_PREFIX + suffix]
  for (const variable of variables) {
    const value = sources.env[variable]
    // An empty variable counts as not set.
    if (value !== undefined && value !== '') return { texts: [value], from: variable }
  }
  const in_repository = flag.in_repository_file ? sources.repository_file[name] : undefined
  if (in_repository !== undefined) return { texts: in_repository, from: 'waybill.yml' }
  const of_job = flag.from_ci === undefined ? undefined : sources.ci?.facts[flag.from_ci]
  if (of_job !== undefined) return { texts: [of_job.value], from: of_job.from }
  const of_user = sources.user_file[name]
  return of_user === undefined ? undefined : { texts: of_user, from: 'the configuration file' }
}

function readValue(name: string, flag: Flag, raw: Raw | undefined): unknown {
  if (raw?.texts.some(each => each === '')) failUsage(`${raw.from} is empty`, 'Give it a value, or omit it.')
  switch (flag.kind) {
    case 'text':
      return readText(name, flag, raw)
    case 'switch':
      return raw === undefined ? flag.fallback : readSwitch(raw)
    case 'number':
      return raw === undefined ? flag.fallback : readNumber(flag, raw)
    case 'list': {
      const all = flag.keeps_commas ? (raw?.texts ?? []) : (raw?.texts ?? []).flatMap(splitList)
      if (flag.is_required && all.length === 0) failMissing(name, flag)
      if (all.includes('')) failUsage(`${raw?.from} has an empty item`, 'Separate items with one comma.')
      return all
    }
    case 'pairs':
      return readPairs(raw)
  }
}

const splitList = (value: string) => value.split(',').map(item => item.trim())

function readText(name: string, flag: Extract<Flag, { kind: 'text' }>, raw: Raw | undefined) {
  // The last one wins, so that a script can append a flag.
  const value = raw?.texts.at(-1)
  if (value === undefined) return flag.is_required ? failMissing(name, flag) : flag.fallback
  if (flag.choices !== undefined && !flag.choices.includes(value))
    failUsage(`${raw?.from}: "${value}" is not one of ${flag.choices.join(', ')}`)
  return value
}

function failMissing(name: string, flag: Flag): never {
  const suffix = name.toUpperCase().replaceAll('-', '_')
  failUsage(`--${name} is missing: ${flag.summary}`, `Give the flag, or set ${OWN_PREFIX}${suffix}.`)
}

function readSwitch({ texts, from }: Raw): boolean {
  const value = texts.at(-1)
  if (value === 'true') return true
  if (value === 'false') return false
  failUsage(`${from}: "${value}" is neither true nor false`)
}

function readNumber({ min, max }: Extract<Flag, { kind: 'number' }>, { texts, from }: Raw): number {
  const value = texts.at(-1) ?? ''
  const parsed = Number(value)
  if (!/^-?\d+$/.test(value) || !Number.isSafeInteger(parsed))
    failUsage(`${from}: "${value}" is not a whole number`)
  if (parsed < min || parsed > max)
    failUsage(
      `${from}: ${value} is not ${max === Number.MAX_SAFE_INTEGER ? `at least ${min}` : `between ${min} and ${max}`}`,
    )
  return parsed
}

function readPairs(raw: Raw | undefined): Record<string, string> {
  const found: Record<string, string> = {}
  for (const pair of raw?.texts ?? []) {
    const at = pair.indexOf('=')
    if (at < 1) failUsage(`${raw?.from}: "${pair}" is not of the form name=value`)
    const key = pair.slice(0, at)
    const value = pair.slice(at + 1)
    if (value === '') failUsage(`${raw?.from}: the value of "${key}" is empty`)
    if (Object.hasOwn(found, key)) failUsage(`${raw?.from}: "${key}" is given twice`)
    found[key] = value
  }
  return found
}
