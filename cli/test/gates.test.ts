// `assert` and `why` against a real service: yes, no with every reason, or unknown.
import { writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { describe, expect, it } from 'vitest'
import {
  attach,
  buildPolicyRequiring,
  makeEnvironment,
  putPolicy,
  report,
} from '../../server/test/environments.ts'
import { makeBuild, makeFingerprint, makeFlow, nameTrail } from '../../server/test/reports.ts'
import { serveCli } from './served-cli.ts'

const HOUR_MS = 3_600_000
const KNOWN = makeFingerprint('ab')
const STRANGER = makeFingerprint('cd')

const served = serveCli({ role: 'member' }, async ({ app }) => {
  await makeFlow(app, 'build')
  await app.member.put('/trails/acme/build', { name: 'run-1' })
  await app.member.post('/artifacts/acme/build', makeBuild(KNOWN, nameTrail('run-1')))
  await putPolicy(app, 'known', buildPolicyRequiring())
  await putPolicy(app, 'audited', buildPolicyRequiring('pen-test'))
  for (const [name, artifact, ...policies] of [
    ['green', 'ab', 'known'],
    ['red', 'ab', 'audited'],
    ['free', 'ab'],
    ['stale-green', 'ab', 'known'],
    ['stale-red', 'cd', 'known'],
  ] as const) {
    await makeEnvironment(app, name, name.startsWith('stale') ? { expected_report_interval: 60 } : {})
    if (policies.length > 0) await attach(app, name, ...policies)
    await report(app, name, artifact)
  }
  await makeEnvironment(app, 'silent')
  await makeEnvironment(app, 'half')
  await attach(app, 'half', 'known')
  await app.snapshotter.put('/environments/acme/half/report/K8S', { artifacts: [], is_partial: true })
  await app.evaluate()
  app.clock.advance(HOUR_MS)
  await app.evaluate()
})

describe('assert snapshot', () => {
  it.each([
    ['yes', 'green', 0, 'green#1 is COMPLIANT'],
    ['unknown without a policy', 'free', 8, 'free#1 is UNKNOWN: no policy is attached'],
    ['unknown before the first report', 'silent', 8, 'silent is UNKNOWN: nothing was reported yet'],
    ['unknown when the last report was partial', 'half', 8, 'half#1 is UNKNOWN: the last report was partial'],
    ['unknown when the last report is too old', 'stale-green', 8, 'is UNKNOWN: the last report is too old'],
  ])('is %s', async (_, environment, code, says) => {
    const ran = await served.cli.run(`assert snapshot ${environment}`)
    expect(ran, ran.stderr).toMatchObject({ code, stderr: '' })
    expect(ran.stdout).toContain(says)
  })

  it('is no, and prints every reason with its fix', async () => {
    const { code, stdout } = await served.cli.run('assert snapshot red')
    expect(code).toBe(4)
    for (const [field, value] of [
      ['Rule', 'attestation of policy audited v1'],
      ['Artifact', 'registry.example.com/ab:1 abbbbbbbbbbb'],
      ['Flow', 'build'],
      ['Trail', 'run-1'],
      ['Expected', '.*pen-test.*'],
      ['Found', '.+'],
      ['Remedy', '.*pen-test.*'],
    ])
      expect(stdout).toMatch(new RegExp(`^  ${field}: +${value}$`, 'm'))
  })

  it('is no, even when it is stale', async () => {
    expect(await served.cli.run('assert snapshot stale-red --unknown pass')).toMatchObject({ code: 4 })
  })

  it.each([
    ['an environment that does not exist', 'nowhere', 6],
    ['a snapshot that does not exist', "'green#9'", 6],
    ['no environment at all', "'#1'", 2],
  ])('refuses %s', async (_, notation, code) => {
    expect(await served.cli.run(`assert snapshot ${notation}`)).toMatchObject({ code, stdout: '' })
  })
})

describe('an unknown verdict', () => {
  it.each([
    ['pass', 0],
    ['fail', 4],
    ['8', 8],
  ])('is for the caller to decide: %s is %d', async (unknown, code) => {
    expect(await served.cli.run(`assert snapshot free --unknown ${unknown}`)).toMatchObject({ code })
  })

  it('can be decided by nothing else', async () => {
    expect(await served.cli.run('assert snapshot free --unknown maybe')).toMatchObject({ code: 2 })
  })
})

describe('assert artifact', () => {
  it.each([
    ['by its flows', '', 0, 'is COMPLIANT'],
    ['by an environment', '--environment green', 0, 'for green is COMPLIANT'],
    ['by policies', '--policy known', 0, 'is COMPLIANT'],
    ['by a policy that requires more', '--policy known,audited', 4, 'is NON-COMPLIANT'],
    ['by an environment without a policy', '--environment free', 8, 'is UNKNOWN: no policy is attached'],
    ['by a stale environment', '--environment stale-green', 8, 'is UNKNOWN: the last report is too old'],
  ])('%s', async (_, flags, code, says) => {
    const ran = await served.cli.run(`assert artifact --fingerprint ${KNOWN} ${flags}`)
    expect(ran, ran.stderr).toMatchObject({ code })
    expect(ran.stdout).toContain(says)
  })

  it('is not called compliant by why either', async () => {
    const { code, stdout } = await served.cli.run(`why ${KNOWN} --environment free`)
    expect([code, stdout]).toEqual([
      0,
      expect.stringMatching(
        / is compliant for free is unknown: no policy is attached, so nothing was checked\n$/,
      ),
    ])
  })

  it('prints the API response unchanged', async () => {
    const { stdout } = await served.cli.run(
      `assert artifact --fingerprint ${KNOWN} --environment red --output json`,
    )
    expect(JSON.parse(stdout)).toEqual(
      (await served.app.reader.get(`/asserts/acme/fingerprint/${KNOWN}?environment_name=red`)).body,
    )
  })

  it.each([
    ['an unknown artifact', `--fingerprint ${STRANGER}`, 6],
    ['two ways to decide', `--fingerprint ${KNOWN} --environment green --policy known`, 2],
    ['no artifact', '', 2],
    ['half a fingerprint', '--fingerprint abc', 2],
  ])('refuses %s', async (_, flags, code) => {
    expect(await served.cli.run(`assert artifact ${flags}`)).toMatchObject({ code, stdout: '' })
  })
})

describe('assert trail', () => {
  it('is yes when nothing is required', async () => {
    expect(await served.cli.run('assert trail run-1 --flow build')).toMatchObject({ code: 0 })
  })

  it('is no while evidence is missing, and names it', async () => {
    await makeFlow(
      served.app,
      'strict',
      'version: 1\ntrail:\n  attestations:\n    - name: review\n      type: generic\n',
    )
    await served.app.member.put('/trails/acme/strict', { name: 'run-2' })
    const { code, stdout } = await served.cli.run('assert trail run-2 --flow strict')
    expect(code).toBe(4)
    expect(stdout).toMatch(/Rule: +missing_attestation\n/)
    expect(stdout).toMatch(/Trail: +run-2\n/)
    expect(stdout).toContain('review')
  })
})

describe('why', () => {
  it('explains what is missing, and is not a gate', async () => {
    const { code, stdout } = await served.cli.run(`why ${KNOWN.slice(0, 8)} --environment red`)
    expect(code).toBe(0)
    expect(stdout).toMatch(/is not compliant for red\n/)
    expect(stdout).toMatch(/Remedy: +.*pen-test/)
  })

  it('prints what makes an artifact compliant', async () => {
    expect((await served.cli.run(`why ${KNOWN}`)).stdout).toContain('is compliant (flow build, trail run-1)')
  })

  it('takes a file', async () => {
    writeFileSync(join(served.cli.folder, 'served.app.bin'), 'app')
    expect(await served.cli.run('why served.app.bin')).toMatchObject({ code: 6 })
  })

  it('refuses anything but a fingerprint or a file', async () => {
    const { code, stderr } = await served.cli.run('why gone.bin')
    expect(code).toBe(2)
    expect(stderr).toContain('"gone.bin" is neither a fingerprint nor a file')
  })
})
