// PATCH on sample resources: the requirements of RFC 7644, and the variants that Entra sends.
import { describe, expect, it } from 'vitest'
import { GROUP, type ResourceType, USER } from './attributes.ts'
import { applyPatch, PATCH_SCHEMA } from './patch.ts'
import type { Values } from './values.ts'

const ENTERPRISE = 'urn:ietf:params:scim:schemas:extension:enterprise:2.0:User'
const WORK = { value: 'ann@example.com', type: 'work', primary: true }
const HOME = { value: 'ann@home.example', type: 'home' }
const ANN: Values = { userName: 'ann', active: true, name: { givenName: 'Ann' }, emails: [WORK, HOME] }

const patch = (type: ResourceType, resource: Values, ...Operations: unknown[]) =>
  applyPatch(type, resource, { schemas: [PATCH_SCHEMA], Operations })

describe('a user', () => {
  it.each<[string, unknown, Values]>([
    ['replaces', { op: 'replace', path: 'userName', value: 'anne' }, { userName: 'anne' }],
    ['replaces in capitals', { op: 'Replace', path: 'USERNAME', value: 'anne' }, { userName: 'anne' }],
    ['reads booleans in quotes', { op: 'Replace', path: 'active', value: 'False' }, { active: false }],
    [
      'needs no path',
      { op: 'replace', value: { active: 'false', title: 'Dr' } },
      { active: false, title: 'Dr' },
    ],
    [
      'takes paths for names without a path',
      { op: 'Add', value: { 'name.familyName': 'Archer', [`${ENTERPRISE}:department`]: 'Ships' } },
      { name: { givenName: 'Ann', familyName: 'Archer' }, [ENTERPRISE]: { department: 'Ships' } },
    ],
    [
      'passes over what is unknown or read-only without a path',
      { op: 'add', value: { id: '7', groups: [], meta: {}, favouriteColour: 'red', title: 'Dr' } },
      { title: 'Dr' },
    ],
    [
      'changes one value of a list',
      { op: 'replace', path: 'emails[type eq "work"].value', value: 'new@example.com' },
      { emails: [{ ...WORK, value: 'new@example.com' }, HOME] },
    ],
    [
      'makes a value of a list that is not there yet',
      { op: 'Add', path: 'phoneNumbers[type eq "mobile"].value', value: '123' },
      { phoneNumbers: [{ type: 'mobile', value: '123' }] },
    ],
    [
      'makes it on replacing as well',
      { op: 'Replace', path: 'emails[type eq "other" and primary eq "False"].value', value: 'o@example.com' },
      { emails: [WORK, HOME, { type: 'other', primary: false, value: 'o@example.com' }] },
    ],
    [
      'takes a bare value',
      { op: 'add', path: 'emails', value: 'x@example.com' },
      {
        emails: [WORK, HOME, { value: 'x@example.com' }],
      },
    ],
    ['removes values by filter', { op: 'remove', path: 'emails[type eq "home"]' }, { emails: [WORK] }],
    [
      'removes values by value',
      { op: 'Remove', path: 'emails', value: [{ type: 'home' }] },
      { emails: [WORK] },
    ],
    [
      'removes a part of values',
      { op: 'remove', path: 'emails[type eq "work"].primary' },
      {
        emails: [{ value: WORK.value, type: 'work' }, HOME],
      },
    ],
    ['does not mind removing what is not there', { op: 'remove', path: 'emails[type eq "other"]' }, {}],
    ['does not add what is there', { op: 'add', path: 'emails', value: [HOME] }, {}],
    [
      'has one primary value',
      { op: 'add', path: 'emails', value: { value: 'x@example.com', primary: true } },
      { emails: [{ ...WORK, primary: false }, HOME, { value: 'x@example.com', primary: true }] },
    ],
    [
      'merges objects',
      { op: 'replace', path: 'name', value: { familyName: 'Archer' } },
      {
        name: { givenName: 'Ann', familyName: 'Archer' },
      },
    ],
    [
      'takes a manager by bare id',
      { op: 'Add', path: `${ENTERPRISE}:manager`, value: '7' },
      {
        [ENTERPRISE]: { manager: { value: '7' } },
      },
    ],
    ['takes null for nothing', { op: 'replace', path: 'name.givenName', value: null }, { name: undefined }],
  ])('%s', (_title, operation, changes) => {
    expect(patch(USER, ANN, operation)).toEqual({ ...ANN, ...changes })
    expect(ANN.emails).toEqual([WORK, HOME])
  })

  it.each<[unknown, string]>([
    [{ op: 'move', path: 'userName', value: 'x' }, 'invalidSyntax'],
    [{ path: 'userName', value: 'x' }, 'invalidSyntax'],
    ['replace', 'invalidSyntax'],
    [{ op: 'replace', path: 'noSuchAttribute', value: 'x' }, 'invalidPath'],
    [{ op: 'replace', path: 'emails[type eq "work"].nothing', value: 'x' }, 'invalidPath'],
    [{ op: 'replace', path: 'name[givenName eq "Ann"]', value: 'x' }, 'invalidPath'],
    [{ op: 'replace', path: 'emails[type is "work"]', value: 'x' }, 'invalidFilter'],
    [{ op: 'replace', path: 'emails[value co "nobody"].value', value: 'x' }, 'noTarget'],
    [{ op: 'remove' }, 'noTarget'],
    [{ op: 'replace', path: 'id', value: 'x' }, 'mutability'],
    [{ op: 'add', path: 'groups', value: [] }, 'mutability'],
    [{ op: 'add', path: 'title' }, 'invalidValue'],
    [{ op: 'add', value: 'x' }, 'invalidValue'],
    [{ op: 'replace', path: 'active', value: 'perhaps' }, 'invalidValue'],
    [{ op: 'replace', path: 'userName', value: 7 }, 'invalidValue'],
  ])('%j is %s', (operation, scim_type) => {
    const problem = expect.objectContaining({ status: 400, scim_type })
    expect(() => patch(USER, ANN, operation)).toThrow(problem)
  })

  it.each([
    [{}],
    [null],
    [{ schemas: [PATCH_SCHEMA] }],
    [{ schemas: [PATCH_SCHEMA], Operations: [] }],
    [{ schemas: ['other'], Operations: [{ op: 'remove', path: 'title' }] }],
  ])('a body like %j is rejected', body =>
    expect(() => applyPatch(USER, ANN, body)).toThrow(
      expect.objectContaining({ scim_type: 'invalidSyntax' }),
    ),
  )
})

describe('a group', () => {
  const crew: Values = { displayName: 'crew', members: [{ value: '1' }, { value: '2' }] }
  it.each<[string, unknown, string]>([
    ['adds members', { op: 'Add', path: 'members', value: [{ value: '3' }, { value: '1' }] }, '123'],
    ['replaces members', { op: 'replace', path: 'members', value: [{ value: '3' }] }, '3'],
    ['replaces members without a path', { op: 'replace', value: { members: [{ value: '3' }] } }, '3'],
    ['removes a member by filter', { op: 'remove', path: 'members[value eq "1"]' }, '2'],
    ['removes members as Entra does', { op: 'Remove', path: 'members', value: [{ value: '1' }] }, '2'],
    [
      'removes members whatever else is said of them',
      { op: 'remove', path: 'members', value: [{ value: '2', type: 'User', display: 'x' }] },
      '1',
    ],
    ['removes all members', { op: 'remove', path: 'members' }, ''],
  ])('%s', (_title, operation, expected) => {
    const { members = [] } = patch(GROUP, crew, operation) as { members?: { value: string }[] }
    expect(members.map(({ value }) => value).join('')).toBe(expected)
  })
})
