// PostgreSQL describes every declared statement on the migrated schema: its parameters and columns must match the
// declaration, so the types that the code relies on are correct.
import type pg from 'pg'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import {
  bool,
  count,
  defineStatement,
  int,
  json,
  nullable,
  type Statement,
  text,
  time,
  uuid,
} from '../src/db/statement.ts'
import { startTestApp, type TestApp } from './harness.ts'
import { loadStatements } from './load-statements.ts'

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

/** The part of pg's connection that describes a statement without running it. */
interface Wire {
  parse(query: { name: string; text: string; types: [] }): void
  describe(message: { type: 'S'; name: string }): void
  sync(): void
  once(event: 'parameterDescription', listener: (message: { dataTypeIDs: number[] }) => void): void
}

let app: TestApp
let real: AnyStatement[]
beforeAll(async () => {
  app = await startTestApp()
  real = await loadStatements()
})
afterAll(() => app.stop())

describe('every statement', () => {
  it('was found', () => {
    const names = real.map(({ name }) => name)
    for (const known of ['flows.list', 'trails.begin', 'outbox.claim', 'check.trails', 'keys.touch']) {
      expect(names).toContain(known)
    }
  })

  it('matches its description by PostgreSQL', async () => {
    const types = await readTypeNames()
    const problems = []
    for (const declared of real) problems.push(...(await findProblems(declared, types)))
    expect(problems).toEqual([])
  })
})

describe('a wrong declaration is reported', () => {
  const cases: [string, AnyStatement, RegExp][] = [
    [
      'a table that does not exist',
      declareWrong({}, { name: text }, 'select name from nothing'),
      /does not exist/,
    ],
    [
      'a parameter of another type',
      declareWrong({ id: text }, {}, 'delete from flows where flow_id = :id'),
      /:id is uuid/,
    ],
    ['a column of another type', declareWrong({}, { name: int }, 'select name from flows'), /name is text/],
    [
      'a count read as a small integer',
      declareWrong({}, { n: int }, 'select count(*) as n from flows'),
      /n is int8/,
    ],
    [
      'json instead of a time',
      declareWrong({}, { at: json() }, 'select created_at as at from flows'),
      /at is timestamptz/,
    ],
    ['an extra column', declareWrong({}, { a: bool }, 'select true as a, 1 as b'), /returns a, b/],
    [
      'a column that is missing',
      declareWrong({}, { a: bool, b: count }, 'select true as a'),
      /returns a, declared a, b/,
    ],
    ['no columns at all', declareWrong({}, { a: uuid }, 'delete from flows'), /returns nothing/],
    [
      'columns that are not declared',
      declareWrong({}, {}, 'select true as a'),
      /returns a, declared nothing/,
    ],
    [
      'a column that can be null',
      declareWrong({}, { archived_at: time }, 'select archived_at from flows'),
      /archived_at can be null/,
    ],
  ]
  it.each(cases)('%s', async (_title, declared, problem) => {
    const problems = await findProblems(declared, await readTypeNames())
    expect(problems.join('\n')).toMatch(problem)
  })

  it('but a correct declaration is not', async () => {
    const types = await readTypeNames()
    const honest = declareWrong(
      { id: uuid },
      { archived_at: nullable(time), tags: json() },
      'select archived_at, tags from flows where flow_id = :id',
    )
    expect(await findProblems(honest, types)).toEqual([])
  })
})

let declared_count = 0
function declareWrong(params: AnyStatement['params'], row: AnyStatement['row'], sql: string): AnyStatement {
  declared_count += 1
  return defineStatement(`lie.${declared_count}`, params, row, sql) as AnyStatement
}

async function findProblems(declared: AnyStatement, types: Map<number, string>): Promise<string[]> {
  const described = await describeStatement(app.owner, declared.text)
  const format = (problem: string) => `${declared.name}: ${problem}`
  if (described.error) return [format(described.error.message)]
  const getTypeName = (oid: number) => types.get(oid) ?? `type ${oid}`
  const problems = [...findParameterProblems(declared, described.parameters.map(getTypeName))]
  const expected = Object.keys(declared.row)
  const returned = described.fields.map(field => field.name)
  if (list(expected.toSorted()) !== list(returned.toSorted())) {
    return [...problems, `returns ${list(returned)}, declared ${list(expected)}`].map(format)
  }
  for (const field of described.fields) {
    const column = declared.row[field.name]
    const found = getTypeName(field.dataTypeID)
    if (!column?.pg.includes(found))
      problems.push(`${field.name} is ${found}, declared ${column?.pg.join(' or ')}`)
    else if (!column.nullable && (await mayBeNull(field))) problems.push(`${field.name} can be null`)
  }
  return problems.map(format)
}

function findParameterProblems({ order, params }: AnyStatement, found: string[]): string[] {
  if (order.length !== found.length) return [`takes ${found.length} parameters, declared ${order.length}`]
  return order.flatMap((name, i) => {
    const type = found[i] ?? ''
    const wanted = params[name]?.pg ?? []
    return wanted.includes(type) ? [] : [`:${name} is ${type}, declared ${wanted.join(' or ')}`]
  })
}

/** Reads only the table definition: an outer join can still produce a null. */
async function mayBeNull({ tableID, columnID }: Field): Promise<boolean> {
  if (tableID === 0) return false
  const rows = await app.sql('select attnotnull from pg_attribute where attrelid = $1 and attnum = $2', [
    tableID,
    columnID,
  ])
  return rows[0]?.attnotnull === false
}

async function readTypeNames(): Promise<Map<number, string>> {
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
