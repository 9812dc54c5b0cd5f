// Writes the index of the commands: `npm run docs`.
import { type Entry, listRepositoryFlags } from './program/catalogue.ts'
import type { Command } from './program/command.ts'

/** One command on a line, so that a change is easy to read and to merge. */
export function writeIndex(groups: Readonly<Record<string, readonly Command[]>>): string {
  const lines = Object.entries(groups).flatMap(([group, commands]) =>
    commands.map(command => `    ${JSON.stringify({ ...toEntry(command), group })}`),
  )
  const names = JSON.stringify(listRepositoryFlags(Object.values(groups).flat()))
  return `{\n  "in_repository_file": ${names},\n  "commands": [\n${lines.join(',\n')}\n  ]\n}\n`
}

function toEntry({ words, also, summary, is_hidden }: Command): Entry {
  return { words, ...(also === undefined ? {} : { also }), summary, ...(is_hidden ? { is_hidden } : {}) }
}
