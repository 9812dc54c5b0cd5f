// biome-ignore-all lint/suspicious/noTemplateCurlyInString: the examples are source code
// The rule of CONTRIBUTING.md for the tests of an operation: test files in its own folder request it, and expect a
// success and a refusal. Looks only at the source of the tests: a request counts if method and path can be the
// operation's.
import { readdirSync, readFileSync } from 'node:fs'
import { dirname, join, relative } from 'node:path'
import { fileURLToPath, pathToFileURL } from 'node:url'
import { describe, expect, it } from 'vitest'
import type { Contract } from '../src/api/operation.ts'
import { operations } from '../src/api/operations.ts'
import { groupBy } from '../src/lib/group-by.ts'
import { isRequested, readTestSource, type TestSource } from './requests-in-tests.ts'

const SUCCESSES = [200, 201, 202]
const REFUSALS = [400, 401, 403, 404, 409, 410, 413, 415, 422, 429]

const api = join(dirname(dirname(fileURLToPath(import.meta.url))), 'src', 'api')
const files = readdirSync(api, { recursive: true, withFileTypes: true })
  .filter(entry => entry.isFile() && entry.name.endsWith('.ts'))
  .map(entry => ({ folder: entry.parentPath, path: join(entry.parentPath, entry.name) }))
const isTest = ({ path }: { path: string }) => path.endsWith('.test.ts')

interface PlacedOperation {
  id: string
  contract: Contract
  /** The folder of the file that defines it. */
  folder: string
}

async function listPlacedOperations(): Promise<PlacedOperation[]> {
  const placed: PlacedOperation[] = []
  for (const file of files.filter(one => !isTest(one))) {
    if (!/\bdefine(Operation|Archiving)\(/.test(readFileSync(file.path, 'utf8'))) continue
    const exported: unknown[] = Object.values(await import(pathToFileURL(file.path).href)).flat()
    for (const { contract } of operations.filter(operation => exported.includes(operation))) {
      placed.push({ id: contract.id, contract, folder: file.folder })
    }
  }
  return placed
}

function findUntested({ id, contract, folder }: PlacedOperation, sources: readonly TestSource[]): string[] {
  const { method, path } = contract
  const requesting = sources.filter(source => isRequested(contract, source))
  const where = `${id}: no test file in api/${relative(api, folder)}`
  if (requesting.length === 0) return [`${where} sends ${method} ${path}`]
  const isExpected = (statuses: number[]) =>
    requesting.some(({ numbers }) => statuses.some(status => numbers.has(status)))
  return [
    ...(isExpected(contract.unimplemented ? [501] : SUCCESSES)
      ? []
      : [`${where} that sends ${method} ${path} expects a success`]),
    ...(isExpected(REFUSALS) ? [] : [`${where} that sends ${method} ${path} expects a refusal`]),
  ]
}

describe('every operation', () => {
  it('is tested in its folder, with a success and a refusal', async () => {
    const placed = await listPlacedOperations()
    expect(placed.map(({ id }) => id).sort()).toEqual(operations.map(({ contract }) => contract.id).sort())
    const problems = [...groupBy(placed, ({ folder }) => folder)].flatMap(([folder, inside]) => {
      const tests = files.filter(file => file.folder === folder && isTest(file))
      const sources = tests.map(file => readTestSource(readFileSync(file.path, 'utf8')))
      return inside.flatMap(operation => findUntested(operation, sources))
    })
    expect(problems).toEqual([])
  })
})

describe('a request', () => {
  const NOTE = { method: 'PUT', path: '/notes/{org}/{name}/archive' } as const
  const isFoundIn = (text: string) => isRequested(NOTE, readTestSource(text))

  it.each([
    "app.member.put('/notes/acme/one/archive', null)",
    'app.member.put(`/notes/acme/${name}/archive?x=1`)',
    "app.member.call('PUT', '/notes/acme/one/archive')",
    "browser.send('PUT', '/api/v2/notes/acme/one/archive')",
    "const NOTES = '/notes/acme'; app.member.put(`${NOTES}/one/archive`)",
    'const toPath = (name: string) => `/notes/acme/${name}`; app.member.put(`${toPath("one")}/archive`)',
    'const move = (way: string) => app.member.put(`/notes/acme/one/${way}`); move("archive")',
    "it.each(['/notes/acme/one/archive'])('%s', path => app.member.put(path))",
  ])('counts: %s', text => expect(isFoundIn(text)).toBe(true))

  it.each([
    ['another method', "app.member.get('/notes/acme/one/archive')"],
    ['a shorter path', "app.member.put('/notes/acme/one')"],
    ['a longer path', "app.member.put('/notes/acme/one/archive/again')"],
    ['another word', "app.member.put('/notes/acme/one/unarchive')"],
    ['another resource', "app.member.put('/flows/acme/one/archive')"],
    ['a word that is nowhere in the file', 'app.member.put(`/notes/acme/one/${way}`)'],
    ['a path that is not requested', "const PATH = '/notes/acme/one/archive'"],
  ])('does not count: %s', (_, text) => expect(isFoundIn(text)).toBe(false))
})
