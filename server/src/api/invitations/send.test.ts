import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { BASE_URL, startTestApp, type TestApp } from '../../../test/harness.ts'
import { addPerson, listQueuedMails, tokenFor } from '../../../test/people.ts'
import { hashSecret } from '../../lib/secrets.ts'

let app: TestApp
beforeAll(async () => {
  app = await startTestApp()
})
afterAll(() => app.stop())

const invite = (name: string, role = 'member') =>
  app.admin.post('/invitations/acme', { email: `${name}@example.com`, role })

describe('POST /invitations/{org}', () => {
  it('201: returns no token, and mails it', async () => {
    const { status, body, text } = await invite('anna', 'snapshotter')
    const now_s = app.clock.now().getTime() / 1000
    expect(status).toBe(201)
    expect(body).toEqual({
      id: expect.stringMatching(/^[0-9a-f]{8}-/),
      email: 'anna@example.com',
      role: 'snapshotter',
      invited_by: 'ada',
      state: 'pending',
      mail: 'waiting',
      created_at: now_s,
      sent_at: now_s,
      expires_at: now_s + 7 * 86_400,
    })
    const token = await tokenFor(app, 'anna@example.com')
    expect(token).toMatch(/^wb_inv_/)
    expect(text).not.toContain(token)
    const [mail] = await listQueuedMails(app)
    expect(mail).toMatchObject({ to: 'anna@example.com', subject: 'ada invites you to acme' })
    for (const part of [mail?.text, mail?.html]) {
      expect(part).toContain('ada invites you to the organization acme')
      expect(part).toContain(`${BASE_URL}/auth/invitation?token=${token}`)
    }
  })

  it('201: stores only the hash of the token', async () => {
    const token = await tokenFor(app, 'anna@example.com')
    const [stored] = await app.sql("select encode(token_hash, 'hex') as hash from invitations")
    expect(stored?.hash).toBe(hashSecret(token))
    const everything = await app.sql(`select (select json_agg(e) from events e)::text
      || (select json_agg(i) from invitations i)::text || (select json_agg(o) from outbox o)::text as kept`)
    expect(everything[0]?.kept).not.toContain(token)
    expect(await app.readEvents('invitation_sent')).toEqual([
      {
        kind: 'invitation_sent',
        actor: 'ada',
        data: { email: 'anna@example.com', role: 'snapshotter' },
      },
    ])
  })

  it('201: escapes HTML in the mail', async () => {
    await app.admin.post('/invitations/acme', { email: "o'neil&co@example.com", role: 'reader' })
    const mail = (await listQueuedMails(app)).at(-1)
    expect(mail?.html).toContain('o&#39;neil&amp;co@example.com')
    expect(mail?.text).toContain("o'neil&co@example.com")
  })

  it('201: a retry with the same idempotency key is one invitation and one mail', async () => {
    const body = { email: 'once@example.com', role: 'reader' }
    const send = (sent: unknown) =>
      app.admin.call('POST', '/invitations/acme', sent, { 'idempotency-key': 'once' })
    const answers = await Promise.all(Array.from({ length: 8 }, () => send(body)))
    expect(new Set(answers.map(({ status, text }) => `${status} ${text}`)).size).toBe(1)
    expect(answers[0]?.status).toBe(201)
    expect((await listQueuedMails(app)).filter(({ to }) => to === 'once@example.com')).toHaveLength(1)
    expect((await send({ ...body, role: 'admin' })).status).toBe(422)
  })

  it.each([
    'nobody',
    'a b@example.com',
    'a@b@c.org',
    'a@example.com,b@example.com',
    'a@example.com\nBcc: x@y.z',
  ])('400: refuses %j', async email => {
    const { status, body } = await app.admin.post('/invitations/acme', { email, role: 'reader' })
    expect(status).toBe(400)
    expect(body.errors).toEqual({
      email: `Input should be a mail address such as ada@example.com [input: ${email}]`,
    })
  })

  it('400: accepts only the mail domains of the organization', async () => {
    await app.admin.patch('/organizations/acme', { settings: { mail_domains: ['Example.com'] } })
    const { status, body } = await app.admin.post('/invitations/acme', {
      email: 'eve@evil.org',
      role: 'reader',
    })
    expect(status).toBe(400)
    expect(body.errors).toEqual({
      email: "Input should be an address at one of 'example.com' [input: eve@evil.org]",
    })
    for (const email of ['eve@evil-example.com', 'eve@evilexample.com', 'eve@sub.example.com']) {
      expect((await app.admin.post('/invitations/acme', { email, role: 'reader' })).status, email).toBe(400)
    }
    const shouted = await app.admin.post('/invitations/acme', { email: 'fred@EXAMPLE.COM', role: 'reader' })
    expect(shouted.status).toBe(201)
    await app.admin.patch('/organizations/acme', { settings: { mail_domains: [] } })
  })

  it('409: invites an address once, case-insensitive, also for concurrent requests', async () => {
    const answers = await Promise.all(Array.from({ length: 8 }, (_, i) => invite(i % 2 ? 'gina' : 'GINA')))
    expect(answers.map(({ status }) => status).toSorted()).toEqual([201, ...Array(7).fill(409)])
  })

  it('409: does not invite a member', async () => {
    await addPerson(app, 'hugo', 'reader')
    const { status, body } = await invite('Hugo')
    expect(status).toBe(409)
    expect(body).toEqual({ message: "'Hugo@example.com' is the address of an existing member" })
  })

  it('409: does not invite anyone to a personal organization', async () => {
    expect(
      (await app.admin.post('/invitations/ada', { email: 'x@example.com', role: 'reader' })).status,
    ).toBe(409)
  })
})
