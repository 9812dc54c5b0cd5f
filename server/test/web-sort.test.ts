// How the web app's tables order their rows.
import { describe, expect, it } from 'vitest'
import { type Column, flipSort, type Sort, sortRows } from '../../web/src/ui/sort-rows.ts'

interface Row {
  name: string
  size: number | null
}

const ROWS: Row[] = [
  { name: 'release-10', size: 2 },
  { name: 'Release-9', size: null },
  { name: 'release-1', size: 10 },
  { name: 'beta', size: 2 },
]
const COLUMNS: Column<Row>[] = [
  { title: 'Name', sortBy: ({ name }) => name, render: ({ name }) => name },
  { title: 'Size', sortBy: ({ size }) => size, render: ({ size }) => size },
  { title: 'Note', render: () => null },
]

describe('the rows of a table', () => {
  it.each<[string, Sort | undefined, string[]]>([
    ['keep their order', undefined, ['release-10', 'Release-9', 'release-1', 'beta']],
    [
      'read numbers inside names',
      { key: 'Name', order: 'ascending' },
      ['beta', 'release-1', 'Release-9', 'release-10'],
    ],
    [
      'are turned around',
      { key: 'Name', order: 'descending' },
      ['release-10', 'Release-9', 'release-1', 'beta'],
    ],
    [
      'keep their order if they are equal',
      { key: 'Size', order: 'ascending' },
      ['release-10', 'beta', 'release-1', 'Release-9'],
    ],
    [
      'without a value come last either way',
      { key: 'Size', order: 'descending' },
      ['release-1', 'release-10', 'beta', 'Release-9'],
    ],
    [
      'keep their order by a column that does not sort',
      { key: 'Note', order: 'ascending' },
      ['release-10', 'Release-9', 'release-1', 'beta'],
    ],
  ])('%s', (_, sort, names) => expect(sortRows(ROWS, COLUMNS, sort).map(({ name }) => name)).toEqual(names))
})

describe('a click on the head of a column', () => {
  it('starts with the first order of the column', () => {
    expect(flipSort(undefined, 'Name')).toEqual({ key: 'Name', order: 'ascending' })
    expect(flipSort({ key: 'Name', order: 'ascending' }, 'Size', 'descending')).toEqual({
      key: 'Size',
      order: 'descending',
    })
  })

  it('reverses the order the next time', () =>
    expect(flipSort({ key: 'Name', order: 'ascending' }, 'Name', 'ascending')).toEqual({
      key: 'Name',
      order: 'descending',
    }))
})
