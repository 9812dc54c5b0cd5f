// PostgreSQL reads rows written as arrays exactly as they were given, whatever the texts contain.
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { startTestApp, type TestApp } from '../../test/harness.ts'
import { toColumns } from './columns-of-rows.ts'

let app: TestApp
beforeAll(async () => {
  app = await startTestApp()
})
afterAll(() => app.stop())

const ODD = [
  '',
  ' ',
  'NULL',
  'null',
  '{}',
  '{"a"}',
  ',',
  '"',
  '\\',
  '\\"',
  "'",
  'a\nb\tc',
  'ü 😀',
  '{"a":"\\"b\\\\"}',
]

const KINDS = {
  text: 'text',
  number: 'int',
  flag: 'bool',
  list: 'list',
  float: 'float',
  id: 'uuid',
  document: 'json',
} as const
const SELECT = `select r.text, r.number, r.flag, r.list::text[] as list, r.float, r.id, r.document
  from unnest($1::text[], $2::int[], $3::boolean[], $4::text[], $5::float8[], $6::uuid[], $7::json[])
    as r(text, number, flag, list, float, id, document)`

describe('the columns of rows', () => {
  it('are read as they were given', async () => {
    const rows = [...ODD, null].map((text, i) => ({
      text,
      number: i % 2 === 0 ? i : null,
      flag: i % 3 === 0 ? null : i % 3 === 1,
      list: ODD.slice(0, i),
      float: i === 1 ? null : i / 3,
      id: i === 2 ? null : `0192${i.toString(16).padStart(4, '0')}-0000-7000-8000-000000000000`,
      document: i === 3 ? null : JSON.stringify({ text }),
    }))
    const columns = await toColumns(KINDS, rows)
    const read = await app.sql(SELECT, Object.values(columns))
    expect(read.map(row => ({ ...row, document: row.document && JSON.stringify(row.document) }))).toEqual(
      rows,
    )
  })

  it('are read as they were given if they are long', async () => {
    const rows = Array.from({ length: 3 }, (_, i) => ({ text: '😀'.repeat(20_000 + i) }))
    const { text } = await toColumns({ text: 'text' }, rows)
    expect(await app.sql('select r.text from unnest($1::text[]) as r(text)', [text])).toEqual(rows)
  })

  it('have bytes as they were given in hexadecimal', async () => {
    const rows = ['', '00ff', 'ab'.repeat(100)].map(text => ({ text }))
    const { text } = await toColumns({ text: 'bytes' }, rows)
    const read = await app.sql("select encode(r.bytes, 'hex') as text from unnest($1::bytea[]) as r(bytes)", [
      text,
    ])
    expect(read).toEqual(rows)
  })

  it('are empty without rows', async () => {
    expect(await app.sql(SELECT, Object.values(await toColumns(KINDS, [])))).toEqual([])
  })
})
