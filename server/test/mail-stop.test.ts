// The link with which whoever reads an address stops all mail of organizations to it, without an account.
import { afterAll, beforeAll, beforeEach, describe, expect, it } from 'vitest'
import { showMailStop } from '../src/admin/mail-stop.ts'
import { withOwnerTransaction } from '../src/db/owner.ts'
import { makeIds } from '../src/lib/ids.ts'
import { makeSealer } from '../src/lib/sealer.ts'
import { systemSecrets } from '../src/lib/secrets.ts'
import { makeBrowser, setEmail } from './browser.ts'
import { BASE_URL, SECRET_KEY, startTestApp, type TestApp } from './harness.ts'
import {
  type Arrived,
  inviteFromAll,
  type MailWorker,
  makeMailWorker,
  notify,
  openOrgs,
  readMailStates,
  type Stranger,
} from './mail-worker.ts'

const DAY_MS = 86_400_000

let app: TestApp
let strangers: Stranger[]
let own: Stranger
let mails: MailWorker
beforeAll(async () => {
  app = await startTestApp()
  const opened = await openOrgs(app, ['mallory', 'mallet'])
  own = opened[0] as Stranger
  strangers = opened.slice(1)
  mails = makeMailWorker(app)
})
afterAll(() => app.stop())
beforeEach(() => {
  app.clock.advance(2 * DAY_MS)
})

async function inviteAndSend(email: string): Promise<void> {
  await inviteFromAll(strangers, email)
  await mails.deliver()
}

/** The mail of one invitation. */
async function inviteOnce(email: string): Promise<Arrived[]> {
  await mails.deliver()
  mails.arrived.length = 0
  await inviteFromAll([own], email)
  await mails.deliver()
  return [...mails.arrived]
}

const getStopPath = ({ stop_url = '' }: Partial<Arrived> = {}) => stop_url.slice(BASE_URL.length)
const post = (url: string, payload = 'List-Unsubscribe=One-Click') =>
  app.server.inject({
    method: 'POST',
    url,
    payload,
    headers: { 'content-type': 'application/x-www-form-urlencoded' },
  })
const allowPath = (path: string) => path.replace('/stop', '/allow')

describe('the link to stop all mail', () => {
  it('stops nothing when a scanner opens it, and shows a button', async () => {
    const [mail] = await inviteOnce('scanned@public.example')
    expect(mail?.text).toContain(`Stop all mail from this service to this address: ${mail?.stop_url}`)
    expect(mail?.html).toContain(mail?.stop_url)
    const page = await app.server.inject({ url: getStopPath(mail) })
    expect([page.statusCode, page.body]).toEqual([200, expect.stringContaining('Stop all mail</button>')])
    expect(page.body).not.toContain('scanned')
    await inviteAndSend('scanned@public.example')
    expect(await readMailStates(strangers, 'scanned@public.example')).not.toContain('stopped')
  })

  it.each([
    ['a form', 'application/x-www-form-urlencoded', 'List-Unsubscribe=One-Click'],
    [
      'multipart',
      'multipart/form-data; boundary=x',
      '--x\r\nContent-Disposition: form-data; name="List-Unsubscribe"\r\n\r\nOne-Click\r\n--x--\r\n',
    ],
  ])(
    'stops invitations, notifications and digests with one POST from anywhere, as %s',
    async (kind, type, payload) => {
      const email = `stops-${type.length}@public.example`
      const [mail] = await inviteOnce(email)
      await inviteAndSend(email)
      const headers = { 'content-type': type, origin: 'https://mail.example', 'sec-fetch-site': 'cross-site' }
      const answered = await app.server.inject({ method: 'POST', url: getStopPath(mail), payload, headers })
      expect([answered.statusCode, answered.body]).toEqual([200, expect.stringContaining('Mail is stopped')])
      mails.arrived.length = 0
      app.clock.advance(DAY_MS)
      await mails.sendDigests()
      for (const { org, client } of strangers) {
        const { body } = await client.get(`/invitations/${org}`)
        const { id } = body.find((one: { email: string }) => one.email === email)
        expect((await client.post(`/invitations/${org}/${id}/resend`)).body.mail).toBe('waiting')
      }
      await mails.deliver()
      expect(await readMailStates(strangers, email)).toEqual(Array(strangers.length).fill('stopped'))
      await notify(app, email)
      await mails.deliver()
      expect([kind, mails.arrived.filter(({ to }) => to === email)]).toEqual([kind, []])
      const { deliveries } = (
        await app.admin.get('/notification-deliveries/acme?status=suppressed&per_page=1')
      ).body
      expect(deliveries).toMatchObject([
        { status: 'suppressed', suppressed: 'stopped', error: null, attempts: 1 },
      ])
      expect(deliveries[0].target).toMatchObject({ shown: email })
      const { attempt_log } = (await app.admin.get(`/notification-deliveries/acme/${deliveries[0].id}`)).body
      expect(attempt_log).toEqual([])
    },
  )

  it('leaves the sign-in links that the person asks for', async () => {
    await setEmail(app, 'rita', 'rita@public.example')
    const [mail] = await inviteOnce('rita@public.example')
    await post(getStopPath(mail))
    mails.arrived.length = 0
    await makeBrowser(app.server).submit('/auth/link', { email: 'rita@public.example' })
    await mails.deliver()
    expect(mails.arrived.map(({ to, subject }) => [to, subject])).toEqual([
      ['rita@public.example', 'Sign in to Waybill'],
    ])
  })

  it('is undone from its page', async () => {
    const [mail] = await inviteOnce('undone@public.example')
    const path = getStopPath(mail)
    await post(path)
    expect((await app.server.inject({ url: path })).body).toContain('Allow mail again</button>')
    expect((await post(allowPath(path))).body).toContain('Mail is allowed again')
    mails.arrived.length = 0
    await inviteAndSend('undone@public.example')
    expect(mails.arrived.length).toBeGreaterThan(0)
  })

  it('is undone by the operator, who sees it', async () => {
    const [mail] = await inviteOnce('lost@public.example')
    await post(getStopPath(mail))
    const show = (allow: boolean) =>
      withOwnerTransaction(app.owner, tx => {
        const admin = {
          tx,
          ids: makeIds(app.clock),
          secrets: systemSecrets,
          now: app.clock.now(),
          changes: [],
        }
        return showMailStop(admin, makeSealer(SECRET_KEY), 'Lost@public.example', { allow })
      })
    expect((await show(false)).lines).toEqual([expect.stringContaining('has stopped all mail since')])
    expect((await show(true)).lines).toEqual([expect.stringContaining('accepts mail again')])
    expect((await show(false)).lines).toEqual(['Lost@public.example accepts mail'])
  })

  it('works for no other address, and 403 for a changed one', async () => {
    const [mail] = await inviteOnce('changed@public.example')
    const path = getStopPath(mail)
    const other = path.replace(/token=./, token => (token.endsWith('0') ? 'token=1' : 'token=0'))
    for (const url of [other, path.slice(0, -1), '/auth/mail/stop', allowPath(other)]) {
      expect((await post(url)).statusCode).toBe(403)
    }
    expect((await app.server.inject({ url: other })).statusCode).toBe(403)
    expect(await app.sql('select from mail_recipients where stopped_at = $1', [app.clock.now()])).toEqual([])
  })
})

describe('a target with several addresses', () => {
  it('is delivered to the others, and the log names who gets none', async () => {
    const [mail] = await inviteOnce('quiet@public.example')
    await post(getStopPath(mail))
    mails.arrived.length = 0
    await notify(app, 'quiet@public.example', 'loud@public.example')
    await mails.deliver()
    expect(mails.arrived.map(({ to }) => to)).toEqual(['loud@public.example'])
    const [delivery] = (await app.admin.get('/notification-deliveries/acme?per_page=1')).body.deliveries
    const { status, attempt_log } = (await app.admin.get(`/notification-deliveries/acme/${delivery.id}`)).body
    expect([status, attempt_log[0].answer]).toEqual([
      'delivered',
      'Accepted for 1 of 2 addresses. quiet@public.example accepts no mail from this service. 250 OK',
    ])
  })
})

describe('what is stored', () => {
  it('names no address, and is forgotten after a day without mail unless mail is stopped', async () => {
    const [mail] = await inviteOnce('secret@public.example')
    await inviteAndSend('secret@public.example')
    const readAll = async () =>
      JSON.stringify([
        await app.sql('select * from mail_recipients'),
        await app.sql('select * from held_mails'),
      ])
    expect(await readAll()).not.toMatch(/secret|public/)
    expect((await app.sql('select from held_mails')).length).toBeGreaterThan(0)
    await post(getStopPath(mail))
    app.clock.advance(2 * DAY_MS)
    await mails.sendDigests()
    await mails.sendDigests()
    expect(await app.sql('select from mail_recipients where stopped_at is null')).toEqual([])
    expect((await app.sql('select from mail_recipients')).length).toBeGreaterThan(0)
  })
})
