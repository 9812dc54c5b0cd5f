import { describe, expect, it } from 'vitest'
import { list, numberOr, pairs, requiredText, text, textOr, toggle } from '../program/flags.ts'
import { resolveFlags, type Sources } from './resolve.ts'

const NOTHING: Sources = { given: new Map(), env: {}, repository_file: {}, ci: undefined, user_file: {} }
const flow = text('the flow', { in_repository_file: true, from_ci: 'commit', variables: ['OTHER_FLOW'] })

const resolveFlow = (sources: Partial<Sources>) => {
  const { values, origins, foreign_variables } = resolveFlags({ flow }, { ...NOTHING, ...sources })
  return [values.flow, origins.get('flow')?.from, foreign_variables]
}

const EVERYWHERE = {
  given: new Map([['flow', ['from-flag']]]),
  env: { WAYBILL_FLOW: 'from-own', OTHER_FLOW: 'from-other', KOSLI_FLOW: 'from-foreign' },
  repository_file: { flow: ['from-repository'] },
  ci: { facts: { commit: { value: 'from-ci', from: 'CI_COMMIT' } } } as unknown as Sources['ci'],
  user_file: { flow: ['from-user'] },
}

describe('a value', () => {
  it.each([
    ['the flag', {}, ['from-flag', '--flow', []]],
    ['our variable', { given: new Map() }, ['from-own', 'WAYBILL_FLOW', []]],
    [
      'another name of it',
      { given: new Map(), env: { ...EVERYWHERE.env, WAYBILL_FLOW: '' } },
      ['from-other', 'OTHER_FLOW', []],
    ],
    [
      'the variable of another client',
      { given: new Map(), env: { KOSLI_FLOW: 'from-foreign' } },
      ['from-foreign', 'KOSLI_FLOW', ['KOSLI_FLOW']],
    ],
    ['the file of the repository', { given: new Map(), env: {} }, ['from-repository', 'waybill.yml', []]],
    ['the CI job', { given: new Map(), env: {}, repository_file: {} }, ['from-ci', 'CI_COMMIT', []]],
    [
      'the file of the user',
      { given: new Map(), env: {}, repository_file: {}, ci: undefined },
      ['from-user', 'the configuration file', []],
    ],
    ['nothing', NOTHING, [undefined, undefined, []]],
  ])('comes from %s if nothing before it has one', (_, without, expected) => {
    expect(resolveFlow({ ...EVERYWHERE, ...without })).toEqual(expected)
  })

  it('of an empty variable counts as not set', () => {
    expect(resolveFlow({ env: { WAYBILL_FLOW: '', KOSLI_FLOW: '' } })).toEqual([undefined, undefined, []])
  })

  it('of the repository counts only for flags that do not decide where and as whom to sign in', () => {
    const { values } = resolveFlags(
      { host: text('') },
      { ...NOTHING, repository_file: { host: ['http://evil'] } },
    )
    expect(values.host).toBeUndefined()
  })
})

describe('an empty value', () => {
  it.each([
    ['of a flag', { given: new Map([['flow', ['']]]) }, '--flow is empty'],
    ['of the file of the repository', { repository_file: { flow: [''] } }, 'waybill.yml is empty'],
    ['of the file of the user', { user_file: { flow: [''] } }, 'the configuration file is empty'],
  ])('%s is refused', (_, sources, message) => {
    expect(() => resolveFlow(sources)).toThrow(message)
  })
})

const FLAGS = {
  name: requiredText('the name'),
  kind: textOr('the kind', 'big', { choices: ['big', 'small'] }),
  force: toggle('do it'),
  count: numberOr('how many', 3, { min: 1, max: 9 }),
  tag: list('tags'),
  rule: list('rules', { keeps_commas: true }),
  set: pairs('values'),
}
const resolve = (given: Record<string, string[]>, env: Record<string, string> = {}) =>
  resolveFlags(FLAGS, { ...NOTHING, env, given: new Map(Object.entries({ name: ['x'], ...given })) }).values

describe('the kinds of flags', () => {
  it('have defaults', () => {
    expect(resolve({})).toEqual({
      name: 'x',
      kind: 'big',
      force: false,
      count: 3,
      tag: [],
      rule: [],
      set: {},
    })
  })

  it.each([
    ['the last of several texts', { kind: ['small', 'big'] }, { kind: 'big' }],
    ['a switch', { force: ['true'] }, { force: true }],
    ['a switch that is off', { force: ['true', 'false'] }, { force: false }],
    ['a number', { count: ['9'] }, { count: 9 }],
    ['a list, repeated and with commas', { tag: ['a,b', ' c '] }, { tag: ['a', 'b', 'c'] }],
    ['a list that keeps commas', { rule: ['a, b', 'c'] }, { rule: ['a, b', 'c'] }],
    ['pairs', { set: ['a=1', 'b=x=y'] }, { set: { a: '1', b: 'x=y' } }],
  ])('take %s', (_, given, expected) => expect(resolve(given)).toMatchObject(expected))

  it('take a switch from a variable', () => expect(resolve({}, { WAYBILL_FORCE: 'true' }).force).toBe(true))

  it.each([
    ['another choice', { kind: ['huge'] }, '--kind: "huge" is not one of big, small'],
    ['another word for a switch', { force: ['yes'] }, '--force: "yes" is neither true nor false'],
    ['a number with a fraction', { count: ['1.5'] }, '--count: "1.5" is not a whole number'],
    ['a number that is too large', { count: ['10'] }, '--count: 10 is not between 1 and 9'],
    ['an empty item', { tag: ['a,,b'] }, '--tag has an empty item'],
    ['a pair without =', { set: ['a'] }, '--set: "a" is not of the form name=value'],
    ['a pair without a name', { set: ['=a'] }, '--set: "=a" is not of the form name=value'],
    ['a pair with an empty value', { set: ['a='] }, '--set: the value of "a" is empty'],
    ['a pair that is given twice', { set: ['a=1', 'a=2'] }, '--set: "a" is given twice'],
  ])('refuse %s', (_, given, message) => expect(() => resolve(given)).toThrow(message))

  it('refuse a variable by its name', () =>
    expect(() => resolve({}, { WAYBILL_FORCE: '1' })).toThrow('WAYBILL_FORCE: "1" is neither true nor false'))

  it('report a missing value', () => {
    expect(() => resolveFlags({ name: requiredText('the name') }, NOTHING)).toThrow(
      '--name is missing: the name',
    )
    expect(() => resolveFlags({ tag: { ...list('tags'), is_required: true } }, NOTHING)).toThrow(
      '--tag is missing',
    )
  })
})
