// Invitations after they were sent: listed, sent again, withdrawn and accepted.
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { type Client, startTestApp, type TestApp } from '../../../test/harness.ts'
import { addPerson, listQueuedMails, tokenFor } from '../../../test/people.ts'
import { systemSecrets } from '../../lib/secrets.ts'

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

  it('403: shows invitations to admins only', async () => {
    for (const client of [app.member, app.snapshotter, app.reader]) {
      expect((await client.get('/invitations/acme')).status).toBe(403)
    }
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
