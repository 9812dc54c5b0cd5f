// Whose work counts as whose.
import { describe, expect, it } from 'vitest'
import { type AccountHands, type Actor, listNamesOfSameHands } from './standing-behind.ts'

const account = (name: string, owner_name: string | null, ...key_makers: string[]): AccountHands => ({
  name,
  owner_name,
  key_makers,
})
const ACCOUNTS = [
  account('scanner', 'max', 'max'),
  account('handed-over', 'eve', 'max', 'eve'),
  account('ours', null, 'ada'),
  account('maker', 'max', 'max'),
  account('made', null, 'maker'),
  account('nobodys', null),
]
const person = (name: string): Actor => ({ name, kind: 'user' })
const robot = (name: string): Actor => ({ name, kind: 'service_account' })

describe('the names whose work is the own work', () => {
  it.each([
    [
      'of an owner, a maker of keys, and the owner of a maker',
      person('max'),
      ['handed-over', 'made', 'maker', 'scanner'],
    ],
    ['of a present owner', person('eve'), ['handed-over']],
    ['of whoever made the key of an account that the organization owns', person('ada'), ['ours']],
    ['of a person without service accounts', person('kay'), []],
    [
      'of a service account: its people and what else they stand behind',
      robot('scanner'),
      ['handed-over', 'made', 'maker', 'max'],
    ],
    ['of an account that another one made', robot('made'), ['handed-over', 'maker', 'max', 'scanner']],
    ['of an account that nobody stands behind', robot('nobodys'), []],
    ['of a CI job', { name: 'ci:deploy', kind: 'ci_job' } as const, []],
  ])('%s', (_, actor, others) => {
    const [first, ...rest] = listNamesOfSameHands(actor, ACCOUNTS)
    expect(first).toBe(actor.name)
    expect(rest.sort()).toEqual(others)
  })

  it('of a person are not those of an account with the same name', () => {
    const accounts = [account('max', 'eve'), account('scanner', 'eve')]
    expect(listNamesOfSameHands(person('max'), accounts)).toEqual(['max'])
    expect(listNamesOfSameHands(person('eve'), accounts)).toEqual(['eve', 'max', 'scanner'])
  })

  it('include every account that had the name', () => {
    const accounts = [account('bot', 'max'), account('bot', 'eve')]
    expect(listNamesOfSameHands(person('max'), accounts)).toEqual(['max', 'bot'])
    expect(listNamesOfSameHands(person('eve'), accounts)).toEqual(['eve', 'bot'])
  })

  it('are found although accounts made keys of each other', () => {
    const accounts = [account('a', null, 'b'), account('b', 'max', 'a')]
    expect(listNamesOfSameHands(person('max'), accounts).sort()).toEqual(['a', 'b', 'max'])
  })
})
