// Settings that contain a secret can name a file instead, as orchestrators mount secrets: `WAYBILL_SECRET_KEY_FILE`
// is the path of a file with the value of WAYBILL_SECRET_KEY. More tools show a process's variables than its files.
import { readFileSync } from 'node:fs'
import { type Environment, SettingProblem } from './setting.ts'

const SUFFIX = '_FILE'
/** No secret is longer; a path to something larger is a mistake. */
const MAX_CHARACTERS = 64 * 1024

export function listFileSettings(secrets: readonly string[]): string[] {
  return secrets.map(name => name + SUFFIX)
}

/** Returns the environment with the contents of the files as values. */
export function readSecretFiles(environment: Environment, secrets: readonly string[]): Environment {
  const read = secrets.flatMap(name => {
    const file = environment[name + SUFFIX]
    if (file === undefined || file === '') return []
    if (environment[name]) throw new SettingProblem(`Set ${name} or ${name}${SUFFIX}, not both`)
    return [[name, readSecretFile(name + SUFFIX, file)] as const]
  })
  return { ...environment, ...Object.fromEntries(read) }
}

/** Editors and `echo` end a file with a line break, which is not part of the secret. */
function readSecretFile(name: string, file: string): string {
  const text = readText(name, file).replace(/\r?\n$/, '')
  if (text === '') throw new SettingProblem(`${name}: the file is empty`)
  if (text.length > MAX_CHARACTERS) throw new SettingProblem(`${name}: the file is too long for a secret`)
  return text
}

function readText(name: string, file: string): string {
  try {
    return readFileSync(file, 'utf8')
  } catch (error) {
    throw new SettingProblem(`${name}: the file cannot be read (${(error as Error).message})`)
  }
}
