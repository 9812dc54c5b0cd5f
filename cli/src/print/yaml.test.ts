import { describe, expect, it } from 'vitest'
import { guardLog } from '../ci/log-guard.ts'
import { parse } from '../values/yaml.ts'
import { formatYaml } from './yaml.ts'

const print = (json: unknown): string => {
  let printed = ''
  const write = guardLog({ GITHUB_ACTIONS: 'true' }, text => {
    printed += text
  })
  write(formatYaml(json))
  return printed
}

describe('YAML', () => {
  it('is plain', () =>
    expect(formatYaml([{ name: 'a', tags: { b: '1' } }])).toBe('- name: a\n  tags:\n    b: "1"\n'))

  it.each([
    '::error::x',
    'two\n::set-output name=a::b',
    '##[error]x',
    '##vso[task.setvariable variable=a]b',
    '\u001b[31mred',
    'line\r::error::x',
  ])('is the same data in the log of a job: %j', text => {
    const json = { [text]: [text, { text }] }
    const printed = print(json)
    expect(parse(printed)).toEqual(json)
    expect(printed).not.toContain('\u001b')
  })
})
