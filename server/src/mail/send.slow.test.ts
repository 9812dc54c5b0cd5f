// Mails as they arrive: at a real SMTP server or, without one, in files.
import { once } from 'node:events'
import { existsSync, mkdtempSync, readdirSync, readFileSync, rmSync, statSync } from 'node:fs'
import { type AddressInfo, connect } from 'node:net'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import PostalMime from 'postal-mime'
import { SMTPServer } from 'smtp-server'
import { afterAll, describe, expect, it } from 'vitest'
import { makeBrowser, setEmail } from '../../test/browser.ts'
import { startTestApp } from '../../test/harness.ts'
import { until } from '../../test/patience.ts'
import { createDatabase, makeDataDirectory, startService } from '../../test/service.ts'
import type { Job } from '../delivery/outbox.ts'
import { parseJson } from '../http/json-gate.ts'
import { systemClock } from '../lib/clock.ts'
import { makeLog } from '../lib/log.ts'
import { makeSealer } from '../lib/sealer.ts'
import { makeMailJob } from './job.ts'
import type { Mail } from './mailer.ts'
import { MAIL_PURPOSE } from './queue.ts'
import { makeSendMail } from './send.ts'
import type { SendLimited } from './send-limited.ts'

const clean_ups: (() => unknown)[] = []
afterAll(async () => {
  for (const cleanUp of clean_ups.reverse()) await cleanUp()
})

const sealer = makeSealer('a key of this test')
const MAIL: Mail = {
  to: 'mara@acme.example',
  subject: 'Grüße',
  text: 'A link:\n\nhttps://waybill.example/auth/link?token=abc\n',
  html: '<p>A link</p>',
}

function buildJob(mail: Mail, job_id = '019cb35a-7c00-7000-8000-000000000000'): Job {
  const payload = { sealed: sealer.seal(MAIL_PURPOSE, JSON.stringify(mail)) }
  return { org_id: '', job_id, kind: 'mail', payload } as Job
}

function makeFolder(): string {
  const folder = mkdtempSync(join(tmpdir(), 'waybill-mail-'))
  clean_ups.push(() => rmSync(folder, { recursive: true, force: true }))
  return folder
}

const egress = {
  connect: async (host: string, port: number) => {
    const socket = connect(port, host)
    await once(socket, 'connect')
    return socket
  },
}

function makeSender(settings: { smtp_url?: string; mail_from?: string; data_dir?: string }) {
  return makeSendMail({
    smtp_url: undefined,
    mail_from: undefined,
    data_dir: '/nowhere',
    clock: systemClock,
    log: makeLog('silent'),
    egress,
    ...settings,
  })
}

/** Runs the job of a queued mail. */
function runJob(job: Job, settings: Parameters<typeof makeSender>[0]) {
  const sendMail = makeSender(settings)
  const sendLimited: SendLimited = async (id, mail) => ({
    ...(await sendMail(id.message_id, mail)),
    suppressed: null,
  })
  return makeMailJob({ sendLimited, sealer, parseJson, saveInvitationMail: async () => undefined }).work(job)
}

/** Stores the mails it receives, or rejects them. */
async function startSink(refusal?: string) {
  const arrived: { from: string; to: string[]; raw: Buffer }[] = []
  const sink = new SMTPServer({
    authOptional: true,
    disabledCommands: ['STARTTLS'],
    onRcptTo: (_address, _session, done) =>
      done(refusal === undefined ? null : Object.assign(new Error(refusal), { responseCode: 451 })),
    onData: (stream, session, done) => {
      const parts: Buffer[] = []
      stream.on('data', part => parts.push(part))
      stream.on('end', () => {
        const from = session.envelope.mailFrom
        const to = session.envelope.rcptTo.map(({ address }) => address)
        arrived.push({ from: from ? from.address : '', to, raw: Buffer.concat(parts) })
        done()
      })
    },
  })
  await new Promise<void>(resolve => sink.listen(0, '127.0.0.1', resolve))
  clean_ups.push(() => new Promise<void>(resolve => sink.close(() => resolve())))
  const { port } = sink.server.address() as AddressInfo
  return { arrived, url: `smtp://127.0.0.1:${port}` }
}

describe('with a mail server', () => {
  it('sends the mail as it was queued', async () => {
    const sink = await startSink()
    const settings = { smtp_url: sink.url, mail_from: 'Waybill <robot@waybill.example>' }
    expect(await runJob(buildJob(MAIL), settings)).toMatchObject({
      error: null,
      answer: expect.stringMatching(/^250 /),
    })
    expect(sink.arrived).toHaveLength(1)
    const [mail] = sink.arrived
    expect(mail?.from).toBe('robot@waybill.example')
    expect(mail?.to).toEqual([MAIL.to])
    const read = await PostalMime.parse(mail?.raw ?? '')
    expect(read.subject).toBe(MAIL.subject)
    expect(read.from).toEqual({ name: 'Waybill', address: 'robot@waybill.example' })
    expect(read.text?.replaceAll('\r\n', '\n').trim()).toBe(MAIL.text.trim())
    expect(read.html).toContain(MAIL.html)
    expect(read.messageId).toBe('<019cb35a-7c00-7000-8000-000000000000@waybill.example>')
    expect(read.headers).toContainEqual(
      expect.objectContaining({ key: 'auto-submitted', value: 'auto-generated' }),
    )
  })

  it('names the address that stops all mail, for programs that show a button', async () => {
    const sink = await startSink()
    const stop_url = `https://waybill.example/auth/mail/stop?token=${'0'.repeat(64)}.${'1'.repeat(64)}`
    const send = makeSender({ smtp_url: sink.url, mail_from: 'robot@waybill.example' })
    await send('one', { ...MAIL, stop_url })
    await send('two', MAIL)
    const [with_link, without] = await Promise.all(sink.arrived.map(({ raw }) => PostalMime.parse(raw)))
    const read = (mail: typeof with_link, name: string) =>
      mail?.headers.find(({ key }) => key === name)?.value
    expect(read(with_link, 'list-unsubscribe')).toBe(`<${stop_url}>`)
    expect(read(with_link, 'list-unsubscribe-post')).toBe('List-Unsubscribe=One-Click')
    expect(read(without, 'list-unsubscribe')).toBeUndefined()
  })

  it('treats an address as one address, and a subject as one line', async () => {
    const sink = await startSink()
    const mail = { ...MAIL, to: 'a,b@acme.example', subject: 'x\r\nBcc: eve@evil.example' }
    await runJob(buildJob(mail), { smtp_url: sink.url, mail_from: 'robot@waybill.example' })
    for (const { to, raw } of sink.arrived) {
      expect(to).toHaveLength(1)
      expect((await PostalMime.parse(raw)).bcc ?? []).toEqual([])
    }
  })

  it('fails if the server rejects the mail or is down, so that it is retried', async () => {
    const sink = await startSink('Try later')
    expect(
      await runJob(buildJob(MAIL), { smtp_url: sink.url, mail_from: 'robot@waybill.example' }),
    ).toMatchObject({
      error: 'The mail server answered 451',
      status: 451,
      answer: '451 Try later',
    })
    expect(
      await runJob(buildJob(MAIL), { smtp_url: 'smtp://127.0.0.1:1', mail_from: 'r@w.example' }),
    ).toMatchObject({
      error: 'The mail server could not be reached',
      status: null,
      answer: null,
    })
  })
})

describe('without a mail server', () => {
  it('writes a file that only we can read, once for each job', async () => {
    const data_dir = makeFolder()
    await runJob(buildJob(MAIL), { data_dir })
    await runJob(buildJob(MAIL), { data_dir })
    const folder = join(data_dir, 'outbox-mail')
    expect(readdirSync(folder)).toEqual(['019cb35a-7c00-7000-8000-000000000000.eml'])
    expect(statSync(folder).mode & 0o777).toBe(0o700)
    const file = join(folder, '019cb35a-7c00-7000-8000-000000000000.eml')
    expect(statSync(file).mode & 0o777).toBe(0o600)
    const read = await PostalMime.parse(readFileSync(file))
    expect(read.to).toEqual([{ name: '', address: MAIL.to }])
    expect(read.text?.replaceAll('\r\n', '\n').trim()).toBe(MAIL.text.trim())
  })

  it('rejects content that was sealed with another key', async () => {
    const job = { ...buildJob(MAIL), payload: { sealed: makeSealer('other').seal(MAIL_PURPOSE, '{}') } }
    await expect(runJob(job, { data_dir: makeFolder() })).rejects.toThrow(/key it was sealed with/)
  })
})

describe('the running service', () => {
  it('sends the mails that a request has queued', async () => {
    const sink = await startSink()
    const app = await startTestApp({
      settings: {
        WAYBILL_ROLE: 'all',
        WAYBILL_SMTP_URL: sink.url,
        WAYBILL_MAIL_FROM: 'robot@waybill.example',
      },
    })
    try {
      await setEmail(app, 'max', 'max@acme.example')
      await makeBrowser(app.server).submit('/auth/link', { email: 'max@acme.example' })
      await until(() => sink.arrived.length > 0)
      const read = await PostalMime.parse(sink.arrived[0]?.raw ?? '')
      expect(read.text).toMatch(/http:\/\/waybill\.test\/auth\/link\?token=wb_link_\w+/)
      await until(
        async () => (await app.sql('select 1 from outbox where finished_at is not null')).length > 0,
      )
    } finally {
      await app.stop()
    }
  })

  it('leaves mails to another process when it only serves', async () => {
    const { url, owner } = await createDatabase()
    const env = { DATABASE_URL: url, WAYBILL_SECRET_KEY: 's'.repeat(32) }
    const [front, back] = [makeDataDirectory(), makeDataDirectory()]
    const serving = await startService({ data_dir: front, env: { ...env, WAYBILL_ROLE: 'serve' } })
    await owner.query("update users set email = 'max@acme.example' where name = 'admin'")
    const answer = await serving.call('POST', '/auth/link', { body: { email: 'max@acme.example' } })
    expect(answer.status).toBe(202)
    await startService({ data_dir: back, env: { ...env, WAYBILL_ROLE: 'work' } })
    const listMails = (data_dir: string) => {
      const folder = join(data_dir, 'outbox-mail')
      return existsSync(folder) ? readdirSync(folder).filter(name => name.endsWith('.eml')) : []
    }
    await until(() => listMails(front).length + listMails(back).length > 0)
    expect([listMails(front).length, listMails(back).length]).toEqual([0, 1])
  })
})
