// An invited person signs in with the mail alone: as a new user, or as the user who has the address.
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { acceptInvitation, makeBrowser } from './browser.ts'
import { startTestApp, type TestApp } from './harness.ts'
import { tokenFor } from './people.ts'

let app: TestApp
beforeAll(async () => {
  app = await startTestApp()
})
afterAll(() => app.stop())

const invite = async (email: string, role = 'member') => {
  expect((await app.admin.post('/invitations/acme', { email, role })).status).toBe(201)
  return tokenFor(app, email)
}

const redeem = (token: string, browser = makeBrowser(app.server)) =>
  acceptInvitation(browser, token).then(seen => ({ browser, seen }))

const listMembers = async () =>
  Object.fromEntries(
    (await app.admin.get('/members/acme')).body.map(({ user, role }: { user: string; role: string }) => [
      user,
      role,
    ]),
  )

describe('an invitation', () => {
  it('creates a user, a membership and a session for an unknown person', async () => {
    const token = await invite('Nora.New@example.com')
    const page = await makeBrowser(app.server).get(`/auth/invitation?token=${token}`)
    expect(page.status).toBe(200)
    expect(page.headers['content-security-policy']).toContain("default-src 'none'")
    const { browser, seen } = await redeem(token)
    expect(seen).toMatchObject({ status: 303, location: '/' })
    expect((await browser.get('/auth/session')).body).toMatchObject({ user: 'Nora.New' })
    expect(await listMembers()).toMatchObject({ 'Nora.New': 'member' })
    const [newest] = (await app.admin.get('/membership-audit-log/acme')).body.events
    expect(newest).toMatchObject({ user: 'Nora.New', role: 'member', source: 'invitation' })
  })

  it('signs in the user who already has the address', async () => {
    await app.sql(`update users set email = 'oscar@other.example' where name = 'oscar'`)
    const { browser, seen } = await redeem(await invite('Oscar@Other.example', 'reader'))
    expect(seen.status).toBe(303)
    expect((await browser.get('/auth/session')).body).toMatchObject({ user: 'oscar' })
    expect(await listMembers()).toMatchObject({ oscar: 'reader' })
  })

  it('works once, even when many try at the same time, and viewing it does not use it up', async () => {
    const token = await invite('many@example.com')
    for (let i = 0; i < 5; i++) await makeBrowser(app.server).get(`/auth/invitation?token=${token}`)
    const tries = await Promise.all(Array.from({ length: 16 }, () => redeem(token)))
    expect(tries.map(({ seen }) => seen.status).sort()).toEqual([303, ...Array(15).fill(403)])
    expect(await app.sql(`select name from users where email = 'many@example.com'`)).toHaveLength(1)
  })

  it('does not work when it was withdrawn, has expired or does not exist', async () => {
    const token = await invite('late@example.com')
    app.clock.advance(8 * 24 * 60 * 60 * 1000)
    for (const bad of [token, 'wb_inv_x', '']) {
      const { seen } = await redeem(bad)
      expect([400, 403]).toContain(seen.status)
      expect(seen.set_cookies.filter(cookie => cookie.startsWith('__Host-waybill='))).toEqual([])
    }
    expect(await app.sql(`select name from users where email = 'late@example.com'`)).toEqual([])
  })
})
