// Shell completion, generated from the commands.
import { argument, defineCommand } from '../program/command.ts'
import type { Described } from '../program/context.ts'
import { GLOBAL_FLAGS } from '../program/globals.ts'
import { failUsage } from '../program/problem.ts'
import { SERVER_COMMANDS } from '../server-commands.ts'
import { type Completed, writeBash, writeFish, writeZsh } from './completion-scripts.ts'

const WRITERS: Readonly<Record<string, (completed: readonly Completed[]) => string>> = {
  bash: writeBash,
  zsh: writeZsh,
  fish: writeFish,
}

export const completionCommands = [
  defineCommand({
    words: ['completion'],
    summary: 'print the completion script for a shell',
    args: [argument('shell', 'bash, zsh or fish')],
    flags: {},
    needs: 'nothing',
    operations: [],
    examples: ['completion bash', 'completion fish'],
    run: async ({ args: { shell = '' }, context: { output, loadCommands } }) => {
      const write = WRITERS[shell]
      if (write === undefined)
        failUsage(`There is no completion for "${shell}"`, 'Known are bash, zsh and fish.')
      const script = write(listCompleted(await loadCommands()))
      await output.show({ json: { shell, script }, text: script, names: [shell] })
      return undefined
    },
  }),
]

export function listCompleted(commands: readonly Described[]): Completed[] {
  const visible = commands.filter(({ is_hidden }) => !is_hidden)
  return [
    ...visible.map(({ words, summary, flags }) => ({
      words,
      summary,
      flags: Object.entries({ ...flags, ...GLOBAL_FLAGS })
        .filter(([, flag]) => !flag.is_hidden)
        .map(([name, flag]) => ({ name: `--${name}`, summary: flag.summary })),
    })),
    ...SERVER_COMMANDS.map(({ name, summary }) => ({ words: name.split(' '), summary, flags: [] })),
  ]
}
