// The index of the client's commands, small enough to load at every start. A command is loaded with its
// group.
import index from '../dist/command-index.json' with { type: 'json' }
import { type Catalogue, findEntry } from './program/catalogue.ts'
import type { Command } from './program/command.ts'

interface Group {
  commands: readonly Command[]
}

const LOADERS: Readonly<Record<string, () => Promise<Group>>> = {
  attest: () => import('./groups/attest.ts'),
  report: () => import('./groups/report.ts'),
  judge: () => import('./groups/judge.ts'),
  resources: () => import('./groups/resources.ts'),
  program: () => import('./groups/program.ts'),
  verify: () => import('./groups/verify.ts'),
  version: () => import('./groups/version.ts'),
}

export const CATALOGUE: Catalogue = {
  entries: index.commands,
  in_repository_file: index.in_repository_file,
  load: async entry => {
    const { group } = index.commands.find(each => each === entry) ?? { group: '' }
    const load = LOADERS[group]
    if (load === undefined) throw new Error(`There is no group "${group}" of commands`)
    return findEntry((await load()).commands, entry)
  },
  loadAll: async () => {
    const groups = await Promise.all(Object.values(LOADERS).map(load => load()))
    return groups.flatMap(({ commands }) => commands)
  },
}
