import { Ajv2020 } from 'ajv/dist/2020.js'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { startTestApp, type TestApp } from '../../../test/harness.ts'

let app: TestApp
beforeAll(async () => {
  app = await startTestApp()
})
afterAll(() => app.stop())

const PATH = '/attestations/system-attestation-types'

interface Listed {
  name: string
  versions: { version: number; attestation_data_schema: object }[]
}

describe('200', () => {
  it('lists the types without a key, each with a schema that its data must match', async () => {
    const { status, body } = await app.anonymous.get(PATH)
    expect(status).toBe(200)
    expect(body.map(({ name }: Listed) => name)).toEqual(['decision', 'sbom'])
    const [decision] = body as Listed[]
    expect(decision?.versions.map(({ version }) => version)).toEqual([1])
    const accepts = new Ajv2020({ strict: false }).compile(
      decision?.versions[0]?.attestation_data_schema ?? {},
    )
    expect(accepts({ is_compliant: true, ticket: 'T-1' })).toBe(true)
    expect(accepts({ is_compliant: 'yes' })).toBe(false)
    expect(accepts({})).toBe(false)
  })
})

describe('400', () => {
  it('refuses an unknown parameter', async () => {
    expect((await app.anonymous.get(`${PATH}?org=acme`)).status).toBe(400)
  })
})
