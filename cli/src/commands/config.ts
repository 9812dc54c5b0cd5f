// `config show`: the values that the program uses, and where each comes from.
import { formatRows } from '../print/output.ts'
import { defineCommand } from '../program/command.ts'
import type { Described } from '../program/context.ts'
import { type Flag, type Flags, toggle } from '../program/flags.ts'
import { GLOBAL_FLAGS } from '../program/globals.ts'
import { findRaw, type Sources } from '../values/resolve.ts'

interface Setting {
  flag: string
  value: string
  from: string
}

const SECRET = new Set(['api-token', 'aws-secret-key', 'registry-password'])

export const configCommands = [
  defineCommand({
    words: ['config', 'show'],
    also: [['config']],
    summary: 'show the values that are used without flags, and where they come from',
    details:
      'A value is taken from the flag, else from WAYBILL_*, else from KOSLI_*, else from waybill.yml (only values ' +
      'that do not say who and where), else from the CI job, else from the configuration file of the user.',
    args: [],
    flags: { origin: toggle('where each value comes from') },
    needs: 'nothing',
    operations: [],
    examples: ['config show --origin'],
    run: async ({ flags, context: { sources, output, loadCommands } }) => {
      const settings = listSettings(await loadCommands(), sources)
      const head = ['FLAG', 'VALUE', ...(flags.origin ? ['FROM'] : [])]
      const rows = settings.map(({ flag, value, from }) => [flag, value, ...(flags.origin ? [from] : [])])
      await output.show({
        json: settings,
        text: formatRows(head, rows, 'No values'),
        names: settings.map(({ flag }) => flag),
      })
      return undefined
    },
  }),
]

function listSettings(commands: readonly Described[], sources: Sources): Setting[] {
  const all = commands.flatMap(command => Object.entries(command.flags))
  // Skips list filters that share their name with a flag that has more sources.
  const isRicher = ([, flag]: [string, Flag]) => flag.in_repository_file || flag.from_ci !== undefined
  const flags: Flags = {
    ...Object.fromEntries(all.filter(entry => !isRicher(entry))),
    ...Object.fromEntries(all.filter(isRicher)),
    ...GLOBAL_FLAGS,
  }
  return Object.entries(flags)
    .filter(([, flag]) => !flag.is_hidden)
    .flatMap(([name, flag]) => readSetting(name, flag, sources))
}

function readSetting(name: string, flag: Flag, sources: Sources): Setting[] {
  const raw = findRaw(name, flag, sources)
  if (raw !== undefined)
    return [{ flag: `--${name}`, value: SECRET.has(name) ? '(hidden)' : raw.texts.join(','), from: raw.from }]
  const isGlobal = Object.hasOwn(GLOBAL_FLAGS, name)
  if (!isGlobal || !('fallback' in flag) || flag.fallback === undefined || flag.fallback === false) return []
  return [{ flag: `--${name}`, value: String(flag.fallback), from: 'default' }]
}
