// SQL column lists follow from one declaration.
import { describe, expect, it } from 'vitest'
import {
  allNullable,
  computed,
  pick,
  toColumnList,
  toExcludedList,
  toSelectList,
  toSetList,
  toValueList,
} from './columns.ts'
import { defineStatement, int, nullable, text, time, type Values } from './statement.ts'

const FIELDS = { description: text, interval: nullable(int) }
const STORED = { name: text, ...FIELDS }
const SHOWN = { ...STORED, last_seen_at: computed(nullable(time), 'select max(s.seen_at) from seen s') }

describe('a declaration', () => {
  it('gives the select list, with the expressions of computed columns', () => {
    expect(toSelectList('e', SHOWN)).toBe(
      'e.name, e.description, e.interval, (select max(s.seen_at) from seen s) as last_seen_at',
    )
  })

  it('gives the lists of an insert, in the same order', () => {
    expect(toColumnList(STORED)).toBe('name, description, interval')
    expect(toValueList(STORED)).toBe(':name, :description, :interval')
  })

  it('gives the assignments of an update', () => {
    expect(toSetList(FIELDS)).toBe('description = :description, interval = :interval')
  })

  it('gives the assignments of an upsert', () => {
    expect(toExcludedList(FIELDS)).toBe('description = excluded.description, interval = excluded.interval')
  })

  it('gives the row of an outer join', () => {
    expect(allNullable(FIELDS)).toEqual({ description: nullable(text), interval: nullable(int) })
    expect(toSelectList('e', allNullable(pick(SHOWN, 'last_seen_at')))).toContain('as last_seen_at')
  })

  it('gives the types of parameters and rows', () => {
    const insert = defineStatement(
      'test.columns',
      STORED,
      SHOWN,
      `insert into e (${toColumnList(STORED)}) values (${toValueList(STORED)}) returning ${toSelectList('e', SHOWN)}`,
    )
    const fields: Values<typeof FIELDS> = { description: '', interval: null }
    expect(insert.order).toEqual(['name', ...Object.keys(fields)])
  })

  it('is narrowed by name', () => {
    expect(pick(SHOWN, 'interval', 'name')).toEqual({ interval: nullable(int), name: text })
    expect(toSelectList('e', pick(SHOWN, 'interval', 'name'))).toBe('e.interval, e.name')
    expect(toSelectList('e', pick(SHOWN, 'last_seen_at'))).toContain('as last_seen_at')
  })
})

describe('a computed column', () => {
  it.each([toColumnList, toValueList, toSetList, toExcludedList])('is not written by %o', toList => {
    expect(() => toList(SHOWN)).toThrow('Computed columns cannot be written: last_seen_at')
  })
})
