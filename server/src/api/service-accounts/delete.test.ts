import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { startTestApp, type TestApp } from '../../../test/harness.ts'

const ACCOUNTS = '/service-accounts/acme'

let app: TestApp
beforeAll(async () => {
  app = await startTestApp()
})
afterAll(() => app.stop())

describe('200', () => {
  it('deletes the account and revokes its keys immediately, and frees the name', async () => {
    await app.member.post(ACCOUNTS, { name: 'ending' })
    const first = await app.member.post(`${ACCOUNTS}/ending/api-keys`, { description: 'one' })
    const second = await app.member.post(`${ACCOUNTS}/ending/api-keys`, { description: 'two' })
    const robot = app.makeClientWith(first.body.key)
    expect((await robot.get('/flows/acme')).status).toBe(200)
    const { status, body } = await app.member.delete(`${ACCOUNTS}/ending`)
    expect([status, body]).toEqual([200, 'OK'])
    expect((await robot.get('/flows/acme')).status).toBe(401)
    expect((await app.makeClientWith(second.body.key).get('/flows/acme')).status).toBe(401)
    const keys = await app.sql('select revoked_by from service_account_keys where revoked_at is not null')
    expect(keys).toEqual([{ revoked_by: 'max' }, { revoked_by: 'max' }])
    const [event] = await app.readEvents('service_account_deleted')
    expect(event?.data).toMatchObject({ service_account: 'ending', privilege: 'reader', description: '' })
    const revoked = event?.data.revoked_keys as { key_id: string; hint: string }[]
    expect(revoked.map(({ key_id }) => key_id).sort()).toEqual([first.body.id, second.body.id].sort())
    expect(JSON.stringify(event)).not.toContain(first.body.key)

    expect((await app.admin.post(ACCOUNTS, { name: 'ending' })).status).toBe(201)
    expect((await robot.get('/flows/acme')).status).toBe(401)
    expect((await app.admin.get(`${ACCOUNTS}/ending/api-keys`)).body).toEqual([])
    // The name belongs to a new account now, which the creator of the first one cannot manage.
    expect((await app.member.delete(`${ACCOUNTS}/ending`)).status).toBe(403)
  })

  it('lets one of many concurrent requests succeed', async () => {
    await app.admin.post(ACCOUNTS, { name: 'raced' })
    const racers = Array.from({ length: 16 }, () => app.admin.delete(`${ACCOUNTS}/raced`))
    const statuses = (await Promise.all(racers)).map(({ status }) => status).sort()
    expect(statuses).toEqual([200, ...Array(15).fill(404)])
  })

  it('leaves no key that was created concurrently', async () => {
    await app.admin.post(ACCOUNTS, { name: 'meeting' })
    const path = `${ACCOUNTS}/meeting`
    const [, ...made] = await Promise.all([
      app.admin.delete(path),
      ...Array.from({ length: 12 }, () => app.admin.post(`${path}/api-keys`, { description: 'late' })),
    ])
    for (const { status, body } of made) {
      expect([201, 404]).toContain(status)
      if (status === 201) expect((await app.makeClientWith(body.key).get('/flows/acme')).status).toBe(401)
    }
    expect(
      await app.sql(
        `select 1 from service_account_keys k join service_accounts a using (org_id, service_account_id)
         where a.deleted_at is not null and k.revoked_at is null`,
      ),
    ).toEqual([])
  })
})

describe('403', () => {
  it.each(['snapshotter', 'member'] as const)('refuses a %s accounts that others created', async role => {
    await app.admin.post(ACCOUNTS, { name: 'of-ada' })
    const { status, body } = await app[role].delete(`${ACCOUNTS}/of-ada`)
    expect(status).toBe(403)
    expect(body).toEqual({ message: "You don't have permission to access this resource" })
    expect((await app.admin.get(`${ACCOUNTS}/of-ada`)).status).toBe(200)
  })
})

describe('404', () => {
  it('for an unknown account', async () => {
    const { status, body } = await app.admin.delete(`${ACCOUNTS}/nothing`)
    expect([status, body]).toEqual([404, { message: 'Service account not found' }])
  })
})
