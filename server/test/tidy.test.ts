// The rules of STYLE.md that a machine can check: allowed imports, the length of functions and files, no state in
// modules, and the only places for clock, randomness, network, environment and SQL.
import { readdirSync, readFileSync } from 'node:fs'
import { dirname, join, relative } from 'node:path'
import { fileURLToPath } from 'node:url'
import ts from 'typescript'
import { describe, expect, it } from 'vitest'
import { buildFileGraph, findCycles, groupNodes } from './import-graph.ts'
import { MAY_IMPORT } from './may-import.ts'
import { findModuleState } from './module-state.ts'
import { ONE_PLACE, ONE_PLACE_IN_WEB, type OnePlace } from './one-place.ts'
import { findTimeProblems, isOfTests } from './time-rules.ts'

const MAX_FUNCTION_LINES = 70
const MAX_FILE_LINES = 400
const MAX_PAGE_LINES = 200

const root = dirname(dirname(dirname(fileURLToPath(import.meta.url))))

interface SourceFile {
  /** Relative to server/src, or to the root for files elsewhere. */
  path: string
  text: string
  /** Parsed when a rule first looks at it, and only once. */
  parse(): ts.SourceFile
  /** The text without comments, which can name what code must not use. */
  strip(): string
}

function makeFile(path: string, text: string): SourceFile {
  const kind = path.endsWith('.tsx') ? ts.ScriptKind.TSX : ts.ScriptKind.TS
  return {
    path,
    text,
    parse: once(() => ts.createSourceFile(path, text, ts.ScriptTarget.ES2023, true, kind)),
    strip: once(() => text.replaceAll(/\/\*[\s\S]*?\*\//g, '').replaceAll(/(^|\s)\/\/.*$/gm, '')),
  }
}

function once<T>(make: () => T): () => T {
  let made: T | undefined
  return () => (made ??= make())
}

const isModule = ({ path }: SourceFile) => /\.tsx?$/.test(path)
const isBelow =
  (...folders: string[]) =>
  ({ path }: SourceFile) =>
    folders.some(folder => path.startsWith(`${folder}/`))
const isTest = ({ path }: SourceFile) => isOfTests({ path }) || path.includes('test-service')

const written = ['server/src', 'server/test', 'packages', 'client', 'cli/src', 'bench', 'web/src', 'scripts']
  .flatMap(folder => readFiles(folder))
  .filter(({ path }) => path !== 'client/schema.ts')
const everything = written.filter(file => isModule(file) && !isBelow('scripts')(file))
const server = listBelow('server/src')
const program = server.filter(file => isModule(file) && !isTest(file))
const ofPackages = written.filter(file => isModule(file) && isBelow('packages')(file))
const packages = ofPackages.filter(file => !isTest(file))
const web = listBelow('web/src').filter(isModule)
const file_graph = buildFileGraph(written)

function readFiles(folder: string): SourceFile[] {
  return readdirSync(join(root, folder), { recursive: true, withFileTypes: true })
    .filter(entry => entry.isFile() && /\.(tsx?|mjs)$/.test(entry.name))
    .map(entry => join(entry.parentPath, entry.name))
    .filter(file => !file.includes('node_modules'))
    .map(file => makeFile(relative(root, file), readFileSync(file, 'utf8')))
}

/** The files below a folder, with paths relative to it. */
function listBelow(folder: string): SourceFile[] {
  return written.filter(isBelow(folder)).map(file => ({ ...file, path: relative(folder, file.path) }))
}

function listImports({ path, parse }: SourceFile): string[] {
  const found: string[] = []
  for (const statement of parse().statements) {
    if (!ts.isImportDeclaration(statement) && !ts.isExportDeclaration(statement)) continue
    const from = statement.moduleSpecifier
    if (!from || !ts.isStringLiteral(from)) continue
    found.push(from.text.startsWith('.') ? join(dirname(path), from.text) : from.text)
  }
  return found
}

const getFolder = (path: string) => path.split('/')[0] ?? path
/** The resource of a file below api/: a folder and the folders in it are one resource. */
const getResource = (path: string) => /^api\/([^/]+)\//.exec(path)?.[1]

/** For the graph of resources: each folder of api/ without its tests, and each file beside them. */
const getApiPart = (path: string) =>
  path.endsWith('.test.ts') ? undefined : /^server\/src\/api\/([^/]+)/.exec(path)?.[1]

function findImportProblems(files: SourceFile[]): string[] {
  const problems: string[] = []
  for (const file of files) {
    const allowed = MAY_IMPORT[getFolder(file.path)]
    if (!allowed) problems.push(`${file.path}: its folder has no row in MAY_IMPORT`)
    for (const target of listImports(file)) {
      if (!target.endsWith('.ts') && !target.startsWith('@waybill/')) continue
      const from = getFolder(file.path)
      const to = target.startsWith('@waybill/') ? target : getFolder(target)
      if (to !== from && !allowed?.includes(to)) problems.push(`${file.path} must not import ${target}`)
      const foreign = getResource(target) !== undefined && getResource(target) !== getResource(file.path)
      const shared =
        /\/(store|evaluate-store|wire|problems|template|evaluate|render|key-ring|two-persons|scan|read)\.ts$/.test(
          target,
        ) || getResource(target) === 'shared'
      if (foreign && from === 'api' && getResource(file.path) !== undefined && !shared) {
        problems.push(`${file.path} must read another resource through its store: ${target}`)
      }
    }
  }
  return problems
}

/**
 * A package imports its own files and the dependencies in its package.json. Its tests may also use the root's
 * dependencies.
 */
function findPackageImportProblems(files: SourceFile[]): string[] {
  return files.flatMap(file => {
    const [folder = '', name = ''] = file.path.split('/')
    const own = readManifest(join(folder, name))
    const named = {
      ...own.dependencies,
      ...(isTest(file) ? { ...own.devDependencies, ...rootPackages } : {}),
    }
    return listImports(file)
      .filter(target => !target.startsWith('node:') && !target.startsWith(`${folder}/${name}/`))
      .filter(target => !Object.keys(named).some(each => target === each || target.startsWith(`${each}/`)))
      .map(target => `${file.path} must not import ${target}`)
  })
}

function readManifest(folder: string): Record<'dependencies' | 'devDependencies', Record<string, string>> {
  return JSON.parse(readFileSync(join(root, folder, 'package.json'), 'utf8'))
}

const rootPackages = readManifest('.').devDependencies

function findFunctionProblems(files: SourceFile[]): string[] {
  const problems: string[] = []
  for (const file of files.filter(({ text }) => countLines(text) > MAX_FUNCTION_LINES)) {
    const tree = file.parse()
    const visit = (node: ts.Node): void => {
      if (ts.isFunctionLike(node) && 'body' in node && node.body && !isSuite(node)) {
        const lines = getLine(tree, node.getEnd()) - getLine(tree, node.getStart()) + 1
        if (lines > MAX_FUNCTION_LINES) problems.push(`${file.path}: a function of ${lines} lines`)
      }
      ts.forEachChild(node, visit)
    }
    visit(tree)
  }
  return problems
}

/** `describe(…, () => { … })` groups functions, so the limit does not apply to it. */
function isSuite(node: ts.Node): boolean {
  return ts.isCallExpression(node.parent) && /^describe\b/.test(node.parent.expression.getText())
}

function getLine(tree: ts.SourceFile, position: number): number {
  return tree.getLineAndCharacterOfPosition(position).line
}

/** ui/ must not depend on our domain, and parts/ must not depend on pages. */
const WEB_MAY_NOT_IMPORT: Record<string, readonly string[]> = {
  ui: ['parts', 'pages', 'shell', 'api.ts'],
  parts: ['pages', 'shell'],
}

function findWebImportProblems(files: SourceFile[]): string[] {
  return files.flatMap(file =>
    listImports(file)
      .filter(target => WEB_MAY_NOT_IMPORT[getFolder(file.path)]?.includes(getFolder(target)))
      .map(target => `${file.path} must not import ${target}`),
  )
}

function findMisplaced(files: SourceFile[], rules: readonly OnePlace[]): string[] {
  return rules.flatMap(({ what, only, why }) =>
    files
      .filter(file => !only.some(place => file.path.endsWith(place) || file.path.startsWith(place)))
      .filter(({ strip }) => what.test(strip()))
      .map(({ path, strip }) => `${path} uses ${why}: ${what.exec(strip())?.[0].trim()}`),
  )
}

const countLines = (text: string) => text.split('\n').length

/** State that a module may keep for itself, and why. */
const MODULE_STATE: Record<string, string> = {
  'db/statement.ts: declared': 'the list of declarations, complete when all modules are loaded',
  'db/migration-files.ts: shipped': 'the migrations of this release, read once',
  'db/scoped-query.ts: preparedOn': 'which statements a connection has prepared; goes with the connection',
  'jq/worker.mjs': 'a worker thread runs only this module, so there is nothing that could own its state',
}

function findStateProblems(files: SourceFile[]): string[] {
  return files
    .filter(({ path }) => MODULE_STATE[path] === undefined)
    .flatMap(({ path, parse }) => findModuleState(parse()).map(name => `${path}: ${name}`))
    .filter(place => MODULE_STATE[place] === undefined)
}

describe('the source', () => {
  it('imports only downwards', () => expect(findImportProblems(program)).toEqual([]))
  it('has no import cycles between files', () => expect(findCycles(file_graph)).toEqual([]))
  it('has no import cycles between resources of the API', () =>
    expect(findCycles(groupNodes(file_graph, getApiPart))).toEqual([]))
  it('keeps no state in modules: app.ts creates it and hands it down', () =>
    expect(findStateProblems([...program, ...packages, ...server.filter(file => !isModule(file))])).toEqual(
      [],
    ))
  it('has packages that import only what they declare, and nothing of the server', () =>
    expect(findPackageImportProblems(ofPackages)).toEqual([]))
  it('has functions that fit on a screen', () => expect(findFunctionProblems(everything)).toEqual([]))
  it('keeps clock, randomness, network, environment, SQL and brands in their places', () =>
    expect(findMisplaced([...program, ...packages], ONE_PLACE)).toEqual([]))

  it('has files of at most 400 lines', () => {
    const long = everything.filter(({ text }) => countLines(text) > MAX_FILE_LINES)
    expect(long.map(({ path }) => path)).toEqual([])
  })

  it('opens every file with a comment about its purpose', () => {
    const silent = [...program, ...packages, ...web].filter(({ text }) => !/^(#!.*\n)?\/\/ [A-Z`]/.test(text))
    expect(silent.map(({ path }) => path)).toEqual([])
  })

  it('names files for what they do', () => {
    const bad = everything.filter(({ path }) =>
      /(^|\/)(utils?|helpers?|common|manager|misc)\.tsx?$|[A-Z]/.test(path),
    )
    expect(bad.map(({ path }) => path)).toEqual([])
  })

  it('has tests that measure no time and need no fast machine', () =>
    expect(findTimeProblems(everything.filter(isOfTests))).toEqual([]))

  it('skips no test', () => {
    const skipped = everything.filter(({ strip }) => /\b(it|test|describe)\.(skip|only|todo)\b/.test(strip()))
    expect(skipped.map(({ path }) => path)).toEqual([])
  })
})

describe('the source of the web app', () => {
  it('has no unsafe code, and one place for everything else', () =>
    expect(findMisplaced(web, ONE_PLACE_IN_WEB)).toEqual([]))
  it('imports only downwards', () => expect(findWebImportProblems(web)).toEqual([]))

  it('has pages of at most 200 lines', () => {
    const long = web.filter(({ text }) => countLines(text) > MAX_PAGE_LINES)
    expect(long.map(({ path }) => path)).toEqual([])
  })
})

describe('the rules', () => {
  it('report an upward import and an import of another resource', () => {
    expect(findImportProblems([makeFile('domain/x.ts', "import { y } from '../api/y.ts'")])).toHaveLength(1)
    expect(
      findImportProblems([makeFile('api/flows/x.ts', "import { y } from '../trails/begin.ts'")]),
    ).toHaveLength(1)
  })

  it('report an import cycle, even of types and between resources', () => {
    const graph = buildFileGraph([
      { path: 'server/src/api/a/x.ts', text: "import type { B } from '../b/y.ts'" },
      { path: 'server/src/api/a/z/x.ts', text: "import { a } from '../x.ts'" },
      { path: 'server/src/api/b/y.ts', text: "export const load = () => import('../a/z/x.ts')" },
    ])
    const [x, z, y] = [...graph.keys()]
    expect(findCycles(graph)).toEqual([`${x} → ${y} → ${z} → ${x}`])
    expect(findCycles(groupNodes(graph, getApiPart))).toEqual(['a → b → a'])
  })

  it.each([
    'let last = 0',
    'const batchers = new WeakMap<Database, Batcher>()',
    'const cache = new Map<string, string>()\nconst keep = (key: string) => cache.set(key, key)',
    'export const seen: string[] = []\nconst see = (name: string) => seen.push(name)',
    'const counts: Record<string, number> = {}\nconst count = (key: string) => (counts[key] = 1)',
  ])('report the state of a module: %s', text =>
    expect(findStateProblems([makeFile('api/flows/x.ts', text)])).toHaveLength(1),
  )

  it('report no constant of a module', () => {
    const constants =
      "const NAMES: ReadonlySet<string> = new Set(['a'])\nconst A = /a/u\nconst f = () => new Map().set(1, 2)"
    expect(findStateProblems([makeFile('api/flows/x.ts', constants)])).toEqual([])
  })

  it('report a package that imports the server, or an undeclared dependency', () => {
    const imports = "import { y } from '../../../server/src/lib/y.ts'\nimport pg from 'pg'"
    expect(findPackageImportProblems([makeFile('packages/egress/src/x.ts', imports)])).toHaveLength(2)
    const allowed = "import { y } from './y.ts'\nimport pg from 'pg'\nimport path from 'node:path'"
    expect(findPackageImportProblems([makeFile('packages/embedded-postgres/src/x.ts', allowed)])).toEqual([])
  })

  it('report a long function', () => {
    const body = 'a()\n'.repeat(MAX_FUNCTION_LINES + 1)
    expect(findFunctionProblems([makeFile('api/x.ts', `function f() {\n${body}}`)])).toHaveLength(1)
  })

  it.each([
    'const now = new Date()',
    'const id = randomUUID()',
    'const x = process.env.X',
    "await fetch('http://x')",
    "await globalThis.fetch('http://x')",
    "import { request } from 'node:https'",
    "const { connect } = await import('node:net')",
    'const rows = query(`select * from flows`)',
    'x as (insert into events (kind) values (1))',
    "const type = 'azure-apps'",
  ])('report %s', text =>
    expect(findMisplaced([makeFile('api/flows/x.ts', text)], ONE_PLACE)).toHaveLength(1),
  )

  it.each([
    '<div dangerouslySetInnerHTML={x} />',
    "localStorage.setItem('a', 'b')",
    '<a target="_blank" />',
    '<a href={repo.url} />',
    '<Button renderRoot={root} />',
    'useMutation({ mutationFn })',
  ])('report %s on a page', text =>
    expect(findMisplaced([makeFile('pages/flows/x.tsx', text)], ONE_PLACE_IN_WEB)).toHaveLength(1),
  )

  it('report a part that imports a page', () => {
    const part = makeFile('ui/x.tsx', "import { y } from '../pages/flows/y.tsx'")
    expect(findWebImportProblems([part])).toHaveLength(1)
  })
})
