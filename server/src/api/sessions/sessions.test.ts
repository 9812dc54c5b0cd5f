// The caller's own sessions: listing and ending them. server/test/sessions.test.ts tests everything else about sessions.
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { type Browser, insertSession, makeBrowser } from '../../../test/browser.ts'
import { startTestApp, type TestApp } from '../../../test/harness.ts'
import { SESSION_COOKIE } from '../../lib/session-token.ts'

const HOUR_MS = 60 * 60 * 1000

let app: TestApp
beforeAll(async () => {
  app = await startTestApp()
})
afterAll(() => app.stop())

async function newSignedInBrowser(user: string): Promise<Browser> {
  const browser = makeBrowser(app.server)
  browser.cookies.set(SESSION_COOKIE, await insertSession(app, user))
  return browser
}

describe("the caller's own sessions", () => {
  it('are listed, newest first, with the current one marked', async () => {
    app.clock.advance(8 * 24 * HOUR_MS)
    const first = await newSignedInBrowser('max')
    app.clock.advance(1000)
    const second = await newSignedInBrowser('max')
    await newSignedInBrowser('rita')
    const { body } = await first.get('/api/v2/user/sessions')
    expect(body.map((session: { is_current: boolean }) => session.is_current)).toEqual([false, true])
    expect(body[0].created_at).toBe(app.clock.now().getTime() / 1000)
    const byKey = await app.member.get('/user/sessions')
    expect(byKey.body.map((session: { is_current: boolean }) => session.is_current)).toEqual([false, false])
    expect(JSON.stringify(body)).not.toContain(second.session())
  })

  it('can be ended one by one, with immediate effect', async () => {
    app.clock.advance(8 * 24 * HOUR_MS)
    const doomed = await newSignedInBrowser('max')
    expect((await doomed.get('/auth/session')).status).toBe(200)
    const { body } = await app.member.get('/user/sessions')
    const path = `/user/sessions/${body[0].session_id}`
    expect((await app.outsider.delete(path)).status).toBe(404)
    expect((await doomed.get('/auth/session')).status).toBe(200)
    expect((await app.member.delete(path)).status).toBe(200)
    expect((await doomed.get('/auth/session')).status).toBe(401)
    expect((await app.member.delete(path)).status).toBe(404)
    expect((await app.member.delete('/user/sessions/no-id')).status).toBe(404)
  })

  it('can all be ended except the current one', async () => {
    app.clock.advance(8 * 24 * HOUR_MS)
    const [one, two, three] = [
      await newSignedInBrowser('max'),
      await newSignedInBrowser('max'),
      await newSignedInBrowser('max'),
    ]
    const foreign = await newSignedInBrowser('rita')
    const open = (await one.get('/api/v2/user/sessions')).body.length
    expect(open).toBe(3)
    expect((await one.send('DELETE', '/api/v2/user/sessions', one.csrf())).status).toBe(200)
    expect((await one.get('/auth/session')).status).toBe(200)
    expect((await two.get('/auth/session')).status).toBe(401)
    expect((await three.get('/auth/session')).status).toBe(401)
    expect((await foreign.get('/auth/session')).status).toBe(200)
    expect((await app.member.delete('/user/sessions')).body.ended).toBe(1)
    expect((await one.get('/auth/session')).status).toBe(401)
  })
})

describe('403', () => {
  it('is returned to service accounts, which have no sessions', async () => {
    await app.admin.post('/service-accounts/acme', { name: 'robot', privilege: 'admin' })
    const { body } = await app.admin.post('/service-accounts/acme/robot/api-keys', { description: 'x' })
    const robot = app.makeClientWith(body.key)
    for (const { status } of [
      await robot.get('/user/sessions'),
      await robot.delete('/user/sessions'),
      await robot.delete('/user/sessions/no-id'),
    ]) {
      expect(status).toBe(403)
    }
  })
})
