import { describe, expect, it } from 'vitest'
import { CI_JOBS } from '../../test/ci-jobs.ts'
import { disarmJson, guardLog } from './log-guard.ts'

function print(system: string | undefined, text: string): string {
  const job = CI_JOBS.find(each => each.system === system)
  const printed: string[] = []
  guardLog(job?.env ?? {}, each => printed.push(each))(text)
  return printed.join('')
}

describe.each(['github', 'azure'])('a text in the log of %s', system => {
  it.each([
    ['::set-output name=a::b\n', ': :set-output name=a::b\n'],
    ['Trail\n  ::add-mask::a\n', 'Trail\n  : :add-mask::a\n'],
    ['a\r::stop-commands::x\n', 'a\n: :stop-commands::x\n'],
    ['\u00a0::error::x', '\u00a0: :error::x'],
    ['a ##[error]b', 'a # #[error]b'],
    ['a ##vso[task.setvariable variable=PATH]/tmp', 'a # #vso[task.setvariable variable=PATH]/tmp'],
    ['###vso[task.complete]', '## #vso[task.complete]'],
    ['##VSO[task.complete]', '# #VSO[task.complete]'],
  ])('is never a command: %j', (text, printed) => {
    expect(print(system, text)).toBe(printed)
  })

  it.each(['a::b', '## Heading [x]', '{"a": "::b"}', 'line\r\n'])('stays unchanged: %j', text => {
    expect(print(system, text)).toBe(text)
  })
})

it.each(['gitlab', 'jenkins', undefined])('the log of %s has no commands', system => {
  expect(print(system, '::a ##[b]')).toBe('::a ##[b]')
})

it('JSON keeps its data', () => {
  const data = { '##vso[a]': '##[b] ### ##' }
  const json = disarmJson(JSON.stringify(data))
  expect([JSON.parse(json), print('azure', json)]).toEqual([data, json])
})
