import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { startTestApp, type TestApp } from '../../../test/harness.ts'
import { restoreOrg } from '../../admin/people.ts'
import { withOwnerTransaction } from '../../db/owner.ts'
import { makeIds } from '../../lib/ids.ts'
import { systemSecrets } from '../../lib/secrets.ts'

let app: TestApp
beforeAll(async () => {
  app = await startTestApp()
})
afterAll(() => app.stop())

const DENIED = (path: string) => ({ message: `Access denied to /api/v2${path}` })

async function restore(name: string): Promise<string[]> {
  const changes: string[] = []
  await withOwnerTransaction(app.owner, tx =>
    restoreOrg({ tx, ids: makeIds(app.clock), secrets: systemSecrets, now: app.clock.now(), changes }, name),
  )
  return changes
}

describe('DELETE /organizations/{org}', () => {
  it('400: requires the name as confirmation', async () => {
    for (const confirm of ['', 'ACME', 'other-corp']) {
      const { status, body } = await app.admin.delete('/organizations/acme', { confirm })
      expect(status).toBe(400)
      expect(Object.keys(body.errors)).toEqual(['confirm'])
    }
  })

  it('409: does not delete personal organizations', async () => {
    const { status, body } = await app.admin.delete('/organizations/ada', { confirm: 'ada' })
    expect(status).toBe(409)
    expect(body).toEqual({ message: "'ada' is a personal organization and cannot be deleted" })
  })

  it('200: closes it to everyone immediately, until an operator restores it', async () => {
    await app.admin.patch('/organizations/acme', { settings: { public_read: true } })
    for (const client of [app.admin, app.member, app.reader, app.anonymous]) {
      expect((await client.get('/flows/acme')).status).toBe(200)
    }
    const { status, body } = await app.admin.delete('/organizations/acme', { confirm: 'acme' })
    const now_s = app.clock.now().getTime() / 1000
    expect(status).toBe(200)
    expect(body).toEqual({ name: 'acme', delete_requested_at: now_s, delete_after: now_s + 14 * 86_400 })
    for (const client of [app.admin, app.member, app.reader]) {
      const refused = await client.get('/flows/acme')
      expect([refused.status, refused.body]).toEqual([403, DENIED('/flows/acme')])
    }
    expect((await app.anonymous.get('/flows/acme')).status).toBe(401)
    expect((await app.admin.get('/organizations')).text).not.toContain('acme')
    expect((await app.admin.post('/organizations', { name: 'acme' })).status).toBe(409)
    expect((await app.readEvents('org_delete_requested')).at(-1)?.data).toEqual({
      org: 'acme',
      before: { delete_requested_at: null, delete_after: null },
      after: { delete_requested_at: now_s, delete_after: now_s + 14 * 86_400 },
    })

    expect(await restore('acme')).toEqual(['restored organization acme'])
    expect(await restore('acme')).toEqual([])
    // The auth cache keeps what it found while the org was closed for a few seconds.
    app.clock.advance(10_000)
    for (const client of [app.admin, app.reader]) expect((await client.get('/flows/acme')).status).toBe(200)
    expect((await app.readEvents('org_restored')).at(-1)).toMatchObject({
      actor: 'admin program',
      data: { source: 'script', after: { delete_after: null } },
    })
    await expect(restore('no-such-org')).rejects.toThrow('There is no organization no-such-org')
  })
})
