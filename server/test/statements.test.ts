// Every declared statement is put before PostgreSQL on the migrated schema: the declared parameters and columns must
// be the ones PostgreSQL finds, so that the types the code relies on cannot lie.
import { readdirSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { pathToFileURL } from 'node:url'
import type pg from 'pg'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import {
  bool,
  count,
  declaredStatements,
  defineStatement,
  int,
  json,
  nullable,
  type Statement,
  text,
  time,
  uuid,
} from '../src/db/statement.ts'
import { packageRoot } from '../src/lib/package-root.ts'
import { type TestApp, testApp } from './harness.ts'

type AnyStatement = Statement<unknown, unknown>

interface Field {
  name: string
  dataTypeID: number
  tableID: number
  columnID: number
}

interface Description {
  parameters: number[]
  fields: Field[]
  error: Error | undefined
}

/** The part of pg's own connection that asks for a description without running anything. */
interface Wire {
  parse(query: { name: string; text: string; types: [] }): void
  describe(message: { type: 'S'; name: string }): void
  sync(): void
  once(event: 'parameterDescription', listener: (message: { dataTypeIDs: number[] }) => void): void
}

let app: TestApp
let real: AnyStatement[]
beforeAll(async () => {
  app = await testApp()
  await loadStores()
  // Tests declare some of their own, and which of them ran before in this worker is anybody's guess.
  real = declaredStatements.filter(({ name }) => !/^(lie|test)\./.test(name))
})
afterAll(() => app.stop())

/** Every source file that declares a statement, whoever imports it: none can be forgotten. */
async function loadStores(): Promise<void> {
  const folder = join(packageRoot, 'src')
  for (const entry of readdirSync(folder, { recursive: true, encoding: 'utf8' })) {
    const file = join(folder, entry)
    if (!entry.endsWith('.ts') || entry.endsWith('.test.ts')) continue
    if (/= defineStatement\(/.test(readFileSync(file, 'utf8'))) await import(pathToFileURL(file).href)
  }
}

describe('every statement', () => {
  it('was found', () => {
    const names = real.map(({ name }) => name)
    for (const known of ['flows.list', 'trails.begin', 'outbox.claim', 'check.trails', 'keys.touch']) {
      expect(names).toContain(known)
    }
  })

  it('is what PostgreSQL says it is', async () => {
    const types = await typeNames()
    const problems = []
    for (const declared of real) problems.push(...(await problemsOf(declared, types)))
    expect(problems).toEqual([])
  })
})

describe('a statement that lies is reported', () => {
  const cases: [string, AnyStatement, RegExp][] = [
    ['a table that is not there', lie({}, { name: text }, 'select name from nothing'), /does not exist/],
    [
      'a parameter of another type',
      lie({ id: text }, {}, 'delete from flows where flow_id = :id'),
      /:id is uuid/,
    ],
    ['a column of another type', lie({}, { name: int }, 'select name from flows'), /name is text/],
    ['a count read as a small integer', lie({}, { n: int }, 'select count(*) as n from flows'), /n is int8/],
    [
      'json where time is',
      lie({}, { at: json() }, 'select created_at as at from flows'),
      /at is timestamptz/,
    ],
    ['a column too many', lie({}, { a: bool }, 'select true as a, 1 as b'), /returns a, b/],
    [
      'a column that is missing',
      lie({}, { a: bool, b: count }, 'select true as a'),
      /returns a, declared a, b/,
    ],
    ['no columns at all', lie({}, { a: uuid }, 'delete from flows'), /returns nothing/],
    ['columns where none are', lie({}, {}, 'select true as a'), /returns a, declared nothing/],
    [
      'a column that can be null',
      lie({}, { archived_at: time }, 'select archived_at from flows'),
      /archived_at can be null/,
    ],
  ]
  it.each(cases)('%s', async (_title, declared, problem) => {
    const problems = await problemsOf(declared, await typeNames())
    expect(problems.join('\n')).toMatch(problem)
  })

  it('and the same statements told truly are not', async () => {
    const types = await typeNames()
    const honest = lie(
      { id: uuid },
      { archived_at: nullable(time), tags: json() },
      'select archived_at, tags from flows where flow_id = :id',
    )
    expect(await problemsOf(honest, types)).toEqual([])
  })
})

let lies = 0
function lie(params: AnyStatement['params'], row: AnyStatement['row'], sql: string): AnyStatement {
  lies += 1
  return defineStatement(`lie.${lies}`, params, row, sql) as AnyStatement
}

async function problemsOf(declared: AnyStatement, types: Map<number, string>): Promise<string[]> {
  const described = await describeStatement(app.owner, declared.text)
  const say = (problem: string) => `${declared.name}: ${problem}`
  if (described.error) return [say(described.error.message)]
  const nameOf = (oid: number) => types.get(oid) ?? `type ${oid}`
  const problems = [...parameterProblems(declared, described.parameters.map(nameOf))]
  const expected = Object.keys(declared.row)
  const returned = described.fields.map(field => field.name)
  if (list(expected.toSorted()) !== list(returned.toSorted())) {
    return [...problems, `returns ${list(returned)}, declared ${list(expected)}`].map(say)
  }
  for (const field of described.fields) {
    const column = declared.row[field.name]
    const found = nameOf(field.dataTypeID)
    if (!column?.pg.includes(found))
      problems.push(`${field.name} is ${found}, declared ${column?.pg.join(' or ')}`)
    else if (!column.nullable && (await mayBeNull(field))) problems.push(`${field.name} can be null`)
  }
  return problems.map(say)
}

function parameterProblems({ order, params }: AnyStatement, found: string[]): string[] {
  if (order.length !== found.length) return [`takes ${found.length} parameters, declared ${order.length}`]
  return order.flatMap((name, i) => {
    const type = found[i] ?? ''
    const wanted = params[name]?.pg ?? []
    return wanted.includes(type) ? [] : [`:${name} is ${type}, declared ${wanted.join(' or ')}`]
  })
}

/** Only what the table itself says: an outer join can still bring a null that nobody announces. */
async function mayBeNull({ tableID, columnID }: Field): Promise<boolean> {
  if (tableID === 0) return false
  const rows = await app.sql('select attnotnull from pg_attribute where attrelid = $1 and attnum = $2', [
    tableID,
    columnID,
  ])
  return rows[0]?.attnotnull === false
}

async function typeNames(): Promise<Map<number, string>> {
  const rows = await app.sql('select oid::int as oid, typname from pg_type')
  return new Map(rows.map(row => [Number(row.oid), String(row.typname)]))
}

function list(names: string[]): string {
  return names.join(', ') || 'nothing'
}

function describeStatement(client: pg.Client, sql: string): Promise<Description> {
  return new Promise(resolve => {
    const found: Description = { parameters: [], fields: [], error: undefined }
    const question = {
      submit: (wire: Wire) => {
        wire.once('parameterDescription', message => {
          found.parameters = message.dataTypeIDs
        })
        wire.parse({ name: '', text: sql, types: [] })
        wire.describe({ type: 'S', name: '' })
        wire.sync()
      },
      handleRowDescription: (message: { fields: Field[] }) => {
        found.fields = message.fields
      },
      handleError: (error: Error) => {
        found.error = error
        resolve(found)
      },
      handleReadyForQuery: () => resolve(found),
    }
    client.query(question as unknown as pg.Submittable)
  })
}
