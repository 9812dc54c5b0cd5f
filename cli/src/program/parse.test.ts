import { describe, expect, it } from 'vitest'
import { argument, defineCommand, optionalArgument, repeatedArgument } from './command.ts'
import { list, pairs, text, toggle } from './flags.ts'
import { findCommand, nameArguments, parseLine } from './parse.ts'

const GLOBALS = { org: text('the organization'), quiet: toggle('less', false, { short: 'q' }) }
const base = { summary: '', args: [], flags: {}, needs: 'nothing', operations: [], examples: [] } as const
const run = async () => undefined
const createThing = defineCommand({
  ...base,
  words: ['create', 'thing'],
  also: [['create', 'th']],
  args: [argument('name', 'its name'), optionalArgument('kind', 'its kind')],
  flags: {
    description: text('what for', { short: 'd' }),
    tag: list('tags'),
    set: pairs('values'),
    force: toggle('do it', false, { short: 'f' }),
  },
  run,
})
const tag = defineCommand({ ...base, words: ['tag'], args: [repeatedArgument('name', 'which')], run })
const hidden = defineCommand({ ...base, words: ['enable', 'secret'], is_hidden: true, run })
const deep = defineCommand({ ...base, words: ['attest', 'pullrequest', 'github'], run })
const ALL = [createThing, tag, hidden, deep]

const parse = (...args: string[]) => parseLine(args, createThing, GLOBALS)

describe('the command of a line', () => {
  it.each([
    ['its words', ['create', 'thing', 'x'], createThing],
    ['other words for the same', ['create', 'th', 'x'], createThing],
    ['its words in the other order', ['thing', 'create', 'x'], createThing],
    ['its words between flags', ['--org', 'acme', 'create', '-q', 'thing'], createThing],
    ['one word before arguments', ['tag', 'create'], tag],
    ['three words', ['attest', 'pullrequest', 'github', 'x'], deep],
  ])('is found by %s', (_, args, command) => {
    expect(findCommand(args, ALL, GLOBALS)).toBe(command)
  })

  it('is undefined without words', () => {
    expect(findCommand(['--quiet'], ALL, GLOBALS)).toBeUndefined()
  })

  it('is suggested if it is nearly right, unless it is hidden', () => {
    expect(() => findCommand(['create', 'thign'], ALL, GLOBALS)).toThrow('Unknown command "create thign"')
    expect(findHint(() => findCommand(['create', 'thign'], ALL, GLOBALS))).toBe(
      'Did you mean "waybill create thing"?',
    )
    expect(findHint(() => findCommand(['enable', 'secrte'], ALL, GLOBALS))).toBe(
      'waybill help lists the commands.',
    )
  })
})

describe('flags', () => {
  it('are taken before, between and after arguments, long and short', () => {
    const { positionals, given } = parse(
      '--org=acme',
      'create',
      '-d',
      'text',
      'thing',
      'x',
      '--tag',
      'a',
      '--tag=b',
      '-f',
    )
    expect(positionals).toEqual(['x'])
    expect(Object.fromEntries(given)).toEqual({
      org: ['acme'],
      description: ['text'],
      tag: ['a', 'b'],
      force: ['true'],
    })
  })

  it('end at two dashes', () => {
    expect(parse('create', 'thing', '--', '--force').positionals).toEqual(['--force'])
  })

  it('keep a value that looks like a flag if it is written with =', () => {
    expect(parse('create', 'thing', 'x', '--description=-n').given.get('description')).toEqual(['-n'])
  })

  it('of a switch can be true or false', () => {
    expect(parse('create', 'thing', 'x', '--force=false').given.get('force')).toEqual(['false'])
  })

  it.each([
    ['an unknown flag', ['--descripton', 'x'], 'Unknown flag --descripton', 'Did you mean --description?'],
    ['an unknown letter', ['-z'], 'Unknown flag -z', 'waybill create thing --help lists its flags.'],
    ['a flag without its value', ['--description'], '--description needs a value', undefined],
    [
      'an empty value',
      ['--description', ''],
      '--description is empty',
      'An empty value is never accepted: omit the flag instead.',
    ],
    [
      'an empty value after =',
      ['--description='],
      '--description is empty',
      'An empty value is never accepted: omit the flag instead.',
    ],
    [
      'a flag in the place of a value',
      ['--description', '--force'],
      '"--force" looks like a flag',
      'If it is the value, write --description=--force',
    ],
  ])('refuse %s', (_, args, message, hint) => {
    const attempt = () => parse('create', 'thing', 'x', ...args)
    expect(attempt).toThrow(message)
    expect(findHint(attempt)).toBe(hint)
  })
})

describe('arguments', () => {
  it('get their names', () => {
    expect(nameArguments(['x', 'y'], createThing)).toEqual({ args: { name: 'x', kind: 'y' }, repeated: [] })
    expect(nameArguments(['x'], createThing)).toEqual({ args: { name: 'x' }, repeated: [] })
  })

  it('can be repeated', () => {
    expect(nameArguments(['a', 'b'], tag)).toEqual({ args: {}, repeated: ['a', 'b'] })
  })

  it.each([
    ['a missing one', createThing, [], 'The argument name is missing: its name'],
    ['an empty one', createThing, [''], 'The argument name is empty'],
    ['one too many', createThing, ['a', 'b', 'c'], 'Unexpected argument "c"'],
    ['a missing repeated one', tag, [], 'The argument name is missing: which'],
    ['an empty repeated one', tag, ['a', ''], 'An argument name is empty'],
  ])('refuse %s', (_, command, given, message) => {
    expect(() => nameArguments(given, command)).toThrow(message)
  })
})

function findHint(attempt: () => unknown): unknown {
  try {
    attempt()
  } catch (error) {
    return (error as { hint?: string }).hint
  }
  return undefined
}
