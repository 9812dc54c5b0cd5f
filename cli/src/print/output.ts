// Prints the answer of a command. Only the answer goes to standard output, and all messages about it to
// standard error.
import { disarmJson } from '../ci/log-guard.ts'
import { failUsage } from '../program/problem.ts'
import { formatCsv } from './csv.ts'
import { formatTable, type Row } from './table.ts'

export interface OutputOptions {
  form: string
  jq: string | undefined
  is_quiet: boolean
  writeOut(text: string): void
  writeError(text: string): void
}

export interface Shown {
  /** The API response as it is. */
  json: unknown
  /** For people. */
  text: string
  /** One value per line, for scripts. */
  names?: readonly string[]
  markdown?: string
  /** The lines of the CSV, if the answer is more than a list. */
  items?: readonly unknown[]
}

export interface Output {
  show(shown: Shown): Promise<void>
  /** A remark, not part of the answer. */
  say(text: string): void
}

export function makeOutput(options: OutputOptions): Output {
  const print = (text: string) => options.writeOut(text.endsWith('\n') || text === '' ? text : `${text}\n`)
  return {
    say: text => options.writeError(`${text}\n`),
    show: async ({ json, text, names, markdown, items }) => {
      if (options.jq !== undefined) return print(await applyJq(options.jq, json))
      if (options.is_quiet) return print((names ?? []).join('\n'))
      if (options.form === 'json') return print(disarmJson(JSON.stringify(json, null, 2)))
      if (options.form === 'table') return print(text)
      if (options.form === 'yaml') return print((await import('./yaml.ts')).formatYaml(json))
      if (options.form === 'csv') return print(formatCsv(items ?? (Array.isArray(json) ? json : [json])))
      if (markdown === undefined) failUsage('--output: this command has no markdown')
      print(markdown)
    },
  }
}

async function applyJq(expression: string, json: unknown): Promise<string> {
  const { raw } = await import('jq-wasm')
  const { stdout, stderr, exitCode } = await raw(json as object, expression, ['-r'])
  if (exitCode !== 0) failUsage(`--jq: ${stderr.trim()}`)
  return stdout
}

export function formatRows(head: readonly string[], rows: readonly Row[], nothing: string): string {
  return rows.length === 0 ? nothing : formatTable([head, ...rows])
}
