import { describe, expect, it } from 'vitest'
import { argument, defineCommand } from './command.ts'
import { EXIT_CODES } from './exit-codes.ts'
import { list, numberOr, requiredText, text, toggle } from './flags.ts'
import { describeCommand, describeProgram } from './help.ts'

const command = defineCommand({
  words: ['create', 'thing'],
  summary: 'create a thing',
  details: 'More about it. '.repeat(20).trim(),
  args: [argument('name', 'its name')],
  flags: {
    kind: requiredText('what it is', { short: 'k', choices: ['big', 'small'] }),
    tag: list('its tags'),
    count: numberOr('how many', 3),
    commit: text('the commit', { from_ci: 'commit', placeholder: '<sha>' }),
    old: toggle('not shown', false, { is_hidden: true }),
  },
  needs: 'nothing',
  operations: [],
  examples: ['create thing x --kind big'],
  run: async () => undefined,
})

describe('the help of a command', () => {
  const help = describeCommand(command, { org: text('the organization') })

  it.each([
    ['its usage', 'Usage: waybill create thing <name> [flags]'],
    ['its arguments', '<name>'],
    ['that a flag is required, and its choices', '-k, --kind <value>'],
    ['its choices', 'what it is (required; big, small)'],
    ['that a flag can be repeated', 'its tags (repeatable)'],
    ['the default', 'how many (default 3)'],
    ['that the CI job gives it', 'the commit (known in CI)'],
    ['the flags of every command', '--org <value>'],
    ['its examples', '  waybill create thing x --kind big'],
  ])('shows %s', (_, shown) => expect(help).toContain(shown))

  it('hides flags that are accepted only for compatibility', () => expect(help).not.toContain('--old'))
  it('breaks a long example with a backslash', () => {
    const example = `create thing x --kind big ${'--tag a-very-long-tag '.repeat(5)}`.trim()
    const [first, second] = describeCommand({ ...command, examples: [example] }, {})
      .split('\n')
      .slice(-2)
    expect(first).toMatch(/^ {2}waybill create thing x --kind big .* \\$/)
    expect(second).toMatch(/^ {6}(--tag a-very-long-tag ?)+$/)
  })

  it('breaks long texts', () =>
    expect(Math.max(...help.split('\n').map(line => line.length))).toBeLessThanOrEqual(100))
})

describe('the help of the program', () => {
  const help = describeProgram(
    [command, { ...command, words: ['enable', 'secret'], is_hidden: true }],
    [{ name: 'serve', summary: 'start the service' }],
  )

  it('lists the commands of client and server in order', () =>
    expect(help).toMatch(/create thing +create a thing\n +serve +start the service\n/))
  it('hides hidden commands', () => expect(help).not.toContain('secret'))
  it.each(Object.values(EXIT_CODES))('explains exit code %d', code =>
    expect(help).toMatch(new RegExp(`^ +${code}  \\S`, 'm')),
  )
})
