// Runs one command line and returns its exit code. Help comes from the index, without loading the commands.

import { CATALOGUE } from '../catalogue.ts'
import { guardLog } from '../ci/log-guard.ts'
import { SERVER_COMMANDS } from '../server-commands.ts'
import type { Catalogue } from './catalogue.ts'
import type { System } from './context.ts'
import { EXIT_CODES, type Exit } from './exit-codes.ts'
import { GLOBAL_FLAGS } from './globals.ts'
import { describeCommand, describeProgram } from './help.ts'
import { findByWords, findCommand, parseLine } from './parse.ts'
import { failUsage, Problem } from './problem.ts'

export async function runCli(system: System, catalogue: Catalogue = CATALOGUE): Promise<number> {
  const { env, writeOut, writeError } = system
  const guarded = { ...system, writeOut: guardLog(env, writeOut), writeError: guardLog(env, writeError) }
  try {
    return EXIT_CODES[await runLine(guarded, writeError, catalogue)]
  } catch (error) {
    return EXIT_CODES[explain(error, guarded)]
  }
}

/** `writeCommand` prints commands for the CI system. */
async function runLine(
  system: System,
  writeCommand: System['writeError'],
  catalogue: Catalogue,
): Promise<Exit> {
  const { argv } = system
  if (argv[0] === 'help') return showHelp(argv.slice(1), system, catalogue)
  const entry = findCommand(argv, catalogue.entries, GLOBAL_FLAGS)
  if (entry === undefined) return showProgram(system, catalogue)
  const command = await catalogue.load(entry)
  const parsed = parseLine(argv, command, GLOBAL_FLAGS)
  if (parsed.given.has('help')) return showHelp(command.words, system, catalogue)
  const { runCommand } = await import('./run-command.ts')
  return runCommand(command, { ...parsed, system, writeCommand, catalogue })
}

function showProgram({ argv, writeOut, version }: System, { entries }: Catalogue): Exit {
  if (argv.includes('--version')) writeOut(`${version}\n`)
  else writeOut(`${describeProgram(entries, SERVER_COMMANDS)}\n`)
  return argv.length === 0 ? 'usage' : 'done'
}

async function showHelp(
  words: readonly string[],
  { writeOut }: System,
  { entries, load }: Catalogue,
): Promise<Exit> {
  if (words.length === 0) {
    writeOut(`${describeProgram(entries, SERVER_COMMANDS)}\n`)
    return 'done'
  }
  const entry = findByWords(entries, words) ?? findByWords(entries, words.toReversed())
  if (entry !== undefined) {
    writeOut(`${describeCommand(await load(entry), GLOBAL_FLAGS)}\n`)
    return 'done'
  }
  const below = entries.filter(each => !each.is_hidden && each.words.includes(words[0] ?? ''))
  if (below.length === 0)
    failUsage(`There is no command "${words.join(' ')}"`, 'waybill help lists all of them.')
  writeOut(`${below.map(each => `waybill ${each.words.join(' ')}: ${each.summary}`).join('\n')}\n`)
  return 'done'
}

function explain(error: unknown, { writeError }: System): Exit {
  if (!(error instanceof Problem)) {
    writeError(
      `${error instanceof Error ? error.stack : error}\nThis is a bug of waybill. Please report it.\n`,
    )
    return 'failure'
  }
  writeError(`Error: ${error.message}\n`)
  if (error.hint !== undefined) writeError(`${error.hint}\n`)
  if (error.request_id !== undefined) writeError(`Request: ${error.request_id}\n`)
  return error.exit
}
