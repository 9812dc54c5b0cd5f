// Everything that the documents refer to exists: pages, headings, files, npm commands and admin commands.
import { execFileSync } from 'node:child_process'
import { readFileSync } from 'node:fs'
import { dirname, join, normalize } from 'node:path'
import type { Command } from 'commander'
import { describe, expect, it } from 'vitest'
import { listCommands } from '../../scripts/run/choose.mjs'
import { root } from '../../scripts/run/prepare.mjs'
import { buildAdminCommand } from '../src/admin/program.ts'

const files = execFileSync('git', ['ls-files', '--cached', '--others', '--exclude-standard'], {
  cwd: root,
  encoding: 'utf8',
})
  .trim()
  .split('\n')
const documents = files.filter(file => file.endsWith('.md'))
const { scripts } = JSON.parse(readFileSync(join(root, 'package.json'), 'utf8'))

/** The names that an npm script accepts as its first argument; its script lists them. */
const NAMED_COMMANDS: Record<string, string[]> = Object.fromEntries(
  Object.entries({
    check: 'check',
    conformance: 'conformance',
    docs: 'docs',
    release: 'release',
    'test:thorough': 'test',
  }).map(([script, room]) => [
    script,
    listCommands(script, join(root, 'scripts', room)).map(({ name }) => name),
  ]),
)

const read = (file: string) => readFileSync(join(root, file), 'utf8')
const removeCode = (text: string) => text.replaceAll(/^ *```[\s\S]*?^ *```$/gm, '')

function listAnchors(page: string): string[] {
  return [...removeCode(page).matchAll(/^#+ (.*)$/gm)].map(([, heading = '']) =>
    heading
      .toLowerCase()
      .replaceAll(/[^\w\s-]/g, '')
      .replaceAll(' ', '-'),
  )
}

/**
 * Files named in a text: `x.ts`, `folder/x.ts` or `folder/*.test.ts`; a name with `<word>` in it matches several, and
 * one with NNNN is a future file.
 */
function listNamedFiles(text: string): string[] {
  const named = [...text.matchAll(/`([\w./*-]+\.(?:ts|tsx|mjs|sql|md))`/g)].map(([, file = '']) => file)
  // A block without a language may be a file tree.
  const trees = [...text.matchAll(/^```\n([\s\S]*?)^```$/gm)].map(([, tree = '']) => tree).join('\n')
  const inTrees = [...trees.matchAll(/(?<![\w<>.-])[\w-]+(?:\.[\w-]+)*\.(?:ts|tsx|mjs|sql)\b/g)]
  return [...named, ...inTrees.map(([file]) => file)].filter(file => !file.includes('NNNN'))
}

function exists(named: string): boolean {
  const pattern = named.replaceAll('.', '\\.').replaceAll('*', '[^/]*')
  return files.some(file => new RegExp(`(^|/)${pattern}$`).test(file))
}

describe.each(documents)('%s', file => {
  const text = read(file)

  it('links only to places that exist', () => {
    const broken = [...removeCode(text).matchAll(/\]\(([^)\s]+)\)/g)]
      .map(([, target = '']) => target)
      .filter(target => !/^[a-z]+:/.test(target))
      .filter(target => {
        const [page = '', anchor] = target.split('#')
        const path = page === '' ? file : normalize(join(dirname(file), page))
        const isFolder = files.some(each => each.startsWith(`${path.replace(/\/$/, '')}/`))
        if (!files.includes(path)) return !isFolder
        return anchor !== undefined && !listAnchors(read(path)).includes(anchor)
      })
    expect(broken).toEqual([])
  })

  it('names only files that exist', () => {
    expect(listNamedFiles(text).filter(named => !exists(named))).toEqual([])
  })

  it('names only commands that exist', () => {
    const commands = [...text.matchAll(/\bnpm run (?:--silent )?([a-z][\w:]*)/g)].map(([, name = '']) => name)
    expect(commands.filter(name => !(name in scripts))).toEqual([])
    const named = [...text.matchAll(/\bnpm run ([a-z:]+) -- ([a-z]+)/g)].filter(
      ([, script = '', name = '']) => NAMED_COMMANDS[script]?.includes(name) === false,
    )
    expect(named.map(([line]) => line)).toEqual([])
    const programs = [...text.matchAll(/\bnode (scripts\/[\w/-]+\.mjs)/g)].map(([, path = '']) => path)
    expect(programs.filter(path => !files.includes(path))).toEqual([])
  })
})

describe('the commands of the admin program', () => {
  /** Full names, such as `key create`, of every command that performs an action. */
  const listCommands = (command: Command, before: string[] = []): string[] =>
    command.commands.flatMap(each => {
      const name = [...before, each.name()]
      return each.commands.length > 0 ? listCommands(each, name) : [name.join(' ')]
    })

  it('exist if a document names them', () => {
    const known = listCommands(buildAdminCommand({} as never)).map(name => `${name} `)
    const named = documents.flatMap(file =>
      [...read(file).matchAll(/(?:`(?:waybill )?|^ *waybill )admin ([a-z][a-z-]*(?: [a-z][a-z-]*)?)/gm)].map(
        ([, name = '']) => `${name} `,
      ),
    )
    expect(named.length).toBeGreaterThan(20)
    const unknown = named.filter(name => !known.some(each => each.startsWith(name) || name.startsWith(each)))
    // The actor of the admin program's events.
    expect(new Set(unknown)).toEqual(new Set(['program ']))
  })
})

describe('docs/adr/dependencies.md', () => {
  it('has a line for every dependency', () => {
    const lines = [...read('docs/adr/dependencies.md').matchAll(/`((?:@[\w-]+\/)?[\w.*-]+)`/g)].map(
      ([, name = '']) => name,
    )
    const isListed = (name: string) =>
      lines.some(line => line === name || (line.endsWith('/*') && name.startsWith(line.slice(0, -1))))
    const manifests = files.filter(file => /^(packages\/)?([\w-]+\/)?package\.json$/.test(file))
    const used = manifests.flatMap(file => {
      const { dependencies, devDependencies, optionalDependencies } = JSON.parse(read(file))
      return Object.keys({ ...dependencies, ...devDependencies, ...optionalDependencies })
    })
    expect(used.length).toBeGreaterThan(50)
    expect(used.filter(name => !name.startsWith('@waybill/') && !isListed(name))).toEqual([])
  })
})

describe('the search', () => {
  it('finds a file, a file tree and a pattern', () => {
    expect(
      listNamedFiles('see `a/b.ts`, `c-*.test.ts` and `<x>.ts`\n```\nsrc/\n  d.ts e-f.mjs <g>.ts\n```\n'),
    ).toEqual(['a/b.ts', 'c-*.test.ts', 'd.ts', 'e-f.mjs'])
    expect([
      exists('test/document-links.test.ts'),
      exists('document-*.test.ts'),
      exists('links.test.ts'),
    ]).toEqual([true, true, false])
  })

  it('turns a heading into its anchor', () => {
    expect(listAnchors('## Health and metrics\n### 2.5 `x`, *y*\n```\n# no heading\n```\n')).toEqual([
      'health-and-metrics',
      '25-x-y',
    ])
  })
})
