import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { addControl, buildControlPolicy } from '../../../test/controls.ts'
import { makeFile, startTestApp, type TestApp } from '../../../test/harness.ts'

let app: TestApp
beforeAll(async () => {
  app = await startTestApp()
  await addControl(app, 'KNOWN')
  await addControl(app, 'PAST')
  await app.admin.post('/controls/acme/PAST/archive', null)
  await app.member.put('/policies/acme/there', { policy_yaml: buildControlPolicy('KNOWN') })
})
afterAll(() => app.stop())

const AT = 'policy.artifacts.attestations'
const YAML = buildControlPolicy('KNOWN', 'nobody', 'PAST', 'known', 'nobody')
const REFUSED = {
  message: 'Input payload validation failed',
  errors: {
    [`${AT}[1].for_control`]: "Control 'nobody' does not exist [input: nobody]",
    [`${AT}[3].for_control`]: "Control 'known' does not exist [input: known]",
    [`${AT}[4].for_control`]: "Control 'nobody' does not exist [input: nobody]",
    policy_file: [
      '3 validation errors for Policy',
      `${AT}[1].for_control`,
      "  Control 'nobody' does not exist [input: nobody]",
      `${AT}[3].for_control`,
      "  Control 'known' does not exist [input: known]",
      `${AT}[4].for_control`,
      "  Control 'nobody' does not exist [input: nobody]",
    ].join('\n'),
  },
}

/** Every operation that accepts a policy. */
const WAYS: Record<string, (policy_yaml: string) => ReturnType<TestApp['member']['put']>> = {
  'a form': policy_yaml => {
    const parts = { payload: JSON.stringify({ name: 'new' }), policy_file: makeFile(policy_yaml) }
    return app.member.form('PUT', '/policies/acme', parts)
  },
  JSON: policy_yaml => app.member.put('/policies/acme', { name: 'new', policy_yaml }),
  'JSON under its name': policy_yaml => app.member.put('/policies/acme/new', { policy_yaml }),
  'another text': policy_yaml => app.member.put('/policies/acme/there', { policy_yaml }),
  'a draft of a policy': policy_yaml => app.reader.post('/policies/acme/there/try', { policy_yaml }),
  'a draft of a new one': policy_yaml => app.reader.post('/policies/acme/try', { policy_yaml }),
}

const readStored = () =>
  app.sql('select p.name, v.version from policies p join policy_versions v using (policy_id)')

describe.each(Object.entries(WAYS))('as %s', (_, send) => {
  it('is refused with 400 for controls that do not exist, each with its rule, and nothing is stored', async () => {
    const before = await readStored()
    const { status, body } = await send(YAML)
    expect(status).toBe(400)
    expect(body).toEqual(REFUSED)
    expect(await readStored()).toEqual(before)
  })

  it('may name a control, an archived one too', async () => {
    expect((await send(buildControlPolicy('KNOWN', 'PAST'))).status).toBeLessThan(300)
  })
})

it('may only name controls of its own organization', async () => {
  const answer = await app.outsider.put('/policies/other-corp/foreign', {
    policy_yaml: buildControlPolicy('KNOWN'),
  })
  expect(answer.status).toBe(400)
})

it('may name any control in an organization without controls, and stays valid when they are switched on', async () => {
  const switchControls = (controls: boolean) =>
    app.outsider.patch('/organizations/other-corp', { features: { controls } })
  expect((await switchControls(false)).status).toBe(200)
  const path = '/policies/other-corp/free'
  expect((await app.outsider.put(path, { policy_yaml: buildControlPolicy('ANY') })).status).toBe(201)
  await switchControls(true)
  expect((await app.outsider.get(path)).body.versions).toHaveLength(1)
  expect((await app.outsider.put(path, { policy_yaml: buildControlPolicy('ANY') })).status).toBe(400)
})
