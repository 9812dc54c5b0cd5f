import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { BASE_URL, type Client, startTestApp, type TestApp } from '../../../test/harness.ts'
import { addPerson, listQueuedMails, tokenFor } from '../../../test/people.ts'
import { hashSecret, systemSecrets } from '../../lib/secrets.ts'

const DAY_MS = 86_400_000

let app: TestApp
beforeAll(async () => {
  app = await startTestApp()
})
afterAll(() => app.stop())

const invite = (name: string, role = 'member') =>
  app.admin.post('/invitations/acme', { email: `${name}@example.com`, role })
const accept = (client: Client, token: string) => client.post('/user/invitations/accept', { token })

/** Invites a person and returns the token from the mail. */
async function invitePerson(name: string, role = 'member') {
  const client = await addPerson(app, name)
  const { body } = await invite(name, role)
  return { client, id: body.id as string, token: await tokenFor(app, `${name}@example.com`) }
}

const readRole = async (name: string) =>
  (await app.admin.get('/members/acme')).body.find((member: { user: string }) => member.user === name)?.role

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

describe('GET /invitations/{org}', () => {
  it('200: lists open invitations, including expired ones', async () => {
    const { id } = await invitePerson('ida')
    const listStates = async () =>
      (await app.admin.get('/invitations/acme')).body.filter((one: { id: string }) => one.id === id)
    expect(await listStates()).toMatchObject([{ email: 'ida@example.com', state: 'pending' }])
    app.clock.advance(7 * DAY_MS)
    expect(await listStates()).toMatchObject([{ state: 'expired' }])
    expect((await invite('ida')).status).toBe(201)
    expect(await listStates()).toEqual([])
  })
})

describe('POST /invitations/{org}/{invitation_id}/resend', () => {
  it('200: mails a new token for another seven days, and voids the previous one', async () => {
    const { client, id, token } = await invitePerson('jan')
    app.clock.advance(8 * DAY_MS)
    expect((await accept(client, token)).status).toBe(404)
    const { status, body } = await app.admin.post(`/invitations/acme/${id}/resend`)
    expect(status).toBe(200)
    expect(body).toMatchObject({
      id,
      state: 'pending',
      expires_at: app.clock.now().getTime() / 1000 + 7 * 86_400,
    })
    const fresh = await tokenFor(app, 'jan@example.com')
    expect(fresh).not.toBe(token)
    expect((await accept(client, token)).status).toBe(404)
    expect((await accept(client, fresh)).body).toEqual({ org: 'acme', role: 'member' })
    expect((await app.readEvents('invitation_resent')).at(-1)?.data).toEqual({
      email: 'jan@example.com',
      role: 'member',
    })
  })

  it('200: a retry with the same idempotency key sends one mail', async () => {
    const { id } = await invitePerson('jona')
    const before = (await listQueuedMails(app)).length
    const resend = () =>
      app.admin.call('POST', `/invitations/acme/${id}/resend`, undefined, { 'idempotency-key': 'again' })
    const answers = [await resend(), await resend()]
    expect(answers[0]?.text).toBe(answers[1]?.text)
    expect(await listQueuedMails(app)).toHaveLength(before + 1)
  })

  it.each(['00000000-0000-7000-8000-00000000', 'nonsense'])('404: does not find %s', async id => {
    expect((await app.admin.post(`/invitations/acme/${id}/resend`)).body).toEqual({
      message: 'Invitation not found',
    })
  })

  it('404: does not find an invitation of another organization', async () => {
    const { id } = await invitePerson('kai')
    expect((await app.outsider.post(`/invitations/other-corp/${id}/resend`)).status).toBe(404)
    expect((await app.outsider.delete(`/invitations/other-corp/${id}`)).status).toBe(404)
  })
})

describe('DELETE /invitations/{org}/{invitation_id}', () => {
  it('200: voids the token, once', async () => {
    const { client, id, token } = await invitePerson('lea')
    expect((await app.admin.delete(`/invitations/acme/${id}`)).body).toBe('OK')
    expect((await accept(client, token)).body).toEqual({ message: 'Invitation not found' })
    expect((await app.admin.delete(`/invitations/acme/${id}`)).status).toBe(404)
    expect((await app.readEvents('invitation_withdrawn')).at(-1)).toMatchObject({
      actor: 'ada',
      data: { email: 'lea@example.com' },
    })
    expect((await invite('lea')).status).toBe(201)
  })
})

describe('POST /user/invitations/accept', () => {
  it('200: makes the person a member at once, recorded in both histories', async () => {
    const { client, token } = await invitePerson('moe')
    expect((await client.get('/flows/acme')).status).toBe(403)
    expect((await accept(client, token)).body).toEqual({ org: 'acme', role: 'member' })
    expect((await client.get('/flows/acme')).status).toBe(200)
    expect(await readRole('moe')).toBe('member')
    expect((await app.readEvents('member_added')).at(-1)).toEqual({
      kind: 'member_added',
      actor: 'moe',
      data: { source: 'invitation', user: 'moe', role: 'member', previous_role: null },
    })
    expect((await app.readEvents('invitation_accepted')).at(-1)).toMatchObject({ actor: 'moe' })
    const log = (await app.admin.get('/membership-audit-log/acme?per_page=1')).body
    expect(log.events[0]).toMatchObject({ user: 'moe', changed_by: 'moe', source: 'invitation' })
  })

  it('200: compares addresses case-insensitively', async () => {
    const { client, token } = await invitePerson('nils')
    await app.sql("update users set email = 'NILS@Example.COM' where name = 'nils'")
    expect((await accept(client, token)).status).toBe(200)
  })

  it('200: never lowers a role', async () => {
    const { client, token } = await invitePerson('olga', 'reader')
    await addPerson(app, 'olga', 'admin')
    expect((await accept(client, token)).body).toEqual({ org: 'acme', role: 'admin' })
    expect(await readRole('olga')).toBe('admin')
  })

  it('200: works once for concurrent requests', async () => {
    const { client, token } = await invitePerson('pam')
    const answers = await Promise.all(Array.from({ length: 16 }, () => accept(client, token)))
    expect(answers.map(({ status }) => status).toSorted()).toEqual([200, ...Array(15).fill(404)])
    const added = await app.readEvents('member_added')
    expect(added.filter(({ data }) => data.user === 'pam' && data.source === 'invitation')).toHaveLength(1)
  })

  it('200: returns the same to a retry with the same idempotency key', async () => {
    const { client, token } = await invitePerson('quin')
    const acceptNamed = () =>
      client.call('POST', '/user/invitations/accept', { token }, { 'idempotency-key': 'mine' })
    const first = await acceptNamed()
    const second = await acceptNamed()
    expect([second.status, second.text]).toEqual([200, first.text])
  })

  it('403: refuses other addresses, and stays open for the invited one', async () => {
    const { client, token } = await invitePerson('rosa')
    for (const stranger of [await addPerson(app, 'sven'), app.outsider]) {
      const { status, body, text } = await accept(stranger, token)
      expect(status).toBe(403)
      expect(body).toEqual({ message: 'The invitation is for a different mail address than yours' })
      expect(text).not.toContain('rosa')
    }
    expect((await accept(client, token)).status).toBe(200)
  })

  it('404: refuses other tokens without repeating them', async () => {
    const { token } = await invitePerson('tina')
    const others = [
      systemSecrets.createToken('inv').key,
      systemSecrets.createToken('link').key,
      `${token.slice(0, -1)}${token.endsWith('0') ? '1' : '0'}`,
      'x',
      app.admin.key ?? '',
    ]
    for (const other of others) {
      const { status, body } = await accept(app.member, other)
      expect([status, body]).toEqual([404, { message: 'Invitation not found' }])
    }
    const long = await accept(app.member, `${token}${'x'.repeat(600)}`)
    expect(long.status).toBe(400)
    expect(long.text).not.toContain(token)
  })

  it('404: refuses invitations to an organization that is being deleted', async () => {
    await app.outsider.post('/organizations', { name: 'short-lived' })
    await addPerson(app, 'udo')
    const body = { email: 'udo@example.com', role: 'reader' }
    await app.outsider.post('/invitations/short-lived', body)
    const client = await addPerson(app, 'udo')
    await app.outsider.delete('/organizations/short-lived', { confirm: 'short-lived' })
    expect((await accept(client, await tokenFor(app, 'udo@example.com'))).status).toBe(404)
  })
})
