import { describe, expect, it } from 'vitest'
import { comparePolicies } from './changes.ts'

/** Each policy with its version, such as `a1 b2`. */
const read = (text: string) =>
  text
    .split(' ')
    .filter(each => each !== '')
    .map(each => ({ policy_id: each.slice(0, 1), version: Number(each.slice(1)) }))

describe('the changes between two snapshots', () => {
  it.each([
    ['', '', []],
    ['', 'a1', [['attached', 'a', 1, null]]],
    ['a1', 'a1', []],
    ['a1', 'a2', [['updated', 'a', 2, 1]]],
    ['a2', '', [['detached', 'a', null, 2]]],
    ['a1 b1', 'b1 a1', []],
    [
      'a1 b1',
      'c4 b2',
      [
        ['attached', 'c', 4, null],
        ['updated', 'b', 2, 1],
        ['detached', 'a', null, 1],
      ],
    ],
  ])('from [%s] to [%s] are %j', (before, after, expected) => {
    expect(
      comparePolicies(read(before), read(after)).map(change => [
        change.change,
        change.policy_id,
        change.version,
        change.previous_version,
      ]),
    ).toEqual(expected)
  })
})
