// Runs one command line and returns its exit code.
import { guardLog } from '../ci/log-guard.ts'
import { commands as allCommands } from '../commands.ts'
import { SERVER_COMMANDS } from '../server-commands.ts'
import { readRepositoryFile, readUserFile } from '../values/files.ts'
import { resolveFlags } from '../values/resolve.ts'
import type { Command } from './command.ts'
import type { System } from './context.ts'
import { EXIT_CODES, type Exit } from './exit-codes.ts'
import type { Flags } from './flags.ts'
import { GLOBAL_FLAGS } from './globals.ts'
import { describeCommand, describeProgram } from './help.ts'
import { makeContext } from './make-context.ts'
import { findByWords, findCommand, nameArguments, parseLine } from './parse.ts'
import { failUsage, Problem } from './problem.ts'
import { readCiJob } from './read-ci-job.ts'

export async function runCli(system: System, commands: readonly Command[] = allCommands): Promise<number> {
  const { env, writeOut, writeError } = system
  const guarded = { ...system, writeOut: guardLog(env, writeOut), writeError: guardLog(env, writeError) }
  try {
    return EXIT_CODES[await runLine(guarded, writeError, commands)]
  } catch (error) {
    return EXIT_CODES[explain(error, guarded)]
  }
}

/** `writeCommand` is for the commands of the CI system. */
async function runLine(
  system: System,
  writeCommand: System['writeError'],
  commands: readonly Command[],
): Promise<Exit> {
  const { argv } = system
  if (argv[0] === 'help') return showHelp(argv.slice(1), system, commands)
  const command = findCommand(argv, commands, GLOBAL_FLAGS)
  if (command === undefined) return showProgram(system, commands)
  const { positionals, given } = parseLine(argv, command, GLOBAL_FLAGS)
  if (given.has('help')) return showHelp(command.words, system, commands)
  const flags: Flags = { ...GLOBAL_FLAGS, ...command.flags }
  const sources = {
    given,
    env: system.env,
    repository_file: await readRepositoryFile(system.cwd, commands),
    ci: readCiJob(system.env),
    user_file: await readUserFile(system.env, given.get('config-file')?.at(-1)),
  }
  const resolution = resolveFlags(flags, sources)
  warnOfForeignVariables(resolution.foreign_variables, system)
  const { args, repeated } = nameArguments(positionals, command)
  const context = makeContext({ system, writeCommand, command, resolution, sources })
  return (await command.run({ args, repeated, flags: resolution.values, context })) ?? 'done'
}

function warnOfForeignVariables(names: readonly string[], { writeError }: System): void {
  if (names.length === 0) return
  const renamed = names.map(name => name.replace(/^[A-Z]+_/, 'WAYBILL_'))
  writeError(`Read ${names.join(', ')}, which belong to another client. Set ${renamed.join(', ')} instead.\n`)
}

function showProgram({ argv, writeOut, version }: System, commands: readonly Command[]): Exit {
  if (argv.includes('--version')) writeOut(`${version}\n`)
  else writeOut(`${describeProgram(commands, SERVER_COMMANDS)}\n`)
  return argv.length === 0 ? 'usage' : 'done'
}

function showHelp(words: readonly string[], { writeOut }: System, commands: readonly Command[]): Exit {
  if (words.length === 0) {
    writeOut(`${describeProgram(commands, SERVER_COMMANDS)}\n`)
    return 'done'
  }
  const command = findByWords(commands, words) ?? findByWords(commands, words.toReversed())
  if (command !== undefined) {
    writeOut(`${describeCommand(command, GLOBAL_FLAGS)}\n`)
    return 'done'
  }
  const below = commands.filter(each => !each.is_hidden && each.words.includes(words[0] ?? ''))
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
