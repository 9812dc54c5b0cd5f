// Writes the index of commands, which the program loads at startup instead of the commands. The build puts it
// into cli/dist.
import { COMMAND_GROUPS, commands } from './commands.ts'
import { type Entry, listRepositoryFlags } from './program/catalogue.ts'
import type { Command } from './program/command.ts'

export function writeIndex(): string {
  const entries = Object.entries(COMMAND_GROUPS).flatMap(([group, commands]) =>
    commands.map(command => ({ ...toEntry(command), group })),
  )
  return JSON.stringify({ in_repository_file: listRepositoryFlags(commands), commands: entries })
}

function toEntry({ words, also, summary, is_hidden }: Command): Entry {
  return { words, ...(also === undefined ? {} : { also }), summary, ...(is_hidden ? { is_hidden } : {}) }
}
