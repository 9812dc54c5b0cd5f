import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { addControl } from '../../../test/controls.ts'
import { startTestApp, type TestApp } from '../../../test/harness.ts'

const SCHEMA = '_schema: https://waybill.example/v1\n'
const YAML = `${SCHEMA}artifacts:
  provenance:
    required: true
    exceptions:
      - if: \${{ flow.tags.risk != "high" }}
  attestations:
    - type: decision
      for_control: SDLC-7
    - type: junit
      name: unit
      if: \${{ flow.name == "backend" }}
      must_be_compliant: false
`

let app: TestApp
beforeAll(async () => {
  app = await startTestApp()
  await addControl(app, 'SDLC-7')
  await app.member.put('/policies/acme/rules', { policy_yaml: SCHEMA, comment: 'Nothing yet' })
  await app.member.put('/policies/acme/rules', { policy_yaml: YAML, comment: 'Rules' })
})
afterAll(() => app.stop())

const read = (version: string, name = 'rules') => app.reader.get(`/policies/acme/${name}/versions/${version}`)

describe('200', () => {
  it('shows the rules as they are applied, and warnings', async () => {
    const { status, body } = await read('2')
    expect(status).toBe(200)
    expect(body).toEqual({
      org: 'acme',
      policy_name: 'rules',
      version: 2,
      comment: 'Rules',
      created_by: 'max',
      timestamp: app.clock.now().getTime() / 1000,
      policy_yaml: YAML,
      is_latest: true,
      policy_dump: {
        schema_version: '1',
        artifacts: {
          provenance: {
            required: true,
            exceptions: [{ if_condition: { text: 'flow.tags.risk != "high"' } }],
          },
          trail_compliance: { required: false, exceptions: [] },
          attestations: [
            {
              if_condition: null,
              name: '*',
              type: 'decision',
              must_be_compliant: true,
              for_control: 'SDLC-7',
            },
            {
              if_condition: { text: 'flow.name == "backend"' },
              name: 'unit',
              type: 'junit',
              must_be_compliant: false,
              for_control: null,
            },
          ],
        },
      },
      warnings: [
        {
          field: 'policy.artifacts.provenance.exceptions[0].if',
          expression: 'flow.tags.risk != "high"',
          column: 1,
          message: expect.stringMatching(/^If flow\.tags\.risk is not set, this excepts nothing/),
        },
      ],
    })
  })

  it('shows an earlier version, even of an archived policy', async () => {
    await app.member.put('/policies/acme/old', { policy_yaml: SCHEMA })
    await app.admin.put('/policies/acme/old/archive', null)
    expect((await read('1')).body).toMatchObject({ version: 1, comment: 'Nothing yet', is_latest: false })
    expect((await read('1', 'old')).body).toMatchObject({ version: 1, is_latest: true, warnings: [] })
  })
})

describe('400', () => {
  it.each(['0', '-1', 'x', '1.5'])('refuses the version %s', async version => {
    const { status, body } = await read(version)
    expect(status).toBe(400)
    expect(Object.keys(body.errors)).toEqual(['version'])
  })
})

describe('404', () => {
  it('says whether the policy or the version is missing', async () => {
    const version = await read('3')
    expect([version.status, version.body.message]).toEqual([
      404,
      "Version 3 does not exist for policy 'rules'",
    ])
    const policy = await read('1', 'nothing')
    const sentence = "Policy 'nothing' does not exist in organization 'acme'"
    expect([policy.status, policy.body.message]).toEqual([404, sentence])
    expect((await read('9007199254740991')).status).toBe(404)
  })
})
