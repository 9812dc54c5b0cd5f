// Filters on sample resources: what they accept, what they reject, and that no input makes them slow.

import { type Counted, loadCounted } from '@waybill/testing/steps'
import { beforeAll, describe, expect, it } from 'vitest'
import { GROUP, USER } from './attributes.ts'
import { parseFilter } from './filter.ts'
import { matches } from './match.ts'
import { ScimProblem } from './problems.ts'
import type { Values } from './values.ts'

const ENTERPRISE = 'urn:ietf:params:scim:schemas:extension:enterprise:2.0:User'

const PEOPLE: Values[] = [
  {
    id: '1',
    userName: 'Ann@example.com',
    externalId: 'Ext-1',
    active: true,
    name: { familyName: 'Archer', givenName: 'Ann' },
    emails: [
      { value: 'ann@example.com', type: 'work', primary: true },
      { value: 'ann@home.example', type: 'home' },
    ],
    [ENTERPRISE]: { department: 'Ships', manager: { value: '2' } },
    meta: { created: '2026-03-01T00:00:00.000Z' },
  },
  {
    id: '2',
    userName: 'bob',
    externalId: 'ext-2',
    active: false,
    name: { familyName: 'Baker "the bread"' },
    emails: [{ value: 'bob@example.com', type: 'home' }],
    meta: { created: '2026-03-05T00:00:00.000Z' },
  },
  { id: '3', userName: 'cy)', active: true, meta: { created: '2026-03-09T00:00:00.000Z' } },
]

const findMatching = (text: string) => {
  const filter = parseFilter(USER, text)
  return PEOPLE.filter(one => matches(filter, one))
    .map(({ id }) => id)
    .join('')
}

describe('a filter accepts', () => {
  it.each([
    ['userName eq "ann@EXAMPLE.com"', '1'],
    ['username Eq "ann@example.com"', '1'],
    ['userName ne "bob"', '13'],
    ['externalId eq "Ext-1"', '1'],
    ['externalId eq "ext-1"', ''],
    ['externalId pr', '12'],
    ['not (externalId pr)', '3'],
    ['externalId eq null', '3'],
    ['externalId ne null', '12'],
    ['active eq true', '13'],
    ['active eq "False"', '2'],
    ['active eq True and userName sw "a"', '1'],
    ['userName co "B"', '2'],
    ['userName ew ".com"', '1'],
    ['userName eq "cy)"', '3'],
    ['(userName eq "cy)") or userName eq "bob"', '23'],
    ['name.familyName eq "Baker \\"the bread\\""', '2'],
    ['emails co "example.com"', '12'],
    ['emails.value eq "ANN@home.example"', '1'],
    ['emails[type eq "home" and value co "@home"]', '1'],
    ['emails[type eq "work"].value eq "ann@example.com"', '1'],
    ['emails[type eq "work"] eq "ann@example.com"', '1'],
    ['emails[type eq "work"].value eq "ann@home.example"', ''],
    ['emails[not (type eq "work")]', '12'],
    ['not (userName eq "bob" or userName eq "cy)")', '1'],
    ['not (userName eq "bob" and active eq true)', '123'],
    ['userName eq "bob" or userName eq "cy)" and active eq false', '2'],
    ['((userName eq "bob") or ((userName eq "cy)")))', '23'],
    ['meta.created gt "2026-03-04T00:00:00Z"', '23'],
    ['meta.created le "2026-03-05T01:00:00+01:00"', '12'],
    [`${ENTERPRISE}:department eq "ships"`, '1'],
    [`${ENTERPRISE}:manager.value eq "2"`, '1'],
    ['urn:ietf:params:scim:schemas:core:2.0:User:userName eq "bob"', '2'],
    ['  userName   eq "bob"  ', '2'],
    ['userName eq "\\u0062ob"', '2'],
  ])('%s', (text, expected) => expect(findMatching(text)).toBe(expected))

  it('members of a group', () => {
    const filter = parseFilter(GROUP, 'members[value eq "7"] and displayName sw "w"')
    expect(matches(filter, { displayName: 'Waybill', members: [{ value: '7' }] })).toBe(true)
    expect(matches(filter, { displayName: 'Waybill', members: [{ value: '8' }] })).toBe(false)
  })
})

describe('a filter refuses', () => {
  it.each([
    '',
    'userName',
    'userName eq',
    'userName is "bob"',
    'userName eq bob',
    'userName eq "bob',
    'userName eq "bob" and',
    'userName eq "bob" userName',
    '(userName eq "bob"',
    'userName eq "bob")',
    'emails[type eq "work"',
    'emails[type eq "work"].nothing eq "x"',
    'noSuchAttribute eq "x"',
    'password eq "x"',
    'userName eq 5',
    'active eq "perhaps"',
    'name eq "x"',
    'meta.created gt "soon"',
    'userName eq "\\u0000"',
    'and and and',
    '"userName" eq "bob"',
    `${'('.repeat(100)}userName pr${')'.repeat(100)}`,
    `${'not '.repeat(100)}userName pr`,
  ])('%j', text => {
    let problem: unknown
    try {
      parseFilter(USER, text)
    } catch (error) {
      problem = error
    }
    expect(problem).toBeInstanceOf(ScimProblem)
    expect(problem).toMatchObject({ status: 400, scim_type: 'invalidFilter' })
  })
})

let counted: Counted<typeof import('./filter.ts')>
beforeAll(async () => {
  counted = await loadCounted(new URL('./filter.ts', import.meta.url))
})

it.each([
  `userName eq "${'\n'.repeat(4000)}`,
  `userName eq "${'\\'.repeat(4001)}`,
  `${'('.repeat(4000)}`,
  `${' '.repeat(4000)}"`,
])('no text keeps it busy', text => {
  const { module, stepsOf } = counted
  const parse = () => expect(() => module.parseFilter(USER, text)).toThrow()
  expect(stepsOf(parse)).toBeLessThan(100 + 2 * text.length)
})
