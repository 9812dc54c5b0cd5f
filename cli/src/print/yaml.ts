// The answer as YAML.
import { COMMAND, disarmJson } from '../ci/log-guard.ts'
import { stringify } from '../values/yaml.ts'
import { escapeControls } from './table.ts'

/** Quotes every text, as in JSON. */
const QUOTED = { defaultStringType: 'QUOTE_DOUBLE', defaultKeyType: 'QUOTE_DOUBLE', lineWidth: 0 } as const

/** Unquoted text could become a command of the CI system or the terminal. */
export function formatYaml(json: unknown): string {
  const plain = stringify(json)
  const isSafe = !COMMAND.test(plain) && escapeControls(plain) === plain
  return isSafe ? plain : disarmJson(stringify(json, QUOTED))
}
