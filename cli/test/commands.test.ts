// The commands as data: the operations they call exist, their flags agree with each other, and help and
// documentation follow.
import { readdirSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { describe, expect, it } from 'vitest'
import { root } from '../../scripts/run/prepare.mjs'
import document from '../../server/dist/openapi.json' with { type: 'json' }
import { CATALOGUE } from '../src/catalogue.ts'
import { commands } from '../src/commands.ts'
import { writeDocument } from '../src/document.ts'
import type { Flag } from '../src/program/flags.ts'
import { GLOBAL_FLAGS } from '../src/program/globals.ts'
import { describeCommand, describeProgram } from '../src/program/help.ts'
import { findByWords, findCommand, listNames, nameArguments, parseLine } from '../src/program/parse.ts'
import { isServerCommand, SERVER_COMMANDS } from '../src/server-commands.ts'
import { findTemplates } from './path-templates.ts'
import { splitLine } from './run-cli.ts'

const MAX_COLUMNS = 100

const paths: Record<string, Record<string, { operationId?: string }>> = document.paths
const operation_ids = new Set(
  Object.values(paths).flatMap(methods => Object.values(methods).map(({ operationId }) => operationId)),
)
const named = commands.map(command => [command.words.join(' '), command] as const)

describe('the commands', () => {
  it('call operations that exist', () => {
    const missing = named.flatMap(([name, { operations }]) =>
      operations.filter(id => !operation_ids.has(id)).map(id => `${name}: ${id}`),
    )
    expect(missing).toEqual([])
  })

  it('use path templates that exist', () => {
    const folder = join(root, 'cli', 'src')
    const files = readdirSync(folder, { recursive: true, encoding: 'utf8' })
    const templates = files
      .filter(file => file.startsWith('commands') && /(?<!\.test)\.ts$/.test(file))
      .flatMap(file => findTemplates(readFileSync(join(folder, file), 'utf8')))
    expect(templates.length).toBeGreaterThan(40)
    expect(templates.filter(template => !(template in paths))).toEqual([])
  })

  it('have unique words', () => {
    const all = [...commands.flatMap(listNames), ...SERVER_COMMANDS.map(({ name }) => name)]
    expect(all.filter((name, index) => all.indexOf(name) !== index)).toEqual([])
    expect(commands.filter(({ words }) => words.length > 3)).toEqual([])
  })

  it('are told apart from those of the server: it verifies logs, and the client receipts', () => {
    const lines = ['verify ./acme-log --vkey x', 'verify receipts', 'verify receipts a.jsonl', 'serve']
    expect(lines.map(line => isServerCommand(line.split(' ')))).toEqual([true, false, false, true])
  })

  it('have flags that mean the same everywhere: a switch, a number, pairs, or texts', () => {
    const kinds = new Map<string, Set<string>>()
    for (const { flags } of [...commands, { flags: GLOBAL_FLAGS }])
      for (const [name, flag] of Object.entries(flags))
        kinds.set(name, (kinds.get(name) ?? new Set()).add(getKind(flag)))
    expect([...kinds].filter(([, found]) => found.size > 1)).toEqual([])
  })

  it.each(named)('%s has no letter for two flags', (_, { flags }) => {
    const letters = Object.values({ ...GLOBAL_FLAGS, ...flags }).flatMap(({ short }: Flag) => short ?? [])
    expect(letters.filter((letter, index) => letters.indexOf(letter) !== index)).toEqual([])
  })

  it.each(named)('%s has examples that parse', (_, command) => {
    expect(command.examples.length > 0 || command.is_hidden).toBe(true)
    for (const example of command.examples) {
      const args = splitLine(example)
      expect(findCommand(args, commands, GLOBAL_FLAGS)).toBe(command)
      nameArguments(parseLine(args, command, GLOBAL_FLAGS).positionals, command)
    }
  })

  it.each(named)('%s has help of at most 100 columns', (_, command) => {
    expect(findLong(describeCommand(command, GLOBAL_FLAGS))).toEqual([])
  })

  it('are listed within 100 columns', () => {
    expect(findLong(describeProgram(commands, SERVER_COMMANDS))).toEqual([])
  })

  it('include everything that docs/cli.md promises', () => {
    for (const words of [
      'why',
      'doctor',
      'whoami',
      'search',
      'tag',
      'policy lint',
      'policy try',
      'config show',
    ])
      expect(findByWords(commands, words.split(' '))).toBeDefined()
  })
})

describe('the index of the commands', () => {
  it('finds each command in its group', async () => {
    const loaded = await Promise.all(CATALOGUE.entries.map(entry => CATALOGUE.load(entry)))
    expect(new Set(loaded)).toEqual(new Set(commands))
  })
})

describe('docs/cli.md', () => {
  it('is fresh: run `npm run docs`', () => {
    expect(readFileSync(join(root, 'docs', 'cli.md'), 'utf8')).toBe(writeDocument(commands))
  })
})

/** A list may be a single text elsewhere: `--environment a` works for both. */
const getKind = ({ kind }: Flag): string => (kind === 'list' ? 'text' : kind)

const findLong = (text: string): string[] => text.split('\n').filter(line => line.length > MAX_COLUMNS)
