// Limits on mailed sign-in links: strangers can neither use up a person's allowance nor flood their mailbox.
import { afterAll, afterEach, beforeAll, describe, expect, it } from 'vitest'
import { makeOwnerDb } from '../src/db/owner.ts'
import { systemSecrets } from '../src/lib/secrets.ts'
import { createHandedLink } from '../src/signin/links.ts'
import { makeBrowser, readMailedToken, readQueuedMails, setEmail, signInByMail } from './browser.ts'
import { startTestApp, type TestApp } from './harness.ts'
import { makeStatementLog } from './statement-log.ts'

const EMAIL = 'max@acme.example'
const STRANGER = '198.51.100.66'
const OWN = '203.0.113.7'

let app: TestApp
beforeAll(async () => {
  app = await startTestApp()
  await setEmail(app, 'max', EMAIL)
})
afterAll(() => app.stop())
// Every test starts with unused limits.
afterEach(() => app.clock.advance(60 * 60_000))

const newBrowserAt = (address: string) => makeBrowser(app.server, address)

async function ask(browser = newBrowserAt(OWN), email = EMAIL): Promise<number> {
  const before = (await readQueuedMails(app)).length
  expect((await browser.post('/auth/link', { email })).status).toBe(202)
  return (await readQueuedMails(app)).length - before
}

async function askFrom(addresses: string[]): Promise<number> {
  let mails = 0
  for (const address of addresses) mails += await ask(newBrowserAt(address))
  return mails
}

describe('strangers', () => {
  it("at one address get ten links, and don't use up the person's own", async () => {
    expect(await askFrom(Array(15).fill(STRANGER))).toBe(10)
    const browser = newBrowserAt(OWN)
    expect(await ask(browser)).toBe(1)
    const entered = await browser.submit('/auth/link/redeem', { token: await readMailedToken(app) })
    expect(entered.status).toBe(303)
  })

  it('in one IPv6 network count as one', async () => {
    const hosts = Array.from({ length: 15 }, (_, i) => `2001:db8:1:2:${i}::${i}`)
    expect(await askFrom(hosts)).toBe(10)
    expect(await askFrom(['2001:db8:1:3::1'])).toBe(1)
  })

  it('at many addresses get thirty in all, and never block a browser that has signed in before', async () => {
    const known = await signInByMail(app, EMAIL, newBrowserAt(OWN))
    app.clock.advance(60 * 60_000)
    const addresses = Array.from({ length: 50 }, (_, i) => `198.51.100.${i}`)
    expect(await askFrom(addresses)).toBe(30)
    expect(await ask(newBrowserAt('192.0.2.1'))).toBe(0)
    expect(await ask(known)).toBe(1)
    const entered = await known.submit('/auth/link/redeem', { token: await readMailedToken(app) })
    expect(entered.status).toBe(303)
  })
})

describe('a new browser, while strangers request links,', () => {
  const flood = () => askFrom(Array.from({ length: 50 }, (_, i) => `198.51.100.${i}`))

  it('gets links of its own once it has opened one of the mails', async () => {
    await flood()
    const browser = newBrowserAt('192.0.2.1')
    expect(await ask(browser)).toBe(0)
    const token = await readMailedToken(app)
    const opened = await browser.submit('/auth/link/redeem', { token })
    expect([opened.status, browser.session()]).toEqual([403, undefined])
    expect(opened.text).toContain('href="/sign-in">Request a new link</a>')
    expect(await ask(browser)).toBe(1)
    const entered = await browser.submit('/auth/link/redeem', { token: await readMailedToken(app) })
    expect(entered.status).toBe(303)
  })

  it('gets none for a link that is made up, of somebody else, or too old', async () => {
    await setEmail(app, 'rita', 'rita@acme.example')
    await ask(newBrowserAt(OWN))
    const old = await readMailedToken(app)
    app.clock.advance(10 * 60_000)
    await flood()
    await ask(newBrowserAt(OWN), 'rita@acme.example')
    const browser = newBrowserAt('192.0.2.1')
    for (const token of [old, await readMailedToken(app), systemSecrets.createToken('link').key])
      await browser.submit('/auth/link/redeem', { token })
    expect(await ask(browser)).toBe(0)
  })

  it('gets them if it has signed in with the printed link', async () => {
    const [max] = await app.sql("select user_id from users where name = 'max'")
    const input = { user_id: String(max?.user_id), now: app.clock.now() }
    const token = await createHandedLink(makeOwnerDb(app.owner), systemSecrets, input)
    const browser = newBrowserAt('192.0.2.1')
    expect((await browser.submit('/auth/link/redeem', { token })).status).toBe(303)
    await flood()
    expect(await ask(browser)).toBe(1)
  })
})

describe('a browser that has signed in before', () => {
  it('has its own limit, wherever it is: one mail a minute', async () => {
    const known = await signInByMail(app, EMAIL, newBrowserAt(OWN))
    app.clock.advance(60 * 60_000)
    expect(await askFrom(Array(10).fill(OWN))).toBe(10)
    expect(await askFrom([OWN])).toBe(0)
    expect(await ask(known)).toBe(1)
    expect(await ask(known)).toBe(0)
    app.clock.advance(60_000)
    expect(await ask(known)).toBe(1)
  })

  it('counts as a stranger for other people', async () => {
    await setEmail(app, 'rita', 'rita@acme.example')
    const known = await signInByMail(app, EMAIL, newBrowserAt(STRANGER))
    app.clock.advance(60 * 60_000)
    for (let i = 0; i < 10; i++) await ask(newBrowserAt(STRANGER), 'rita@acme.example')
    expect(await ask(known, 'rita@acme.example')).toBe(0)
  })
})

it('handles known and unknown addresses in the same way, below and above every limit', async () => {
  const known = await signInByMail(app, EMAIL, newBrowserAt(OWN))
  app.clock.advance(60 * 60_000)
  const answers: unknown[] = []
  const observe = async (browser = newBrowserAt(STRANGER), email = EMAIL) => {
    const { statements, waits, during } = makeStatementLog()
    const { status, text, headers } = await during(() => browser.post('/auth/link', { email }))
    const names = Object.keys(headers).sort()
    answers.push({ status, text, names, statements: statements.length, waits: waits.length })
  }
  await observe()
  await observe(newBrowserAt(STRANGER), 'nobody@acme.example')
  await askFrom(Array(12).fill(STRANGER))
  await observe()
  await observe(known)
  await observe(known)
  await askFrom(Array.from({ length: 40 }, (_, i) => `198.51.100.${i}`))
  await observe(newBrowserAt('192.0.2.1'))
  for (const answer of answers) expect(answer).toEqual(answers[0])
})
