// Somebody with a directory of their own tries to become the person whom another organization invites: they provision the
// invited address before that person exists, and move it back and forth while the invitation is accepted.
import { afterAll, beforeAll, expect, it } from 'vitest'
import { acceptInvitation, newBrowser } from './browser.ts'
import { ORG, OTHER_ORG, type TestApp, testApp } from './harness.ts'
import { tokenFor } from './people.ts'
import { repetitions } from './repetitions.ts'
import { type Provider, providerOf } from './scim.ts'

const TRIES = repetitions(60, 200)
const MOVES = 3

let app: TestApp
let directory: Provider
beforeAll(async () => {
  app = await testApp()
  directory = await providerOf(app, app.outsider, OTHER_ORG)
})
afterAll(() => app.stop())

it('never makes a directory the owner of an invited account', async () => {
  const taken: string[] = []
  for (let i = 0; i < TRIES; i++) {
    // Another hour: as many invitations as a directory may send.
    app.clock.advance(3_600_000)
    const theirs = `boss-${i}@victim.example`
    const own = `boss-${i}@attacker.example`
    const { id } = await directory.user(`boss-${i}`, { emails: [{ value: theirs, primary: true }] })
    const move = (value: string) =>
      directory.patch(`/Users/${id}`, { op: 'replace', path: 'emails', value: [{ value, primary: true }] })
    const invited = await app.admin.post(`/invitations/${ORG}`, { email: theirs, role: 'admin' })
    expect(invited.status).toBe(201)
    const token = await tokenFor(app, theirs)
    const moving = async () => {
      for (let moved = 0; moved < MOVES; moved++) {
        await move(own)
        if (moved < MOVES - 1) await move(theirs)
      }
    }
    await Promise.all([moving(), acceptInvitation(newBrowser(app.server), token)])
    const admins = await app.sql(
      `select u.name from users u join memberships m on m.user_id = u.user_id join orgs o on o.org_id = m.org_id
       where o.name = $1 and u.email_key = $2`,
      [ORG, own],
    )
    taken.push(...admins.map(({ name }) => String(name)))
  }
  expect(taken).toEqual([])
})
