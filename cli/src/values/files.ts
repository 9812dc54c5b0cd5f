// Reads the configuration files. The repository's file may only set flags that do not decide where and as
// whom to sign in: otherwise whoever can change a checkout could send a pipeline's key to their own host.
import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import type { Environment } from '../ci/systems.ts'
import { failUsage } from '../program/problem.ts'

export type FileValues = Readonly<Record<string, readonly string[]>>

const REPOSITORY_FILE = 'waybill.yml'

/** `names` are the flags that the file may set. */
export async function readRepositoryFile(cwd: string, names: readonly string[]): Promise<FileValues> {
  const text = readIfThere(join(cwd, REPOSITORY_FILE))
  if (text === undefined) return {}
  return readValues(text, REPOSITORY_FILE, name => {
    if (names.includes(name)) return
    failUsage(
      `${REPOSITORY_FILE}: "${name}" is not allowed in a file of the repository`,
      `Allowed are ${names.toSorted().join(', ')}. Hosts and keys belong in flags or variables.`,
    )
  })
}

export function getUserFile(env: Environment): string {
  const base = env.XDG_CONFIG_HOME || join(env.HOME ?? '.', '.config')
  return join(base, 'waybill', 'config.yml')
}

/** `explicit` is the file that the user names; it must exist. */
export async function readUserFile(env: Environment, explicit: string | undefined): Promise<FileValues> {
  const path = explicit ?? getUserFile(env)
  const text = readIfThere(path)
  if (text === undefined) {
    if (explicit !== undefined) failUsage(`--config-file: ${path} does not exist`)
    return {}
  }
  return readValues(text, path, () => undefined)
}

function readIfThere(path: string): string | undefined {
  try {
    return readFileSync(path, 'utf8')
  } catch (error) {
    const { code, message } = error as NodeJS.ErrnoException
    if (code === 'ENOENT' || code === 'ENOTDIR') return undefined
    failUsage(`${path} cannot be read: ${message}`)
  }
}

async function readValues(text: string, path: string, check: (name: string) => void): Promise<FileValues> {
  const parsed = await parseYaml(text, path)
  if (parsed === null || parsed === undefined) return {}
  if (typeof parsed !== 'object' || Array.isArray(parsed))
    failUsage(`${path} is not a list of names and values`)
  const values: Record<string, string[]> = {}
  for (const [name, value] of Object.entries(parsed)) {
    check(name)
    values[name] = (Array.isArray(value) ? value : [value]).map(item => {
      if (!['string', 'number', 'boolean'].includes(typeof item))
        failUsage(`${path}: the value of "${name}" is not a text`)
      return String(item)
    })
  }
  return values
}

/** Loaded only if there is such a file, to keep the start of the program fast. */
async function parseYaml(text: string, path: string): Promise<unknown> {
  const { parse } = await import('./yaml.ts')
  try {
    return parse(text)
  } catch (error) {
    failUsage(
      `${path} is not valid YAML: ${error instanceof Error ? error.message.split('\n', 1)[0] : error}`,
    )
  }
}
