// Detects the CI system that the program runs in, and collects its facts about the job.
import type { CiFact } from '../program/flags.ts'
import { failUsage } from '../program/problem.ts'
import { parseRepositoryUrl } from './repository-url.ts'
import { CI_SYSTEMS, type CiSystem, type Environment, type Source } from './systems.ts'

export interface Found {
  value: string
  /** The variables or the file that the value comes from. */
  from: string
}

export interface CiJob {
  system: CiSystem
  facts: Partial<Record<CiFact, Found>>
  run: Found | undefined
  step: Found | undefined
  attempt: Found | undefined
}

const LONGEST_VALUE = 4096
const COMMIT = /^(?:[0-9a-f]{40}|[0-9a-f]{64})$/

/** Names the CI system, or `none`, if its variables are not enough to tell. */
const OVERRIDE = 'WAYBILL_CI'

/** `readEvent` returns the parsed file of the event that started the job. */
export function detectCi(env: Environment, readEvent: (path: string) => unknown): CiJob | undefined {
  const system = findSystem(env)
  if (system === undefined) return undefined
  const facts: Partial<Record<CiFact, Found>> = {}
  const commit = findHeadCommit(system, env, readEvent) ?? findFirst(system.facts.commit, env)
  // Some systems set HEAD or a branch name until the job has checked something out.
  const hash = commit !== undefined && COMMIT.test(commit.value) ? commit : undefined
  if (hash !== undefined) facts.commit = hash
  for (const [name, sources] of Object.entries(system.facts) as [CiFact, readonly Source[]][]) {
    if (name === 'commit') continue
    const found = findFirst(sources, env, hash)
    if (found !== undefined) facts[name] = found
  }
  completeRepository(facts)
  return {
    system,
    facts,
    run: findFirst(system.run, env),
    step: findFirst(system.step, env),
    attempt: findFirst(system.attempt, env),
  }
}

/** Two systems at once would mix the facts of two jobs, and evidence would name the wrong commit. */
function findSystem(env: Environment): CiSystem | undefined {
  const chosen = env[OVERRIDE]
  if (isSet(chosen)) {
    const system = CI_SYSTEMS.find(({ id }) => id === chosen)
    const ids = CI_SYSTEMS.map(({ id }) => id).join(', ')
    if (system === undefined && chosen !== 'none')
      failUsage(`${OVERRIDE}: "${chosen}" is not one of ${ids}, none`)
    return system
  }
  const found = CI_SYSTEMS.filter(({ recognized_by }) => isOn(env[recognized_by]))
  const [first, second] = found
  if (first !== undefined && second !== undefined)
    failUsage(
      `${first.recognized_by} and ${second.recognized_by} are both set: the job could be of ${first.name} or of ${second.name}`,
      `Set ${OVERRIDE} to ${found.map(({ id }) => id).join(', ')} or none.`,
    )
  return first
}

const isOn = (value: string | undefined) => isSet(value) && !['false', '0'].includes(value.toLowerCase())

/** Values with control characters and very long values are ignored. */
const isSet = (value: string | undefined): value is string =>
  value !== undefined && value !== '' && value.length <= LONGEST_VALUE && !/[\p{Cc}\u2028\u2029]/u.test(value)

/**
 * In a pull request run, the commit variable names a merge commit that exists only for the run. The evidence
 * is about the commit that the author pushed.
 */
function findHeadCommit(
  { event }: CiSystem,
  env: Environment,
  readEvent: (path: string) => unknown,
): Found | undefined {
  const path = event === undefined ? undefined : env[event.file]
  if (event === undefined || !isSet(path) || !event.kinds.includes(env[event.name] ?? '')) return undefined
  const content = readEvent(path) as { pull_request?: { head?: { sha?: unknown } } } | undefined
  const sha = content?.pull_request?.head?.sha
  return typeof sha === 'string' ? { value: sha, from: `${event.file}: pull_request.head.sha` } : undefined
}

function findFirst(
  sources: readonly Source[] | undefined,
  env: Environment,
  commit?: Found,
): Found | undefined {
  for (const source of sources ?? []) {
    const found = fill(source, env, commit)
    if (found !== undefined) return found
  }
  return undefined
}

function fill(source: Source, env: Environment, commit: Found | undefined): Found | undefined {
  const { text, strip = '', unless = {} } = typeof source === 'string' ? { text: source } : source
  const isExcluded = Object.entries(unless).some(([name, value]) =>
    value === true ? isSet(env[name]) : env[name] === value,
  )
  const names = [...text.matchAll(/\{(\w+)\}/g)].map(match => match[1] ?? '')
  const get = (name: string) => (name === 'commit' ? commit?.value : env[name])
  if (isExcluded || !names.every(name => isSet(get(name)))) return undefined
  const value = text.replaceAll(/\{(\w+)\}/g, (_, name: string) => get(name) ?? '')
  if (!value.startsWith(strip) || value === strip) return undefined
  const variables = names.filter(name => name !== 'commit')
  return {
    value: value.slice(strip.length),
    from: variables.length === 0 ? 'the CI system' : variables.join(', '),
  }
}

/** Some systems give only the clone URL; name, address and provider follow from it. */
function completeRepository(facts: CiJob['facts']): void {
  const url = facts.repository_url
  if (url === undefined) return
  const parsed = parseRepositoryUrl(url.value)
  if (parsed === undefined) {
    delete facts.repository_url
    return
  }
  facts.repository_url = { value: parsed.url, from: url.from }
  facts.repository ??= { value: parsed.name, from: url.from }
  if (facts.repository_provider === undefined && parsed.provider !== undefined)
    facts.repository_provider = { value: parsed.provider, from: url.from }
  const { commit } = facts
  if (facts.commit_url === undefined && commit !== undefined)
    facts.commit_url = {
      value: `${parsed.url}${parsed.commit_path}${commit.value}`,
      from: `${url.from}, ${commit.from}`,
    }
}
