// Runs one command: reads its flags from all sources, and makes its context.
import { readRepositoryFile, readUserFile } from '../values/files.ts'
import { resolveFlags } from '../values/resolve.ts'
import type { Catalogue } from './catalogue.ts'
import type { Command } from './command.ts'
import type { System } from './context.ts'
import type { Exit } from './exit-codes.ts'
import type { Flags } from './flags.ts'
import { GLOBAL_FLAGS } from './globals.ts'
import { makeContext } from './make-context.ts'
import { nameArguments, type ParsedLine } from './parse.ts'
import { readCiJob } from './read-ci-job.ts'

interface Line extends ParsedLine {
  system: System
  /** Prints commands for the CI system. */
  writeCommand: System['writeError']
  catalogue: Catalogue
}

export async function runCommand(command: Command, line: Line): Promise<Exit> {
  const { system, writeCommand, positionals, given, catalogue } = line
  const flags: Flags = { ...GLOBAL_FLAGS, ...command.flags }
  const sources = {
    given,
    env: system.env,
    repository_file: await readRepositoryFile(system.cwd, catalogue.in_repository_file),
    ci: readCiJob(system.env),
    user_file: await readUserFile(system.env, given.get('config-file')?.at(-1)),
  }
  const resolution = resolveFlags(flags, sources)
  warnOfForeignVariables(resolution.foreign_variables, system)
  const { args, repeated } = nameArguments(positionals, command)
  const context = makeContext({ system, writeCommand, command, resolution, sources, catalogue })
  return (await command.run({ args, repeated, flags: resolution.values, context })) ?? 'done'
}

function warnOfForeignVariables(names: readonly string[], { writeError }: System): void {
  if (names.length === 0) return
  const renamed = names.map(name => name.replace(/^[A-Z]+_/, 'WAYBILL_'))
  writeError(`Read ${names.join(', ')}, which belong to another client. Set ${renamed.join(', ')} instead.\n`)
}
