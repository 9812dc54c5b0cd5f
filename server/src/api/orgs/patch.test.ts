import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { startTestApp, type TestApp } from '../../../test/harness.ts'

let app: TestApp
beforeAll(async () => {
  app = await startTestApp()
})
afterAll(() => app.stop())

describe('PATCH /organizations/{org}', () => {
  it('200: changes the given fields only, and records before and after', async () => {
    const { status, body } = await app.admin.patch('/organizations/acme', {
      description: 'Things that explode',
      settings: { mail_domains: ['B.example', 'a.example', 'b.example'] },
      features: { controls: false },
    })
    expect(status).toBe(200)
    expect(body).toMatchObject({
      description: 'Things that explode',
      features: { controls: false },
      settings: {
        default_role: 'reader',
        mail_domains: ['a.example', 'b.example'],
        public_read: false,
        sso_required: false,
        break_glass: [],
      },
    })
    expect((await app.reader.get('/organizations/acme')).body).toEqual(body)
    expect((await app.readEvents('org_changed')).at(-1)).toEqual({
      kind: 'org_changed',
      actor: 'ada',
      data: {
        org: 'acme',
        before: { description: '', controls: true, mail_domains: [] },
        after: {
          description: 'Things that explode',
          controls: false,
          mail_domains: ['a.example', 'b.example'],
        },
      },
    })
    const before = (await app.readEvents()).length
    await app.admin.patch('/organizations/acme', { features: { controls: false }, settings: {} })
    expect(await app.readEvents()).toHaveLength(before)
    await app.admin.patch('/organizations/acme', { settings: { mail_domains: [] } })
  })

  it.each([
    [{ settings: { default_role: 'admin' } }, 'settings.default_role'],
    [{ settings: { mail_domains: ['not a domain'] } }, 'settings.mail_domains[0]'],
    [{ settings: { public_read: 'yes' } }, 'settings.public_read'],
    [{ features: { flying: true } }, 'features.flying'],
  ])('400: refuses %j', async (patch, field) => {
    const { status, body } = await app.admin.patch('/organizations/acme', patch)
    expect(status).toBe(400)
    expect(Object.keys(body.errors)).toEqual([field])
  })
})
