// Reading organizations: the caller's list, and one organization with its settings and its usage.
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { makeFile, startTestApp, type TestApp } from '../../../test/harness.ts'

let app: TestApp
beforeAll(async () => {
  app = await startTestApp()
})
afterAll(() => app.stop())

describe('GET /organizations', () => {
  it("200: lists the caller's organizations", async () => {
    const { status, body } = await app.snapshotter.get('/organizations')
    expect(status).toBe(200)
    expect(body).toEqual([
      { name: 'acme', kind: 'shared', role: 'snapshotter', description: '' },
      { name: 'sam', kind: 'personal', role: 'admin', description: '' },
    ])
  })
})

describe('GET /organizations/{org}', () => {
  it('200: returns the settings to every member', async () => {
    const { status, body } = await app.reader.get('/organizations/acme')
    expect(status).toBe(200)
    expect(body).toMatchObject({ name: 'acme', kind: 'shared', settings: { public_read: false } })
  })

  it('401, 403: shows nothing to callers who may only read its public flows', async () => {
    await app.admin.put('/flows/acme', { name: 'open', description: '', visibility: 'public' })
    await app.admin.patch('/organizations/acme', { settings: { public_read: true } })
    for (const [visitor, status] of [
      [app.anonymous, 401],
      [app.outsider, 403],
    ] as const) {
      expect((await visitor.get('/flows/acme/open')).status).toBe(200)
      const refused = await visitor.get('/organizations/acme')
      expect([refused.status, Object.keys(refused.body)]).toEqual([status, ['message']])
    }
    await app.admin.patch('/organizations/acme', { settings: { public_read: false } })
  })
})

describe('GET /organizations/{org}/usage', () => {
  it('200: counts the bytes of attachments, identical content once', async () => {
    await app.member.put('/flows/acme', { name: 'ci', description: '' })
    await app.member.put('/trails/acme/ci', { name: 'run' })
    for (const attestation_name of ['one', 'two']) {
      await app.member.form('POST', '/attestations/acme/ci/trail/run/generic', {
        data_json: JSON.stringify({ attestation_name, is_compliant: true }),
        attachment_file: makeFile('12 bytes ...'),
      })
    }
    const { status, body } = await app.admin.get('/organizations/acme/usage')
    expect(status).toBe(200)
    expect(body).toEqual({
      requests_per_second: { quota: null, used: null },
      evidence_bytes: { quota: null, used: 12 },
      jq_seconds_per_hour: { quota: null, used: expect.any(Number) },
    })
  })

  it('403: shows it to admins only', async () => {
    for (const client of [app.member, app.snapshotter, app.reader, app.outsider]) {
      expect((await client.get('/organizations/acme/usage')).status).toBe(403)
    }
  })
})
