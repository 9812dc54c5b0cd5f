import { expect, it } from 'vitest'
import { listVersionChanges, type TypeVersion } from './version.ts'

const plain: TypeVersion = {
  type_schema: { type: 'object', required: ['a', 'b'] },
  rules: ['.a > 1', '.b'],
  summary: [
    { name: 'A', expression: '.a' },
    { name: 'B', expression: '.b' },
  ],
}

it.each<[string, Partial<TypeVersion>, string[]]>([
  ['nothing changes', {}, []],
  ['keys of the schema in another order', { type_schema: { required: ['a', 'b'], type: 'object' } }, []],
  [
    'an order inside the schema that counts',
    { type_schema: { type: 'object', required: ['b', 'a'] } },
    ['type_schema'],
  ],
  ['another schema', { type_schema: { type: 'array' } }, ['type_schema']],
  ['no schema any more', { type_schema: null }, ['type_schema']],
  ['rules in another order', { rules: ['.b', '.a > 1'] }, ['rules']],
  ['a rule more', { rules: ['.a > 1', '.b', '.c'] }, ['rules']],
  ['no rules any more', { rules: null }, ['rules']],
  [
    'another expression',
    {
      summary: [
        { name: 'A', expression: '.a' },
        { name: 'B', expression: '.c' },
      ],
    },
    ['summary'],
  ],
  ['no summary any more', { summary: null }, ['summary']],
  ['everything', { type_schema: null, rules: null, summary: null }, ['rules', 'summary', 'type_schema']],
])('%s', (_, change, changes) => {
  expect(listVersionChanges(plain, { ...plain, ...change })).toEqual(changes)
})

it('is not changed by saying nothing twice', () => {
  const nothing: TypeVersion = { type_schema: null, rules: null, summary: null }
  expect(listVersionChanges(nothing, { ...nothing })).toEqual([])
})
