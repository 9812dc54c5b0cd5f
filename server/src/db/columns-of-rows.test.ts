// Rows written as arrays are read by PostgreSQL as they were given, whatever the texts contain.
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

describe('the columns of rows', () => {
  it('are read as they were given', async () => {
    const rows = [...ODD, null].map((text, i) => ({
      text,
      number: i % 2 === 0 ? i : null,
      flag: i % 3 === 0 ? null : i % 3 === 1,
      list: ODD.slice(0, i),
    }))
    const { text, number, flag, list } = await toColumns(['text', 'number', 'flag', 'list'], rows)
    const read = await app.sql(
      `select r.text, r.number, r.flag, r.list::text[] as list
       from unnest($1::text[], $2::int[], $3::boolean[], $4::text[]) as r(text, number, flag, list)`,
      [text, number, flag, list],
    )
    expect(read).toEqual(rows)
  })

  it('are empty without rows', async () => expect(await toColumns(['text'], [])).toEqual({ text: '{}' }))
})
