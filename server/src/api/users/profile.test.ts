// A person's own name and mail address: who may change them, and how an address is proved.
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { type Browser, insertSession, makeBrowser, setEmail } from '../../../test/browser.ts'
import { startTestApp, type TestApp } from '../../../test/harness.ts'
import { addPerson, listQueuedMails, tokenFor } from '../../../test/people.ts'
import { SESSION_COOKIE } from '../../lib/session-token.ts'

const EMAIL = '/user/settings/email'
const NAME = '/user/settings/display-name'
const PROFILE = '/user/profile'
const HOUR_MS = 3_600_000

let app: TestApp
beforeAll(async () => {
  app = await startTestApp()
})
afterAll(() => app.stop())

let people = 0
/** A person with a key and a browser, so that no test uses up another's limits. */
async function makePerson() {
  people += 1
  const name = `person-${people}`
  const client = await addPerson(app, name, 'reader')
  return { name, client, browser: await openBrowser(name), email: `${name}@example.com` }
}

async function openBrowser(name: string): Promise<Browser> {
  const browser = makeBrowser(app.server)
  browser.cookies.set(SESSION_COOKIE, await insertSession(app, name))
  return browser
}

const readEmail = async (client: TestApp['admin']) => (await client.get(PROFILE)).body.email
const prove = (browser: Browser, token: string) =>
  browser.submit('/auth/address/prove', { token, csrf_token: browser.csrf()['x-csrf-token'] ?? '' })
const readEventsOf = async (name: string) =>
  (await app.sql(
    `select e.kind, e.data from events e join orgs o on o.org_id = e.org_id where o.name = $1 order by e.event_id`,
    [name],
  )) as { kind: string; data: Record<string, unknown> }[]

describe('the display name', () => {
  it('is changed at once, also in lists of members, and is recorded without saying it', async () => {
    const { name, client } = await makePerson()
    expect((await client.put(NAME, { display_name: '  Ada Lovelace ' })).status).toBe(200)
    expect((await client.get(PROFILE)).body).toMatchObject({ name, display_name: 'Ada Lovelace' })
    const changes = (await readEventsOf(name)).filter(({ kind }) => kind === 'user_changed')
    expect(changes).toMatchObject([{ data: { user: name, changed: ['display_name'] } }])
    expect(JSON.stringify(changes)).not.toContain('Lovelace')
    const before = (await readEventsOf(name)).length
    await client.put(NAME, { display_name: 'Ada Lovelace' })
    expect(await readEventsOf(name)).toHaveLength(before)
    await client.put(NAME, { display_name: '' })
    expect((await client.get(PROFILE)).body.display_name).toBeNull()
  })

  it.each([[{ display_name: 'a\nb' }], [{ display_name: 'x'.repeat(201) }], [{ display_name: null }], [{}]])(
    'is refused as %j',
    async body => {
      const answer = await app.member.put(NAME, body)
      expect(answer.status).toBe(400)
      expect(Object.keys(answer.body.errors)).toEqual(['display_name'])
    },
  )
})

describe('a new address', () => {
  it('counts when the link is used: the old one gets a notice and its links stop working', async () => {
    const { name, client, browser, email } = await makePerson()
    const to = `${name}@new.example`
    expect((await client.put(EMAIL, { email: to })).status).toBe(200)
    expect((await client.get(PROFILE)).body).toMatchObject({ email, pending_email: { email: to } })
    const token = await tokenFor(app, to)
    const stored = await app.sql('select * from address_proofs where email = $1', [to])
    expect(JSON.stringify(stored)).not.toContain(token)
    const stranger = makeBrowser(app.server)
    await stranger.submit('/auth/link', { email })
    const page = await browser.get(`/auth/address?token=${token}`)
    expect(page.status).toBe(200)
    expect(page.text).toContain(name)
    expect(await readEmail(client)).toBe(email)
    expect(await prove(browser, token)).toMatchObject({
      status: 200,
      text: expect.stringContaining('has changed'),
    })
    expect((await client.get(PROFILE)).body).toMatchObject({ email: to, pending_email: null })
    const notice = (await listQueuedMails(app)).at(-1)
    expect(notice).toMatchObject({ to: email, subject: 'Your mail address in Waybill has changed' })
    expect(notice?.text).not.toContain(to)
    const old = await tokenFor(app, email)
    expect((await stranger.submit('/auth/link/redeem', { token: old })).status).toBe(403)
    const kinds = (await readEventsOf(name)).map(({ kind }) => kind)
    expect(kinds).toEqual(expect.arrayContaining(['email_change_requested', 'user_changed']))
    expect((await readEventsOf(name)).findLast(({ kind }) => kind === 'user_changed')?.data).toMatchObject({
      email: to,
      previous: { email },
    })
  })

  it('is proved once, even when many try at the same time, and only by the latest link', async () => {
    const { name, client, browser } = await makePerson()
    await client.put(EMAIL, { email: `${name}@first.example` })
    const first = await tokenFor(app, `${name}@first.example`)
    await client.put(EMAIL, { email: `${name}@second.example` })
    expect((await prove(browser, first)).status).toBe(403)
    const token = await tokenFor(app, `${name}@second.example`)
    const tries = await Promise.all(Array.from({ length: 8 }, () => prove(browser, token)))
    expect(tries.map(({ status }) => status).sort()).toEqual([200, ...Array(7).fill(403)])
    expect(await readEmail(client)).toBe(`${name}@second.example`)
  })

  it('is proved within an hour', async () => {
    const { name, client, email } = await makePerson()
    await client.put(EMAIL, { email: `${name}@late.example` })
    app.clock.advance(HOUR_MS)
    const browser = await openBrowser(name)
    expect((await prove(browser, await tokenFor(app, `${name}@late.example`))).status).toBe(403)
    expect((await client.get(PROFILE)).body).toMatchObject({ email, pending_email: null })
  })

  it('is proved only in a session of the person who asked', async () => {
    const asked = await makePerson()
    const other = await makePerson()
    await asked.client.put(EMAIL, { email: 'mistyped@example.com' })
    const token = await tokenFor(app, 'mistyped@example.com')
    const nobody = makeBrowser(app.server)
    expect((await nobody.get(`/auth/address?token=${token}`)).text).toContain('Sign in first')
    expect((await prove(nobody, token)).status).toBe(401)
    expect((await prove(other.browser, token)).status).toBe(403)
    expect((await asked.browser.submit('/auth/address/prove', { token, csrf_token: 'x' })).status).toBe(403)
    expect(await readEmail(other.client)).toBe(other.email)
    // The token has not been used up.
    expect((await prove(asked.browser, token)).status).toBe(200)
  })

  it('that another account has gets the same answer and mail, and takes nothing away', async () => {
    const holder = await makePerson()
    const { name, client, browser, email } = await makePerson()
    const known = await client.put(EMAIL, { email: holder.email.toUpperCase() })
    const mail = (await listQueuedMails(app)).at(-1)
    const unknown = await client.put(EMAIL, { email: `${name}@nobody.example` })
    expect([known.status, known.body]).toEqual([unknown.status, unknown.body])
    expect(mail?.subject).toBe((await listQueuedMails(app)).at(-1)?.subject)
    await client.put(EMAIL, { email: holder.email })
    const proved = await prove(browser, await tokenFor(app, holder.email))
    expect(proved.status).toBe(409)
    expect(proved.text).toContain('another account has this address')
    expect(await readEmail(client)).toBe(email)
    expect(await readEmail(holder.client)).toBe(holder.email)
  })

  it('goes to one of two people who prove it at the same time', async () => {
    const both = [await makePerson(), await makePerson()]
    const tokens: string[] = []
    for (const { client } of both) {
      await client.put(EMAIL, { email: 'shared@example.com' })
      tokens.push(await tokenFor(app, 'shared@example.com'))
    }
    const tries = await Promise.all(both.map(({ browser }, i) => prove(browser, tokens[i] ?? '')))
    expect(tries.map(({ status }) => status).sort()).toEqual([200, 409])
    expect(await app.sql(`select name from users where email = 'shared@example.com'`)).toHaveLength(1)
  })

  it('is refused if it is no address or the present one', async () => {
    const { client, email } = await makePerson()
    for (const wrong of ['no address', '', email.toUpperCase()]) {
      const answer = await client.put(EMAIL, { email: wrong })
      expect(answer.status).toBe(400)
      expect(Object.keys(answer.body.errors)).toEqual(['email'])
    }
  })
})

describe('limits', () => {
  it('allow five links an hour to a person', async () => {
    const { name, client } = await makePerson()
    for (let i = 0; i < 5; i++)
      expect((await client.put(EMAIL, { email: `${name}-${i}@example.com` })).status).toBe(200)
    const mails = (await listQueuedMails(app)).length
    const refused = await client.put(EMAIL, { email: `${name}-6@example.com` })
    expect(refused.status).toBe(429)
    expect(await listQueuedMails(app)).toHaveLength(mails)
    app.clock.advance(HOUR_MS)
    expect((await client.put(EMAIL, { email: `${name}-7@example.com` })).status).toBe(200)
  })

  it('allow five links an hour to an address, whoever asks', async () => {
    for (let i = 0; i < 5; i++)
      expect((await (await makePerson()).client.put(EMAIL, { email: 'Flooded@example.com' })).status).toBe(
        200,
      )
    expect((await (await makePerson()).client.put(EMAIL, { email: 'flooded@example.com' })).status).toBe(429)
  })
})

describe('a managed address', () => {
  it('that came with single sign-on is changed there, until the person has none', async () => {
    const { name, client } = await makePerson()
    await app.sql(
      `insert into identities (issuer, subject, user_id, created_at, last_seen_at)
       select 'https://idp.example', name, user_id, now(), now() from users where name = $1`,
      [name],
    )
    expect((await client.get(PROFILE)).body.email_managed_by).toBe('single_sign_on')
    const refused = await client.put(EMAIL, { email: `${name}@elsewhere.example` })
    expect(refused.status).toBe(409)
    expect(refused.body.message).toContain('identity provider')
    await app.sql('update users set email = null where name = $1', [name])
    expect((await client.put(EMAIL, { email: `${name}@elsewhere.example` })).status).toBe(200)
  })

  it('in a domain that an organization of the person has proved is changed there', async () => {
    const { name, client, browser } = await makePerson()
    await client.put(EMAIL, { email: `${name}@private.example` })
    await app.sql(
      `insert into mail_domains (org_id, domain, challenge, created_by, created_at, proved_at)
       select org_id, 'corp.example', 'x', 'ada', now(), now() from orgs where name = 'acme'`,
    )
    await setEmail(app, name, `${name}@corp.example`)
    expect((await client.get(PROFILE)).body.email_managed_by).toBe('directory')
    expect((await client.put(EMAIL, { email: `${name}@elsewhere.example` })).status).toBe(409)
    // A link mailed earlier does not work either.
    expect((await prove(browser, await tokenFor(app, `${name}@private.example`))).status).toBe(403)
    expect(await readEmail(client)).toBe(`${name}@corp.example`)
    await setEmail(app, 'oscar', 'oscar@corp.example')
    expect((await app.outsider.get(PROFILE)).body.email_managed_by).toBeNull()
  })
})

describe('401', () => {
  it.each([
    ['GET', PROFILE],
    ['PUT', EMAIL],
    ['PUT', NAME],
  ] as const)('%s %s is for people who are known', async (method, path) => {
    const send = method === 'GET' ? app.anonymous.get(path) : app.anonymous.put(path, {})
    expect((await send).status).toBe(401)
  })
})
