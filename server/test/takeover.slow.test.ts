// Account takeover: an attacker tries to become an invited person. With their own directory, they provision the
// invited address before that person exists, and move it back and forth during acceptance. Or they accept while the
// address is passing to another person.
import { afterAll, beforeAll, expect, it } from 'vitest'
import { acceptInvitation, makeBrowser } from './browser.ts'
import { BASE_URL, ORG, OTHER_ORG, startTestApp, type TestApp } from './harness.ts'
import { CLIENT, type FaultyProvider, startFaultyProvider } from './identity-providers.ts'
import { countWaiting, stopInserts } from './locks.ts'
import { until } from './patience.ts'
import { tokenFor } from './people.ts'
import { chooseRepetitions } from './repetitions.ts'
import { makeProvider, type Provider } from './scim.ts'

const TRIES = chooseRepetitions(6, 200)
const MOVES = 3
const HOUR_MS = 3_600_000

let app: TestApp
let directory: Provider
let identities: FaultyProvider
beforeAll(async () => {
  identities = await startFaultyProvider()
  const providers = [{ ...CLIENT, id: 'own', issuer: identities.issuer }]
  app = await startTestApp({ settings: { WAYBILL_OIDC_PROVIDERS: JSON.stringify(providers) } })
  directory = await makeProvider(app, app.outsider, OTHER_ORG)
})
afterAll(async () => {
  await app.stop()
  await identities.stop()
})

it('never makes a directory the owner of an invited account', async () => {
  const taken: string[] = []
  for (let i = 0; i < TRIES; i++) {
    // Invitations are limited per hour.
    app.clock.advance(HOUR_MS)
    const theirs = `boss-${i}@victim.example`
    const own = `boss-${i}@attacker.example`
    const { id } = await directory.user(`boss-${i}`, { emails: [{ value: theirs, primary: true }] })
    const move = (value: string) =>
      directory.patch(`/Users/${id}`, { op: 'replace', path: 'emails', value: [{ value, primary: true }] })
    const invited = await app.admin.post(`/invitations/${ORG}`, { email: theirs, role: 'admin' })
    expect(invited.status).toBe(201)
    const token = await tokenFor(app, theirs)
    const moveRepeatedly = async () => {
      for (let moved = 0; moved < MOVES; moved++) {
        await move(own)
        if (moved < MOVES - 1) await move(theirs)
      }
    }
    await Promise.all([moveRepeatedly(), acceptInvitation(makeBrowser(app.server), token)])
    const admins = await app.sql(
      `select u.name from users u join memberships m on m.user_id = u.user_id join orgs o on o.org_id = m.org_id
       where o.name = $1 and u.email_key = $2`,
      [ORG, own],
    )
    taken.push(...admins.map(({ name }) => String(name)))
  }
  expect(taken).toEqual([])
})

it('gives an address to nobody else while its owner accepts an invitation to it', async () => {
  const email = 'desk@victim.example'
  expect(await signIn('former', email)).toBe(303)
  expect((await app.admin.post(`/invitations/${ORG}`, { email, role: 'member' })).status).toBe(201)
  const token = await tokenFor(app, email)
  const resume = await stopInserts(app, { table: 'memberships', at: 'insert', where: `new.role = 'member'` })
  const accepting = acceptInvitation(makeBrowser(app.server), token)
  await until(async () => (await countWaiting(app)) === 1)
  let isGiven = false
  const giving = signIn('present', email).then(status => {
    isGiven = true
    return status
  })
  await until(async () => isGiven || (await countWaiting(app)) === 2)
  expect(isGiven).toBe(false)
  await resume()
  expect([(await accepting).status, await giving]).toEqual([303, 303])
  const members = await app.sql(
    `select i.subject, u.email, m.role from identities i join users u on u.user_id = i.user_id
     left join (memberships m join orgs o on o.org_id = m.org_id and o.name = $1) on m.user_id = u.user_id
     where i.subject in ('former', 'present') order by i.subject`,
    [ORG],
  )
  expect(members).toEqual([
    { subject: 'former', email: null, role: 'member' },
    { subject: 'present', email, role: null },
  ])
})

async function signIn(sub: string, email: string): Promise<number> {
  const browser = makeBrowser(app.server)
  const { location = '' } = await browser.get('/auth/sso/own')
  const callback = identities.signIn(location, { sub, email, email_verified: true }, {})
  return (await browser.get(callback.slice(BASE_URL.length))).status
}
