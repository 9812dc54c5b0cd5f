// The database computes the node of an interval in the same way as the program.
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { computeIntervalNode } from '../src/domain/snapshot/tree.ts'
import { startTestApp, type TestApp } from './harness.ts'

const MAX_INDEX = 2 ** 31 - 1

let app: TestApp
beforeAll(async () => {
  app = await startTestApp()
})
afterAll(() => app.stop())

describe('the node of an interval', () => {
  it('is the same in the database and in the program', async () => {
    const numbers = [
      ...Array.from({ length: 40 }, (_, i) => i + 1),
      1_000,
      65_535,
      65_536,
      2 ** 30,
      MAX_INDEX,
    ]
    const intervals = numbers.flatMap(first =>
      numbers.filter(last => last >= first).map(last => [first, last]),
    )
    const read = await app.sql(
      'select interval_node(first, last) as node from unnest($1::int[], $2::int[]) as i(first, last)',
      [intervals.map(([first]) => first), intervals.map(([, last]) => last)],
    )
    expect(read.map(({ node }) => node)).toEqual(
      intervals.map(([first = 0, last = 0]) => computeIntervalNode(first, last)),
    )
  })

  it('is unknown while the interval is open', async () =>
    expect(await app.sql('select interval_node(1, null) as node')).toEqual([{ node: null }]))
})
