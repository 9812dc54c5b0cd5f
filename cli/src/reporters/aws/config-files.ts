// Reads the configuration files of AWS tools: ~/.aws/config and ~/.aws/credentials. Never a file in the
// working directory.
import { existsSync, readFileSync } from 'node:fs'
import { isAbsolute, join } from 'node:path'
import type { Environment } from '../../ci/systems.ts'
import { failUsage } from '../../program/problem.ts'

export type Section = Readonly<Record<string, string>>

export interface AwsSettings {
  /** The profile in use. */
  profile: string
  /** Whether the user named it; otherwise it need not exist. */
  is_named: boolean
  profiles: ReadonlyMap<string, Section>
  sso_sessions: ReadonlyMap<string, Section>
}

export function readSettings(env: Environment): AwsSettings {
  const config = readSections(findFile(env, 'AWS_CONFIG_FILE', 'config'))
  const credentials = readSections(findFile(env, 'AWS_SHARED_CREDENTIALS_FILE', 'credentials'))
  const profiles = new Map<string, Section>()
  const sso_sessions = new Map<string, Section>()
  for (const [title, section] of config) {
    const [, kind = '', name = ''] = /^(profile|sso-session)\s+(.+)$/.exec(title) ?? []
    if (kind === 'sso-session') sso_sessions.set(name, section)
    else if (kind === 'profile' || title === 'default') profiles.set(name || title, section)
  }
  for (const [name, section] of credentials) profiles.set(name, { ...profiles.get(name), ...section })
  const named = env.AWS_PROFILE || env.AWS_DEFAULT_PROFILE || undefined
  if (named !== undefined && !profiles.has(named))
    failUsage(`AWS_PROFILE: there is no profile "${named}"`, 'Profiles are in ~/.aws/config.')
  return { profile: named ?? 'default', is_named: named !== undefined, profiles, sso_sessions }
}

/** A relative path would start in the working directory, which may be a stranger's checkout. */
function findFile(env: Environment, variable: string, name: string): string | undefined {
  const given = env[variable] || undefined
  if (given !== undefined && !isAbsolute(given))
    failUsage(`${variable}: ${given} is not an absolute path`, 'It could be a file of the working directory.')
  const file = given ?? (env.HOME && isAbsolute(env.HOME) ? join(env.HOME, '.aws', name) : undefined)
  if (given !== undefined && !existsSync(given)) failUsage(`${variable}: ${given} does not exist`)
  return file !== undefined && existsSync(file) ? file : undefined
}

function readSections(file: string | undefined): Map<string, Section> {
  return file === undefined ? new Map() : parseSections(readFileSync(file, 'utf8'))
}

/** Indented lines belong to a nested setting; none of those matters here. */
export function parseSections(content: string): Map<string, Section> {
  const sections = new Map<string, Record<string, string>>()
  let current: Record<string, string> = {}
  for (const line of content.split(/\r?\n/)) {
    const title = /^\[\s*([^\]]+?)\s*\]/.exec(line)?.[1]
    if (title !== undefined) {
      current = sections.get(title) ?? {}
      sections.set(title, current)
      continue
    }
    const [, name, value = ''] = /^([^\s#;=][^=]*?)\s*=\s*(.*?)\s*$/.exec(line) ?? []
    if (name !== undefined) current[name.toLowerCase()] = value.replace(/\s[#;].*$/, '')
  }
  return sections
}
