import { chmodSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { CI_JOBS } from '../../test/ci-jobs.ts'
import { detectCi } from './detect.ts'
import { getTemporaryFolder, makeReport } from './report.ts'

let folder: string
beforeAll(() => {
  folder = mkdtempSync(join(tmpdir(), 'waybill-report-'))
})
afterAll(() => rmSync(folder, { recursive: true, force: true }))

/** A reporter for one system with its files in a separate folder, and everything it printed. */
function start(system: string | undefined, more: Record<string, string> = {}) {
  const job = CI_JOBS.find(each => each.system === system)
  const env = { ...job?.env, TMPDIR: folder, ...more }
  const printed: string[] = []
  const ci = detectCi(env, () => undefined)
  return { report: makeReport({ ci, env, writeError: text => printed.push(text) }), printed, ci, env }
}

describe('a summary', () => {
  it('is added to the file of GitHub Actions, and cut off at one mebibyte', () => {
    const file = join(folder, 'summary.md')
    writeFileSync(file, 'before\n')
    const { report, printed } = start('github', { GITHUB_STEP_SUMMARY: file })
    expect(report.writeSummary('# Yes', 'notice')).toBe(true)
    expect(readFileSync(file, 'utf8')).toBe('before\n# Yes\n')
    report.writeSummary('ü'.repeat(600_000), 'notice')
    const written = readFileSync(file)
    expect(written.length).toBeLessThanOrEqual(1024 * 1024 + 13)
    expect(written.toString('utf8')).not.toContain('\ufffd')
    expect(written.toString('utf8')).toMatch(/\(cut off\)\n$/)
    expect(printed).toEqual([])
  })

  it('is a file that Azure Pipelines uploads', () => {
    const { report, printed } = start('azure')
    expect(report.writeSummary('# Yes', 'notice')).toBe(true)
    const path = /^##vso\[task\.uploadsummary\](.+)\n$/.exec(printed.join(''))?.[1] ?? ''
    expect(readFileSync(path, 'utf8')).toBe('# Yes')
  })

  it.each(['gitlab', 'jenkins', 'circleci', 'bitbucket', undefined])('is nothing in %s', system => {
    const { report, printed } = start(system)
    expect([report.writeSummary('# Yes', 'notice'), printed]).toEqual([false, []])
  })

  it('is left out if GitHub Actions names no file, and in Buildkite without its agent', () => {
    expect(start('github').report.writeSummary('x', 'notice')).toBe(false)
    expect(start('buildkite', { PATH: folder }).report.writeSummary('x', 'notice')).toBe(false)
  })
})

it('goes through the agent of Buildkite, also for secrets', () => {
  const agent = join(folder, 'buildkite-agent')
  writeFileSync(agent, `#!/bin/sh\necho "$@" >> ${folder}/agent.log\ncat >> ${folder}/agent.log\n`)
  chmodSync(agent, 0o755)
  const { report, printed } = start('buildkite', { PATH: `${folder}:${process.env.PATH}` })
  expect([report.writeSummary('# No', 'error'), report.mask('key')]).toEqual([true, true])
  expect(readFileSync(join(folder, 'agent.log'), 'utf8')).toBe(
    'annotate --append --context waybill --style error\n# No\nredactor add\nkey',
  )
  expect(printed).toEqual([])
})

describe('an annotation', () => {
  const HOSTILE = 'a 100% failure\r\n::set-env name=PATH::/tmp\n##vso[task.setvariable variable=x]y'

  it.each([
    [
      'github',
      '::error::a 100%25 failure%0D%0A::set-env name=PATH::/tmp%0A##vso[task.setvariable variable=x]y\n',
    ],
    [
      'azure',
      '##vso[task.logissue type=error]a 100%AZP25 failure%0D%0A::set-env name=PATH::/tmp%0A##vso[task.setvariable variable=x]y\n',
    ],
    ['gitlab', 'error: a 100% failure ::set-env name=PATH::/tmp ##vso[task.setvariable variable=x]y\n'],
    ['buildkite', 'error: a 100% failure ::set-env name=PATH::/tmp ##vso[task.setvariable variable=x]y\n'],
  ])('in %s is one line, whatever the message', (system, line) => {
    const { report, printed } = start(system)
    report.annotate('error', HOSTILE)
    expect(printed).toEqual([line])
  })

  it('never sends a control character to a terminal', () => {
    const { report, printed } = start('gitlab')
    report.annotate('warning', 'a\u001b[2Jb')
    expect(printed).toEqual(['warning: a\\u001b[2Jb\n'])
  })
})

describe('a secret is hidden', () => {
  it.each([
    ['github', true, ['::add-mask::key\n']],
    ['azure', true, ['##vso[task.setsecret]key\n']],
    ['gitlab', false, []],
    ['jenkins', false, []],
  ])('in %s: %s', (system, isMasked, lines) => {
    const { report, printed } = start(system)
    expect([report.mask('key'), printed]).toEqual([isMasked, lines])
  })
})

describe('a variable is set', () => {
  it('for the steps that follow', () => {
    const files = { GITHUB_ENV: join(folder, 'env'), BASH_ENV: join(folder, 'bash') }
    expect(start('github', files).report.exportVariable('A', '/b c')).toBe(true)
    expect(readFileSync(files.GITHUB_ENV, 'utf8')).toBe('A=/b c\n')
    expect(start('circleci', files).report.exportVariable('A', "/b'c")).toBe(true)
    expect(readFileSync(files.BASH_ENV, 'utf8')).toBe("export A='/b'\\''c'\n")
    const azure = start('azure')
    expect(azure.report.exportVariable('A', '/b')).toBe(true)
    expect(azure.printed).toEqual(['##vso[task.setvariable variable=A]/b\n'])
    expect(start('gitlab').report.exportVariable('A', '/b')).toBe(false)
  })

  it.each(['github', 'azure', 'circleci'])('in %s, but no second one with it', system => {
    const files = { GITHUB_ENV: join(folder, 'env-2'), BASH_ENV: join(folder, 'bash-2') }
    const { report } = start(system, files)
    expect(() => report.exportVariable('A', '/b\nPATH=/tmp')).toThrow(/control character/)
  })
})

it('never fails the command because of a summary', () => {
  const { report, printed } = start('github', { GITHUB_STEP_SUMMARY: join(folder, 'no', 'such', 'folder') })
  expect(report.writeSummary('# Yes', 'notice')).toBe(false)
  expect(printed.join('')).toMatch(/^The summary was not written: .*ENOENT/)
})

it('prints nothing outside of CI', () => {
  const { report, printed } = start(undefined)
  report.annotate('error', 'x')
  expect([report.mask('x'), report.exportVariable('A', 'b'), printed]).toEqual([false, false, []])
})

it('knows the folder that is removed with the job', () => {
  const { ci, env } = start('github', { RUNNER_TEMP: '/runner/temp' })
  expect(getTemporaryFolder(ci, env)).toBe('/runner/temp')
  expect(getTemporaryFolder(undefined, { TMPDIR: '/t' })).toBe('/t')
})
