// What commands report to the CI system, against a real service: summaries, annotations for non-compliance,
// and no command that somebody hid in a name.
import { chmodSync, existsSync, mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { beforeEach, describe, expect, it } from 'vitest'
import { buildPolicyRequiring, makeEnvironment, putPolicy } from '../../server/test/environments.ts'
import { makeBuild, makeFingerprint, makeFlow, nameTrail } from '../../server/test/reports.ts'
import { CI_JOBS } from './ci-jobs.ts'
import { serveCli } from './served-cli.ts'

const BAD = makeFingerprint('ab')
const HOSTILE_NAME =
  '::add-path::/tmp ##vso[task.complete result=Succeeded]yes | <img src=x> [a](https://evil.example)'
const TEMPLATE = 'version: 1\ntrail:\n  attestations:\n    - name: review\n      type: generic\n'

const served = serveCli({ role: 'member' }, async ({ app }) => {
  await makeFlow(app, 'build', TEMPLATE)
  await app.member.put('/trails/acme/build', { name: 'run-1' })
  await app.member.post('/artifacts/acme/build', {
    ...makeBuild(BAD, nameTrail('run-1')),
    filename: HOSTILE_NAME,
  })
  await putPolicy(app, 'audited', buildPolicyRequiring('pen-test'))
  await makeEnvironment(app, 'servers', { type: 'server' })
})

let folder: string
beforeEach(() => {
  folder = mkdtempSync(join(served.cli.folder, 'job-'))
  return () => rmSync(folder, { recursive: true, force: true })
})

const getEnv = (system: string) => ({
  ...CI_JOBS.find(job => job.system === system)?.env,
  GITHUB_EVENT_PATH: join(folder, 'none'),
  GITHUB_STEP_SUMMARY: join(folder, 'summary.md'),
  AGENT_TEMPDIRECTORY: folder,
})
const run = (line: string, system: string, more: Record<string, string> = {}) =>
  served.cli.run(line, { env: { ...getEnv(system), ...more } })
const readSummary = () => readFileSync(join(folder, 'summary.md'), 'utf8')

const ASSERT = `assert artifact --fingerprint ${BAD} --policy audited`

describe('a verdict that is not compliant', () => {
  it('is an error with its reason in GitHub Actions, and a table on the page of the run', async () => {
    const { code, stdout, stderr } = await run(ASSERT, 'github')
    expect(code).toBe(4)
    expect(
      stderr.match(/^::error::.*is NON-COMPLIANT: .*pen-test.* \(expected .*, found .*\)$/gm),
    ).toHaveLength(1)
    expect(readSummary()).toMatch(/^### .* is NON\\-COMPLIANT$/m)
    expect(readSummary()).toMatch(
      /^\| Problem \| Expected \| Found \| Remedy \|\n(\|---){4}\|\n\| .*pen\\-test.* \|$/m,
    )
    expect(stdout).toContain('Remedy')
  })

  it('is an issue in Azure Pipelines, and an uploaded page', async () => {
    const { code, stderr } = await run(ASSERT, 'azure')
    expect(code).toBe(4)
    expect(stderr).toMatch(/^##vso\[task\.logissue type=error\].*pen-test/m)
    const path = /^##vso\[task\.uploadsummary\](.+)$/m.exec(stderr)?.[1] ?? ''
    expect(readFileSync(path, 'utf8')).toContain('NON\\-COMPLIANT')
  })

  it('is an annotation of Buildkite', async () => {
    const agent = join(folder, 'buildkite-agent')
    writeFileSync(agent, `#!/bin/sh\necho "$@" >> ${folder}/agent.log\ncat >> ${folder}/agent.log\n`)
    chmodSync(agent, 0o755)
    const { code } = await run(ASSERT, 'buildkite', { PATH: `${folder}:${process.env.PATH}` })
    expect(code).toBe(4)
    const log = readFileSync(join(folder, 'agent.log'), 'utf8')
    expect(log).toMatch(/^annotate --append --context waybill --style error\n/)
    expect(log).toContain('NON\\-COMPLIANT')
  })

  it.each(['gitlab', 'jenkins', 'circleci', 'bitbucket'])('is a line of the log in %s', async system => {
    const { code, stderr } = await run(ASSERT, system)
    expect(code).toBe(4)
    expect(stderr).toMatch(/^error: .* is NON-COMPLIANT: .*pen-test/m)
    expect(existsSync(join(folder, 'summary.md'))).toBe(false)
  })

  it('is no annotation outside of CI', async () => {
    expect(await served.cli.run(ASSERT)).toMatchObject({ code: 4, stderr: '' })
  })

  it('lists the evidence that a trail lacks', async () => {
    const { code, stderr } = await run('assert trail run-1 --flow build', 'github')
    expect(code).toBe(4)
    expect(stderr).toMatch(/^::error::trail run-1 of flow build is NON-COMPLIANT: .*review/m)
  })
})

describe('a verdict that is unknown', () => {
  it('is a warning', async () => {
    const { code, stderr } = await run('assert snapshot servers', 'github')
    expect([code, stderr]).toEqual([8, '::warning::servers is UNKNOWN: nothing was reported yet\n'])
  })
})

describe('a name that somebody else chose', () => {
  it.each([
    ['github', ''],
    ['github', '--output json'],
    ['github', '--quiet'],
    ['github', "--jq '.artifact_name'"],
    ['azure', ''],
    ['azure', '--output json'],
    ['azure', "--jq '.artifact_name'"],
  ])('is never a command in %s %s', async (system, flags) => {
    const { code, stdout, stderr } = await run(`${ASSERT} ${flags}`, system)
    expect(code).toBe(4)
    const lines = `${stdout}\n${stderr}`.split(/\r?\n|\r/)
    const commands = lines.filter(line => /^\s*::/.test(line) || /##\w*\[/.test(line))
    // The program's own commands have the name in their value, where nothing reads it again.
    const own = commands.filter(line =>
      /^(::error::|##vso\[task\.(logissue type=error|uploadsummary)\])/.test(line),
    )
    expect(commands).toEqual(own)
  })

  it('stays unchanged in the JSON', async () => {
    const { stdout } = await run(`${ASSERT} --output json`, 'azure')
    expect(JSON.parse(stdout)).toMatchObject({ artifact_name: HOSTILE_NAME })
  })

  it('is never markup', async () => {
    await run(ASSERT, 'github')
    expect(readSummary()).not.toMatch(/<img|\]\(https|(?<!\\)\[/)
    expect(readSummary()).toContain('&lt;img src')
  })
})

describe('a write', () => {
  it('is a line on the run page, for trails, artifacts, evidence and reports', async () => {
    mkdirSync(join(folder, 'app'))
    writeFileSync(join(folder, 'app', 'main.js'), '1')
    const path = join(folder, 'app')
    for (const line of [
      'begin trail run-2 --flow build',
      `attest artifact ${path} --name app --flow build --trail run-2`,
      'attest generic --name review --flow build --trail run-2',
      `snapshot path servers --name app --path ${path}`,
    ])
      expect((await run(line, 'github')).code, line).toBe(0)
    expect(readSummary().split('\n')).toEqual([
      '- Trail run\\-2 of flow build was begun',
      expect.stringMatching(
        /^- Recorded artifact app \\\(sha256\\:[0-9a-f]{64}\\\) on trail run\\-2 of flow build$/,
      ),
      '- Recorded generic review on trail run\\-2 of flow build',
      '- Reported 1 artifacts to environment servers',
      '',
    ])
  })

  it('that waits in the spool is a warning', async () => {
    const { code, stderr } = await run(
      'begin trail run-3 --flow build --timeout 1 --max-api-retries 0',
      'github',
      {
        WAYBILL_HOST: 'http://127.0.0.1:1',
        WAYBILL_SPOOL_DIR: join(folder, 'spool'),
      },
    )
    expect(code).toBe(0)
    expect(stderr).toMatch(
      /^::warning::PUT \/trails\/acme\/build waits in the spool: .*nothing listens there/m,
    )
    expect(readSummary()).toMatch(/^- PUT .*waits in the spool/)
  })

  it('is not mentioned in a dry run', async () => {
    expect((await run('begin trail run-4 --flow build --dry-run', 'github')).code).toBe(0)
    expect(existsSync(join(folder, 'summary.md'))).toBe(false)
  })
})
