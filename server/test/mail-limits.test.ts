// Mail of organizations to one address is limited across the installation, with a daily digest beyond the limit. What the
// recipient asked for always arrives.
import { afterAll, beforeAll, beforeEach, describe, expect, it } from 'vitest'
import { acceptInvitation, makeBrowser } from './browser.ts'
import { BASE_URL, startTestApp, type TestApp } from './harness.ts'
import {
  ACCEPTED,
  inviteFromAll,
  type MailWorker,
  MOST,
  makeMailWorker,
  notify,
  openOrgs,
  readMailStates,
  type Stranger,
} from './mail-worker.ts'
import { addPerson } from './people.ts'

const DAY_MS = 86_400_000

let app: TestApp
let strangers: Stranger[]
let mails: MailWorker
beforeAll(async () => {
  app = await startTestApp()
  strangers = await openOrgs(app, ['mallory', 'mallet'])
  mails = makeMailWorker(app)
})
afterAll(() => app.stop())
beforeEach(() => {
  mails.arrived.length = 0
  mails.answer = ACCEPTED
  app.clock.advance(2 * DAY_MS)
})

async function inviteAndSend(email: string): Promise<void> {
  await inviteFromAll(strangers, email)
  await mails.deliver()
}

describe('beyond the limit', () => {
  it('invitations of many organizations arrive in one digest, and the links in it work', async () => {
    await inviteAndSend('Ines@Public.example')
    expect(mails.arrived).toHaveLength(MOST)
    expect(await readMailStates(strangers, 'Ines@Public.example')).toEqual([
      ...Array(3).fill('sent'),
      ...Array(3).fill('held'),
    ])
    await mails.sendDigests()
    expect(mails.arrived).toHaveLength(MOST)
    app.clock.advance(DAY_MS)
    await mails.sendDigests()
    const digest = mails.arrived.at(-1)
    expect(mails.arrived).toHaveLength(MOST + 1)
    expect(digest?.subject).toBe('3 messages held back today')
    for (const text of [digest?.text, digest?.html]) {
      for (const { org } of strangers.slice(MOST)) expect(text).toContain(`invites you to ${org}`)
    }
    const token = /invitation\?token=(\S+)/.exec(digest?.text ?? '')?.[1] ?? ''
    expect((await acceptInvitation(makeBrowser(app.server), token)).status).toBe(303)
    await mails.sendDigests()
    expect(mails.arrived).toHaveLength(MOST + 1)
  })

  it('an address counts the same whatever its case, and begins again after a day', async () => {
    const { sendLimited } = mails
    const org_id = await readOrgId('acme')
    const send = (to: string) =>
      sendLimited({ org_id, message_id: 'm' }, buildMail(to)).then(({ suppressed }) => suppressed)
    expect([
      await send('case@a.example'),
      await send('CASE@a.example'),
      await send('case@A.example'),
    ]).toEqual(Array(3).fill(null))
    expect(await send('Case@a.example')).toBe('held')
    app.clock.advance(DAY_MS)
    expect(await send('case@a.example')).toBe(null)
  })

  it('exactly as many arrive when many are sent at once', async () => {
    const { sendLimited } = mails
    const org_id = await readOrgId('acme')
    const all = Array.from({ length: 12 }, () =>
      sendLimited({ org_id, message_id: 'm' }, buildMail('race@a.example')),
    )
    expect((await Promise.all(all)).filter(({ suppressed }) => suppressed === null)).toHaveLength(MOST)
    app.clock.advance(DAY_MS)
    mails.arrived.length = 0
    await mails.sendDigests()
    expect(mails.arrived.filter(({ to }) => to === 'race@a.example').map(({ subject }) => subject)).toEqual([
      `${12 - MOST} messages held back today`,
    ])
  })

  it('a digest lists twenty messages of an organization, and counts the others', async () => {
    const { sendLimited } = mails
    const org_id = await readOrgId('acme')
    for (let i = 0; i < MOST + 25; i++)
      await sendLimited({ org_id, message_id: 'm' }, buildMail('many@a.example', i))
    app.clock.advance(DAY_MS)
    await mails.sendDigests()
    const { text = '', subject } = mails.arrived.at(-1) ?? {}
    expect([subject, text.match(/^- Message \d+$/gm)?.length]).toEqual(['25 messages held back today', 20])
    expect(text).toContain('and 5 more messages')
  })

  it('what the mail server rejects does not count', async () => {
    const { sendLimited } = mails
    const org_id = await readOrgId('acme')
    mails.answer = { error: 'The mail server answered 451', status: 451, answer: null }
    for (let i = 0; i < 5; i++) await sendLimited({ org_id, message_id: 'm' }, buildMail('later@a.example'))
    mails.answer = { error: null, status: null, answer: null }
    expect((await sendLimited({ org_id, message_id: 'm' }, buildMail('later@a.example'))).suppressed).toBe(
      null,
    )
  })

  it('strangers cannot use up what an organization may send to its members, nor a sign-in link', async () => {
    await addPerson(app, 'vera', 'member')
    await inviteAndSend('vera@example.com')
    mails.arrived.length = 0
    await notify(app, 'vera@example.com')
    await makeBrowser(app.server).submit('/auth/link', { email: 'vera@example.com' })
    await mails.deliver()
    expect(mails.arrived.map(({ to, subject }) => [to, subject])).toEqual([
      ['vera@example.com', 'Test notification from acme'],
      ['vera@example.com', 'Sign in to Waybill'],
    ])
    expect(mails.arrived.map(({ stop_url }) => stop_url === undefined)).toEqual([false, true])
  })

  it('members get ten times as many, and then a digest as well', async () => {
    await addPerson(app, 'mia', 'member')
    const org_id = await readOrgId('acme')
    const send = () => mails.sendLimited({ org_id, message_id: 'm' }, buildMail('mia@example.com'))
    for (let i = 0; i < 10 * MOST; i++) expect((await send()).suppressed).toBe(null)
    expect((await send()).suppressed).toBe('held')
  })
})

async function readOrgId(name: string): Promise<string> {
  return String((await app.sql('select org_id from orgs where name = $1', [name]))[0]?.org_id)
}

function buildMail(to: string, number = 0) {
  const from_org = { kind: 'organization', name: 'acme', link: `${BASE_URL}/acme` } as const
  return { to, subject: `Message ${number}`, text: 'Text', html: '<p>Text</p>', from_org }
}
