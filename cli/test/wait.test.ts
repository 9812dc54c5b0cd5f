// `wait` against a real service: evidence that arrives later, evidence that fails, and evidence that never
// arrives.
import { createServer } from 'node:http'
import type { AddressInfo } from 'node:net'
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

const TEMPLATE =
  'version: 1\ntrail:\n  attestations:\n    - name: review\n      type: generic\n    - name: tests\n      type: generic\n'
const FINGERPRINT = makeFingerprint('ab')

const served = serveCli({ role: 'member', clock: 'machine' }, async ({ app }) => {
  await makeFlow(app, 'ci', TEMPLATE)
  await makeFlow(app, 'free')
  await putPolicy(app, 'audited', buildPolicyRequiring('pen-test'))
  await makeEnvironment(app, 'prod')
  await attach(app, 'prod', 'audited')
  await makeEnvironment(app, 'lawless')
  await report(app, 'lawless', 'cd')
  await makeEnvironment(app, 'silent')
})

const attest = (trail: string, name: string, is_compliant: boolean, more = {}) =>
  served.app.member.post(`/attestations/acme/ci/trail/${trail}/generic`, {
    attestation_name: name,
    is_compliant,
    ...more,
  })

/** Runs a command, and something else as soon as the command prints that it waits for `said`. */
async function runUntilWaiting(line: string, said: string, then: () => Promise<unknown>) {
  const { cli } = served
  let hasRun = false
  const ran = await cli.run(line, {
    onError: text => {
      if (hasRun || !text.includes(said)) return
      hasRun = true
      void then()
    },
  })
  expect(hasRun, ran.stderr).toBe(true)
  return ran
}

describe('wait trail', () => {
  it('waits for a trail that does not exist yet, and then for its evidence', async () => {
    const ran = await runUntilWaiting(
      'wait trail run-1 --flow ci --timeout 300',
      'Waiting: trail run-1 of flow ci is UNKNOWN: it was not reported yet',
      async () => {
        await served.app.member.put('/trails/acme/ci', { name: 'run-1' })
        await attest('run-1', 'tests', true)
        await attest('run-1', 'review', true)
      },
    )
    expect(ran).toMatchObject({ code: 0, stdout: 'trail run-1 of flow ci is COMPLIANT\n' })
  })

  it('prints what is missing, and ends as soon as evidence fails', async () => {
    await served.app.member.put('/trails/acme/ci', { name: 'run-2' })
    await attest('run-2', 'tests', true)
    const ran = await runUntilWaiting(
      'wait trail run-2 --flow ci --timeout 300',
      "is NON-COMPLIANT (Attestation 'review' on the trail has not been reported)",
      () => attest('run-2', 'review', false),
    )
    expect(ran.code).toBe(4)
    expect(ran.stdout).toMatch(/Rule: +non_compliant_attestation\n/)
  })

  it('keeps waiting for a better verdict if asked to', async () => {
    const ran = await runUntilWaiting(
      'wait trail run-2 --flow ci --timeout 300 --keep-waiting',
      'is NON-COMPLIANT',
      () => attest('run-2', 'review', true),
    )
    expect(ran.code).toBe(0)
  })

  it('is no at the timeout if evidence is still missing', async () => {
    await served.app.member.put('/trails/acme/ci', { name: 'run-3' })
    const ran = await served.cli.run('wait trail run-3 --flow ci --timeout 1')
    expect(ran.code).toBe(4)
    expect(ran.stdout).toMatch(/Rule: +missing_attestation\n/)
  })

  it('is unknown at the timeout if nothing was reported', async () => {
    const ran = await served.cli.run('wait trail run-4 --flow ci --timeout 1')
    expect(ran).toMatchObject({
      code: 8,
      stdout: 'trail run-4 of flow ci is UNKNOWN: it was not reported yet\n',
    })
    expect(await served.cli.run('wait trail run-4 --flow ci --timeout 1 --unknown fail')).toMatchObject({
      code: 4,
    })
  })

  it.each([
    ['a flow that does not exist', 'wait trail run-1 --flow gone', 6],
    ['an environment that does not exist', 'wait snapshot gone', 6],
    ['a policy that does not exist', `wait artifact --fingerprint ${makeFingerprint('ef')} --policy gone`, 6],
    ['another end', 'wait trail run-1 --flow ci --until broken', 2],
  ])('does not wait for %s', async (_, line, code) => {
    expect(await served.cli.run(`${line} --timeout 300`)).toMatchObject({ code, stdout: '' })
  })

  it('ends when it is interrupted', async () => {
    const stop = new AbortController()
    const ran = await served.cli.run('wait trail run-5 --flow ci --timeout 300', {
      signal: stop.signal,
      onError: () => stop.abort(),
    })
    expect(ran).toMatchObject({ code: 130, stdout: '' })
  })
})

describe('wait artifact', () => {
  it('waits for the evidence that the policies of an environment require', async () => {
    await served.app.member.put('/trails/acme/free', { name: 'run-1' })
    const ran = await runUntilWaiting(
      `wait artifact --fingerprint ${FINGERPRINT} --environment prod --timeout 300`,
      'it was not reported yet',
      async () => {
        await served.app.member.post('/artifacts/acme/free', makeBuild(FINGERPRINT, nameTrail('run-1')))
        await served.app.member.post('/attestations/acme/free/trail/run-1/generic', {
          attestation_name: 'pen-test',
          artifact_fingerprint: FINGERPRINT,
          is_compliant: true,
        })
      },
    )
    expect(ran, ran.stderr).toMatchObject({ code: 0 })
    expect(ran.stdout).toContain('for prod is COMPLIANT')
  })

  it('ends as soon as evidence fails', async () => {
    await served.app.member.post('/attestations/acme/free/trail/run-1/generic', {
      attestation_name: 'pen-test',
      artifact_fingerprint: FINGERPRINT,
      is_compliant: false,
    })
    const line = `wait artifact --fingerprint ${FINGERPRINT} --environment prod --timeout 300`
    expect(await served.cli.run(line)).toMatchObject({ code: 4, stderr: '' })
  })
})

describe('wait snapshot', () => {
  it('waits for evidence on running artifacts', async () => {
    await report(served.app, 'prod', 'ab')
    await served.app.evaluate()
    const ran = await runUntilWaiting(
      'wait snapshot prod --timeout 300',
      'prod#1 is NON-COMPLIANT',
      async () => {
        await served.app.member.post('/attestations/acme/free/trail/run-1/generic', {
          attestation_name: 'pen-test',
          artifact_fingerprint: FINGERPRINT,
          is_compliant: true,
        })
        await served.app.evaluate()
      },
    )
    expect(ran, ran.stderr).toMatchObject({ code: 0, stdout: 'prod#2 is COMPLIANT\n' })
  })

  it.each([
    ['a snapshot with a number never changes', "'prod#1' --timeout 300", 4],
    ['nothing was reported', 'silent --timeout 1', 8],
    ['no policy is attached', 'lawless --timeout 1', 8],
  ])('ends: %s', async (_, line, code) => {
    expect(await served.cli.run(`wait snapshot ${line}`)).toMatchObject({ code })
  })
})

describe('a service that is down', () => {
  it('is asked again until it is back', async () => {
    let asked = 0
    const proxy = createServer(async (request, response) => {
      asked += 1
      if (asked === 1) return response.destroy()
      const answer = await fetch(`${served.cli.env.WAYBILL_HOST}${request.url}`, {
        headers: { authorization: request.headers.authorization ?? '' },
      })
      response.writeHead(answer.status, { 'content-type': 'application/json' })
      response.end(await answer.text())
    })
    await new Promise<void>(resolve => proxy.listen(0, '127.0.0.1', resolve))
    const WAYBILL_HOST = `http://127.0.0.1:${(proxy.address() as AddressInfo).port}`
    const ran = await served.cli.run('wait trail run-1 --flow ci --timeout 300 --max-api-retries 0', {
      env: { WAYBILL_HOST },
    })
    proxy.close()
    expect(ran, ran.stderr).toMatchObject({ code: 0 })
    expect(ran.stderr).toContain('Waiting: The service could not be reached')
  })

  it('is exit code 3 at the timeout', async () => {
    const ran = await served.cli.run('wait trail run-1 --flow ci --timeout 1', {
      env: { WAYBILL_HOST: 'http://127.0.0.1:9' },
    })
    expect(ran).toMatchObject({ code: 3, stdout: '' })
  })
})
