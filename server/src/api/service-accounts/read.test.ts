import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { startTestApp, type TestApp } from '../../../test/harness.ts'

const ACCOUNTS = '/service-accounts/acme'

let app: TestApp
beforeAll(async () => {
  app = await startTestApp()
  for (const name of ['beta', 'alpha', 'gone']) await app.admin.post(ACCOUNTS, { name, description: name })
  await app.admin.delete(`${ACCOUNTS}/gone`)
  await app.outsider.post('/service-accounts/other-corp', { name: 'theirs' })
})
afterAll(() => app.stop())

describe('200', () => {
  it('lists the active accounts of the org by name, including those of others', async () => {
    const { status, body } = await app.snapshotter.get(ACCOUNTS)
    expect(status).toBe(200)
    expect(body.map(({ name }: { name: string }) => name)).toEqual(['alpha', 'beta'])
    expect(body[0]).toEqual((await app.member.get(`${ACCOUNTS}/alpha`)).body)
  })

  it('returns an empty creator for accounts made by the admin CLI', async () => {
    await app.sql(
      `insert into service_accounts (org_id, service_account_id, name, display_name, privilege, created_at)
       select org_id, gen_random_uuid(), 'old', 'old', 'member', now() from orgs where name = 'acme'`,
    )
    expect((await app.admin.get(`${ACCOUNTS}/old`)).body).toMatchObject({
      creating_user_id: '',
      privilege: 'member',
    })
  })
})

describe('403', () => {
  it.each([ACCOUNTS, `${ACCOUNTS}/alpha`, `${ACCOUNTS}/nothing`])('refuses a reader %s', async path => {
    const { status, body } = await app.reader.get(path)
    expect(status).toBe(403)
    expect(body).toEqual({ message: "You don't have permission to access this resource" })
  })

  it('refuses strangers even in a public org', async () => {
    await app.sql(`update orgs set settings = '{"public_read": true}' where name = 'acme'`)
    expect((await app.anonymous.get(ACCOUNTS)).status).toBe(401)
    expect((await app.outsider.get(ACCOUNTS)).status).toBe(403)
    await app.sql(`update orgs set settings = '{}' where name = 'acme'`)
  })
})

describe('404', () => {
  it.each(['nothing', 'gone', 'theirs'])('does not find %s', async name => {
    const { status, body } = await app.admin.get(`${ACCOUNTS}/${name}`)
    expect(status).toBe(404)
    expect(body).toEqual({ message: 'Service account not found' })
  })
})
