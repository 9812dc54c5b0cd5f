// Assertions that are rejected; get.test.ts has those that succeed.
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import {
  buildImageName,
  buildPolicyRequiring,
  makeEnvironment,
  putPolicy,
} from '../../../test/environments.ts'
import { startTestApp, type TestApp } from '../../../test/harness.ts'
import { makeBuild, makeFingerprint, makeFlow, nameTrail } from '../../../test/reports.ts'

let app: TestApp
beforeAll(async () => {
  app = await startTestApp()
  await makeFlow(app, 'build')
  await makeFlow(app, 'scan')
  await makeEnvironment(app, 'prod')
  await putPolicy(app, 'strict', buildPolicyRequiring())
})
afterAll(() => app.stop())

const ask = (start: string, query = '') =>
  app.reader.get(`/asserts/acme/fingerprint/${makeFingerprint(start)}${query === '' ? '' : `?${query}`}`)

const reportArtifact = (start: string, flow: string) =>
  app.member.post(
    `/artifacts/acme/${flow}`,
    makeBuild(makeFingerprint(start), { ...nameTrail(start), filename: buildImageName(start) }),
  )

const allow = (environment: string, start: string) =>
  app.admin.put(`/allowlists/acme/${environment}`, {
    artifact_fingerprint: makeFingerprint(start),
    artifact_name: buildImageName(start),
    description: 'vendor',
  })

describe('400', () => {
  it('refuses an environment together with a policy', async () => {
    const { status, body } = await ask('10', 'environment_name=prod&policy_name=strict')
    expect(status).toBe(400)
    expect(body).toEqual({
      message: "Cannot specify both 'environment_name' and 'policy_name' at the same time",
    })
  })

  it('refuses a fingerprint that matches several artifacts, on the allow-list too, or is invalid', async () => {
    await reportArtifact('60123a', 'scan')
    await reportArtifact('60123b', 'scan')
    const several = await app.reader.get('/asserts/acme/fingerprint/60123')
    expect(several.status).toBe(400)
    expect(several.body).toEqual({ message: "Fingerprint '60123' matches 2 artifacts; use a longer prefix" })
    await makeEnvironment(app, 'listed')
    await allow('listed', '60123c')
    const listed = await app.reader.get('/asserts/acme/fingerprint/60123?environment_name=listed')
    expect(listed.body.message).toContain('matches 3 artifacts')
    expect((await app.reader.get('/asserts/acme/fingerprint/6012')).status).toBe(400)
    expect((await app.reader.get(`/asserts/acme/fingerprint/${'g'.repeat(64)}`)).status).toBe(400)
  })
})

describe('404', () => {
  const nowhere = `Artifact with fingerprint '${makeFingerprint('70')}' does not exist in`

  it.each(['', 'environment_name=prod', 'policy_name=strict'])(
    'does not find the artifact with "%s"',
    async query => {
      const { status, body } = await ask('70', query)
      expect(status).toBe(404)
      expect(body).toEqual({ message: `${nowhere} organization 'acme'` })
    },
  )

  it('does not find it in the flow, even if other flows or an allow-list have it', async () => {
    const inFlow = `${nowhere.replace(makeFingerprint('70'), makeFingerprint('71'))} flow 'build' belonging to organization 'acme'`
    await reportArtifact('71', 'scan')
    await makeEnvironment(app, 'flow-requested')
    await allow('flow-requested', '71')
    for (const query of ['', '&environment_name=flow-requested', '&policy_name=strict']) {
      const { status, body } = await ask('71', `flow_name=build${query}`)
      expect(status).toBe(404)
      expect(body).toEqual({ message: inFlow })
    }
  })

  it('names the flow, environment or policy that does not exist', async () => {
    await reportArtifact('72', 'scan')
    const readRefusal = async (query: string) => {
      const { status, body } = await ask('72', query)
      expect(status).toBe(404)
      return body.message
    }
    expect(await readRefusal('flow_name=none')).toBe(
      "Flow named 'none' does not exist for organization 'acme'",
    )
    expect(await readRefusal('environment_name=none')).toBe(
      "Environment named 'none' does not exist for organization 'acme'",
    )
    expect(await readRefusal('environment_name=')).toBe(
      "Environment named '' does not exist for organization 'acme'",
    )
    expect(await readRefusal('policy_name=strict&policy_name=none')).toBe(
      "Policy 'none' does not exist in organization 'acme'",
    )
    await makeEnvironment(app, 'gone')
    await app.admin.put('/environments/acme/gone/archive')
    expect(await readRefusal('environment_name=gone')).toBe(
      "Environment named 'gone' has been archived for organization 'acme'",
    )
  })

  it('does not find artifacts of another organization', async () => {
    await app.outsider.put('/flows/other-corp', { name: 'f', description: '' })
    await app.outsider.post('/artifacts/other-corp/f', makeBuild(makeFingerprint('73')))
    expect((await ask('73')).status).toBe(404)
  })
})
