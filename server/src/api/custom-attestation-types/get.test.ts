import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { startTestApp, type TestApp } from '../../../test/harness.ts'
import { recordWaits } from '../../../test/statement-log.ts'

const makeEvaluator = (rule: string) => ({ content_type: 'jq', rules: [rule] })

let app: TestApp
beforeAll(async () => {
  app = await startTestApp()
  for (const rule of ['.a', '.b', '.c']) {
    app.clock.advance(1000)
    const type = { name: 'versioned', description: 'Three of them', evaluator: makeEvaluator(rule) }
    await app.member.post('/custom-attestation-types/acme', type)
  }
})
afterAll(() => app.stop())

const get = (path: string) => app.reader.get(`/custom-attestation-types/acme/${path}`)

describe('200', () => {
  it('returns all versions, newest first', async () => {
    const { status, body } = await get('versioned')
    expect(status).toBe(200)
    expect(body.versions.map(({ version }: { version: number }) => version)).toEqual([3, 2, 1])
    expect(body).toMatchObject({ created_by: 'max', created_at: expect.any(Number) })
  })

  it('returns one version alone, without who created the type', async () => {
    const all = (await get('versioned')).body
    const { status, body } = await get('versioned?version=2')
    expect(status).toBe(200)
    expect(body).toEqual({
      name: 'versioned',
      org: 'acme',
      description: 'Three of them',
      archived: false,
      versions: [all.versions[1]],
    })
    expect(body.versions[0].evaluator).toEqual(makeEvaluator('.b'))
  })

  it('returns an archived type', async () => {
    await app.member.post('/custom-attestation-types/acme', { name: 'archived' })
    await app.member.put('/custom-attestation-types/acme/archived/archive', null)
    expect((await get('archived')).body).toMatchObject({ archived: true, versions: [{ version: 1 }] })
    expect((await get('archived?version=1')).body).toMatchObject({ archived: true })
  })

  it('is one wait on the database once the caller is known', async () => {
    for (const path of ['versioned', 'versioned?version=1']) {
      await get(path)
      expect(await recordWaits(app, () => get(path))).toHaveLength(1)
    }
  })
})

describe('400', () => {
  it('refuses a version that is not a number', async () => {
    const { status, body } = await get('versioned?version=latest')
    expect(status).toBe(400)
    expect(Object.keys(body.errors)).toEqual(['query.version'])
  })
})

describe('404', () => {
  it.each(['nothing', 'nothing?version=1'])('names the type and the org: %s', async path => {
    const { status, body } = await get(path)
    expect(status).toBe(404)
    expect(body).toEqual({ message: "Custom attestation type 'nothing' does not exist for org 'acme'" })
  })

  it.each([10, 0, 4_000_000_000])('names a version that does not exist: %s', async version => {
    const { status, body } = await get(`versioned?version=${version}`)
    expect(status).toBe(404)
    expect(body).toEqual({
      message: `version ${version} does not exist for custom attestation type 'versioned'`,
    })
  })

  it('does not find a type of another org', async () => {
    await app.outsider.post('/custom-attestation-types/other-corp', { name: 'theirs' })
    expect((await get('theirs')).status).toBe(404)
    expect((await get('theirs?version=1')).status).toBe(404)
  })
})
