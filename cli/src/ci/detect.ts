// Finds out in which CI system the program runs, and what it says about the job.
import type { CiFact } from '../program/flags.ts'
import { parseRepositoryUrl } from './repository-url.ts'
import { CI_SYSTEMS, type CiSystem, type Environment, type Source } from './systems.ts'

export interface Found {
  value: string
  /** The variables, or the file, that it was made from. */
  from: string
}

export interface CiJob {
  system: CiSystem
  facts: Partial<Record<CiFact, Found>>
  run: Found | undefined
  step: Found | undefined
  attempt: Found | undefined
}

/** `readEvent` returns the parsed file of the event that started the job. */
export function detectCi(env: Environment, readEvent: (path: string) => unknown): CiJob | undefined {
  const system = CI_SYSTEMS.find(({ recognized_by }) => isSet(env[recognized_by]))
  if (system === undefined) return undefined
  const facts: Partial<Record<CiFact, Found>> = {}
  const commit = findHeadCommit(system, env, readEvent) ?? findFirst(system.facts.commit, env)
  if (commit !== undefined) facts.commit = commit
  for (const [name, sources] of Object.entries(system.facts) as [CiFact, readonly Source[]][]) {
    if (name === 'commit') continue
    const found = findFirst(sources, env, commit)
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

const isSet = (value: string | undefined): value is string => value !== undefined && value !== ''

/**
 * In a run for a pull request, the commit variable names a merge commit that exists only for the run. The evidence is
 * about the commit that the author pushed.
 */
function findHeadCommit(
  { event_file }: CiSystem,
  env: Environment,
  readEvent: (path: string) => unknown,
): Found | undefined {
  const path = event_file === undefined ? undefined : env[event_file]
  if (!isSet(path)) return undefined
  const event = readEvent(path) as { pull_request?: { head?: { sha?: unknown } } } | undefined
  const sha = event?.pull_request?.head?.sha
  return typeof sha === 'string' && /^[0-9a-f]{40,64}$/.test(sha)
    ? { value: sha, from: `${event_file}: pull_request.head.sha` }
    : undefined
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
  const names = [...source.matchAll(/\{(\w+)\}/g)].map(match => match[1] ?? '')
  const values = names.map(name => (name === 'commit' ? commit?.value : env[name]))
  if (!values.every(isSet)) return undefined
  const value = source.replaceAll(/\{(\w+)\}/g, (_, name: string) =>
    name === 'commit' ? (commit?.value ?? '') : (env[name] ?? ''),
  )
  const variables = names.filter(name => name !== 'commit')
  return { value, from: variables.length === 0 ? 'the CI system' : variables.join(', ') }
}

/** Some systems say only from where they cloned; name, address and provider follow from it. */
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
