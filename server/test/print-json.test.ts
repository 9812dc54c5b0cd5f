// The bytes of stored JSON are known before it is stored: we serialize it as PostgreSQL does.
import fc from 'fast-check'
import { beforeAll, describe, expect, it } from 'vitest'
import { printJson } from '../src/domain/log/print-json.ts'
import { startTestApp, type TestApp } from './harness.ts'

let app: TestApp
beforeAll(async () => {
  app = await startTestApp()
  return () => app.stop()
})

async function printByPostgres(values: readonly unknown[]): Promise<string[]> {
  const rows = await app.sql(
    'select v::text as printed from jsonb_array_elements($1::jsonb) with ordinality i(v, n) order by n',
    [JSON.stringify(values)],
  )
  return rows.map(({ printed }) => String(printed))
}

describe('JSON is serialized as PostgreSQL does it', () => {
  it.each([
    ['keys of several lengths', { b: 1, a: 2, ccc: 3, bb: 4, '': 5 }],
    ['keys that differ in bytes and characters', { é: 1, zz: 2, z: 3, '😀': 4, '￮￮': 5, '￮a': 6 }],
    [
      'large and small numbers',
      [1e21, 1.5e300, 1e-7, 1.25e-9, -3e-10, 123456789012345680000, 0.1, -0, 5e-324],
    ],
    ['characters with escapes', '\b\f\n\r\t"\\/\u0001\u001f\u007f\u2028€'],
    ['nothing', [null, [], {}, '', [[]], [{}]]],
    ['a moment', { at: new Date(0) }],
    ['an absent value', { a: undefined, b: [undefined] }],
  ])('%s', async (_, value) => {
    expect([printJson(value)]).toEqual(await printByPostgres([value]))
  })

  it('any value', async () => {
    const value = fc.jsonValue({ noUnicodeString: false, maxDepth: 4 })
    await fc.assert(
      fc.asyncProperty(fc.array(value, { minLength: 20, maxLength: 40 }), async values => {
        const storable = values.filter(
          one => !JSON.stringify(one).includes('\\u0000') && !/\\ud[89a-f]/.test(JSON.stringify(one)),
        )
        expect(storable.map(printJson)).toEqual(await printByPostgres(storable))
      }),
      { numRuns: 100 },
    )
  })
})
