// Onboarding from end to end, with the built program, a browser and a mail server: the first admin signs in, a
// colleague is invited and joins, a pipeline gets a key that is rotated under load and revoked, and the audit log has
// all of it.
import { beforeAll, describe, expect, it } from 'vitest'
import { SESSION_COOKIE } from '../src/lib/session-token.ts'
import { type MailSink, startMailSink } from './mail-sink.ts'
import { until } from './patience.ts'
import { addCleanUp, makeDataDirectory, runProgram, type Service, startService } from './service.ts'
import { newVisitor, type Visitor } from './visitor.ts'

const ORG = 'demo-org'
const EMAIL = 'cleo@example.com'

let service: Service
let sink: MailSink
let admin: Visitor
let cleo: Visitor
beforeAll(async () => {
  sink = await startMailSink()
  addCleanUp(() => sink.stop())
  service = await startService({
    data_dir: makeDataDirectory(),
    env: {
      WAYBILL_SMTP_URL: `smtp://127.0.0.1:${sink.port}`,
      WAYBILL_MAIL_FROM: 'Waybill <robot@waybill.example>',
    },
  })
  admin = newVisitor(service.url)
  cleo = newVisitor(service.url)
})

const api = (path: string) => `/api/v2${path}`

describe('the first admin', () => {
  it('signs in with the link that the first start printed', async () => {
    const token = /\/auth\/link\?token=(wb_link_\w+)$/m.exec(service.stdout())?.[1] ?? ''
    expect((await admin.get('/auth/session')).status).toBe(401)
    const entered = await admin.redeem(token)
    expect([entered.status, entered.headers.get('location')]).toEqual([303, '/'])
    expect(entered.headers.getSetCookie()).toContainEqual(
      expect.stringMatching(
        /^__Host-waybill=wb_ses_\w+; Path=\/; Max-Age=\d+; Secure; HttpOnly; SameSite=Lax$/,
      ),
    )
    const { body } = await admin.get('/auth/session')
    expect(body).toMatchObject({ user: 'admin', csrf_token: expect.stringMatching(/^[\w-]{43}$/) })
    expect((await newVisitor(service.url).redeem(token)).status).toBe(403)
  })

  it('cannot change anything from a page without a CSRF token', async () => {
    const { cookies } = admin
    const cookie = `${SESSION_COOKIE}=${cookies.get(SESSION_COOKIE)}`
    const url = service.url + api(`/service-accounts/${ORG}`)
    const headers = { cookie, 'content-type': 'application/json' }
    const forged = await fetch(url, { method: 'POST', headers, body: JSON.stringify({ name: 'forged' }) })
    expect(forged.status).toBe(403)
    expect((await admin.get(api(`/service-accounts/${ORG}`))).body).toEqual([])
  })
})

describe('a colleague', () => {
  let token: string

  it('is invited by mail', async () => {
    const invited = await admin.send('POST', api(`/invitations/${ORG}`), { email: EMAIL, role: 'member' })
    expect(invited.status).toBe(201)
    expect(invited.text).not.toContain('wb_inv_')
    token = await sink.read(EMAIL, /[?#]token=(wb_inv_\w+)/)
    expect(sink.arrived.filter(({ to }) => to === EMAIL)).toHaveLength(1)
  })

  it('gets no sign-in mail until a user has that address', async () => {
    await newVisitor(service.url).submit('/auth/link', { email: EMAIL })
    const { data_dir } = service
    const made = await runProgram(['admin', 'user', 'create', 'cleo', '--email', EMAIL], { data_dir })
    expect(made.code, made.stderr).toBe(0)
  })

  it('signs in with a mailed link, in the browser that requested it', async () => {
    expect((await cleo.submit('/auth/link', { email: EMAIL })).status).toBe(202)
    const link = await sink.read(EMAIL, /\/auth\/link\?token=(wb_link_\w+)/)
    // The link requested before the account existed was never sent.
    expect(sink.arrived.filter(({ to }) => to === EMAIL)).toHaveLength(2)
    expect((await newVisitor(service.url).redeem(link)).status).toBe(403)
    expect((await cleo.redeem(link)).status).toBe(303)
    expect((await cleo.get('/auth/session')).body).toMatchObject({ user: 'cleo', orgs: [{ name: 'cleo' }] })
  })

  it('accepts once and is a member', async () => {
    const path = api('/user/invitations/accept')
    expect((await cleo.get(api(`/flows/${ORG}`))).status).toBe(403)
    expect((await admin.send('POST', path, { token })).status).toBe(403)
    const accepted = await cleo.send('POST', path, { token })
    expect([accepted.status, accepted.body]).toEqual([200, { org: ORG, role: 'member' }])
    expect((await cleo.send('POST', path, { token })).status).toBe(404)
    expect((await cleo.get(api(`/flows/${ORG}`))).status).toBe(200)
    expect((await cleo.get(api(`/audit-events/${ORG}`))).status).toBe(403)
  })
})

describe('a pipeline', () => {
  const keys = api(`/service-accounts/${ORG}/pipeline/api-keys`)
  let old: { id: string; key: string }
  let next: { id: string; key: string }
  const report = async (key: string, name: string) =>
    (await service.call('PUT', api(`/flows/${ORG}`), { key, body: { name, description: '' } })).status

  it('has an account and a key, created by the colleague', async () => {
    const settings = { service_account_creators: 'member' }
    expect((await admin.send('PATCH', api(`/organizations/${ORG}`), { settings })).status).toBe(200)
    const account = { name: 'pipeline', privilege: 'member' }
    expect((await cleo.send('POST', api(`/service-accounts/${ORG}`), account)).status).toBe(201)
    const made = await cleo.send('POST', keys, { description: 'build server' })
    expect(made.status).toBe(201)
    old = made.body
    expect(await report(old.key, 'built')).toBe(201)
    expect((await cleo.get(keys)).text).not.toContain(old.key)
  })

  it('is never rejected while its key is rotated', async () => {
    const statuses: number[] = []
    let stop = false
    const loop = async () => {
      while (!stop) statuses.push((await service.call('GET', api(`/flows/${ORG}`), { key: old.key })).status)
    }
    const loops = [loop(), loop(), loop(), loop()]
    await until(() => statuses.length > 50)
    const rotated = await cleo.send('POST', `${keys}/${old.id}/rotate`, { grace_period_hours: 1 })
    const already = statuses.length
    await until(() => statuses.length > already + 200)
    stop = true
    await Promise.all(loops)
    expect(rotated.status).toBe(201)
    next = rotated.body
    expect(statuses.filter(status => status !== 200)).toEqual([])
    expect(next.key).not.toBe(old.key)
    expect([await report(next.key, 'by-the-new'), await report(old.key, 'by-the-old')]).toEqual([201, 201])
  })

  it('is rejected with the old key soon after it is revoked, and keeps working with the new one', async () => {
    expect((await cleo.send('DELETE', `${keys}/${old.id}`)).status).toBe(200)
    await until(async () => (await report(old.key, 'built')) === 401)
    expect(await report(next.key, 'built')).toBe(200)
    expect((await cleo.send('DELETE', `${keys}/${old.id}`)).status).toBe(404)
    const left = (await cleo.get(keys)).body as { id: string }[]
    expect(left.map(({ id }) => id)).toEqual([next.id])
  })

  it('is also rejected when an operator revokes the key with the admin program', async () => {
    const ofPipeline = ['--service-account', 'pipeline', '--org', ORG]
    const { data_dir } = service
    const revoked = await runProgram(['admin', 'key', 'revoke', next.id, ...ofPipeline], { data_dir })
    expect(revoked.code, revoked.stderr).toBe(0)
    await until(async () => (await report(next.key, 'built')) === 401)
  })
})

describe('the history', () => {
  it('of members shows who joined, how, and who changed it', async () => {
    const { body } = await admin.get(api(`/membership-audit-log/${ORG}?sort_dir=asc`))
    const entries = body.events.map(
      ({ user, changed_by, role, previous_role, source }: Record<string, string>) =>
        [user, changed_by, role, previous_role, source].join(' '),
    )
    expect(entries).toEqual(['admin admin program admin  script', 'cleo cleo member  invitation'])
  })

  it('of the organization has each step with its actor, newest first', async () => {
    const { body } = await admin.get(api(`/audit-events/${ORG}?per_page=100`))
    // The service itself adds the key of the log, a few seconds after its start.
    const steps = body.events.filter(({ kind }: Record<string, string>) => kind !== 'log_key_added')
    const entries = steps.map(({ kind, actor }: Record<string, string>) => `${kind} ${actor}`).reverse()
    expect(entries.slice(entries.indexOf('invitation_sent admin'))).toEqual([
      'invitation_sent admin',
      'member_added cleo',
      'invitation_accepted cleo',
      'org_changed admin',
      'service_account_created cleo',
      'api_key_created cleo',
      'flow_created pipeline',
      'api_key_rotated cleo',
      'flow_created pipeline',
      'flow_created pipeline',
      'api_key_revoked cleo',
      'api_key_revoked admin program',
    ])
    expect(JSON.stringify(body)).not.toMatch(/wb_\w+_\w{12}_\w{49}/)
  })
})

describe('signing out', () => {
  it('ends the session for good, and no other', async () => {
    const cookie = cleo.cookies.get(SESSION_COOKIE) ?? ''
    expect((await cleo.send('POST', '/auth/sign-out', {})).status).toBe(200)
    expect(cleo.cookies.has(SESSION_COOKIE)).toBe(false)
    cleo.cookies.set(SESSION_COOKIE, cookie)
    expect((await cleo.get('/auth/session')).status).toBe(401)
    expect((await cleo.get(api(`/flows/${ORG}`))).status).toBe(401)
    expect((await admin.get('/auth/session')).status).toBe(200)
  })
})
