// The program's view of its commands without loading them: enough to find one and list all.
import type { Command } from './command.ts'

export type Entry = Pick<Command, 'words' | 'also' | 'summary' | 'is_hidden'>

export interface Catalogue {
  entries: readonly Entry[]
  /** The flags that the repository's file may set. */
  in_repository_file: readonly string[]
  load(entry: Entry): Promise<Command>
  loadAll(): Promise<readonly Command[]>
}

/** Makes a catalogue from commands that are already loaded. */
export function makeCatalogue(commands: readonly Command[]): Catalogue {
  return {
    entries: commands,
    in_repository_file: listRepositoryFlags(commands),
    load: async entry => findEntry(commands, entry),
    loadAll: async () => commands,
  }
}

export function findEntry(commands: readonly Command[], { words }: Entry): Command {
  const name = words.join(' ')
  const found = commands.find(command => command.words.join(' ') === name)
  if (found === undefined) throw new Error(`The command "${name}" is not where the index says`)
  return found
}

export function listRepositoryFlags(commands: readonly Pick<Command, 'flags'>[]): string[] {
  const flags = commands.flatMap(command => Object.entries(command.flags))
  return [...new Set(flags.flatMap(([name, flag]) => (flag.in_repository_file ? [name] : [])))].toSorted()
}
