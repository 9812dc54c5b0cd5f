// Mails as they arrive: at a real SMTP server, and in files where there is none.
import { mkdtempSync, readdirSync, readFileSync, rmSync, statSync } from 'node:fs'
import type { AddressInfo } from 'node:net'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import PostalMime from 'postal-mime'
import { SMTPServer } from 'smtp-server'
import { afterAll, describe, expect, it } from 'vitest'
import { giveAddress, newBrowser } from '../../test/browser.ts'
import { testApp } from '../../test/harness.ts'
import { until } from '../../test/service.ts'
import type { Job } from '../delivery/outbox.ts'
import { parseJson } from '../http/json-gate.ts'
import { systemClock } from '../lib/clock.ts'
import { makeSealer } from '../lib/sealer.ts'
import type { Mail } from './mailer.ts'
import { MAIL_PURPOSE } from './queue.ts'
import { makeMailSender } from './send.ts'

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

function jobOf(mail: Mail, job_id = '019cb35a-7c00-7000-8000-000000000000'): Job {
  const payload = { sealed: sealer.seal(MAIL_PURPOSE, JSON.stringify(mail)) }
  return { org_id: '', job_id, kind: 'mail', payload, attempts: 1, lease_no: 1 }
}

function newFolder(): string {
  const folder = mkdtempSync(join(tmpdir(), 'waybill-mail-'))
  clean_ups.push(() => rmSync(folder, { recursive: true, force: true }))
  return folder
}

function senderWith(settings: { smtp_url?: string; mail_from?: string; data_dir?: string }) {
  return makeMailSender({
    smtp_url: undefined,
    mail_from: undefined,
    data_dir: '/nowhere',
    sealer,
    clock: systemClock,
    parseJson,
    ...settings,
  })
}

/** Keeps what it is sent, or refuses it. */
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
  it('hands over the mail as it was queued', async () => {
    const sink = await startSink()
    await senderWith({ smtp_url: sink.url, mail_from: 'Waybill <robot@waybill.example>' })(jobOf(MAIL))
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

  it('takes an address for one address, and a subject for one line', async () => {
    const sink = await startSink()
    const mail = { ...MAIL, to: 'a,b@acme.example', subject: 'x\r\nBcc: eve@evil.example' }
    await senderWith({ smtp_url: sink.url, mail_from: 'robot@waybill.example' })(jobOf(mail)).catch(
      () => undefined,
    )
    for (const { to, raw } of sink.arrived) {
      expect(to).toHaveLength(1)
      expect((await PostalMime.parse(raw)).bcc ?? []).toEqual([])
    }
  })

  it('fails when the server refuses or is away, so that it is tried again', async () => {
    const sink = await startSink('Try later')
    await expect(
      senderWith({ smtp_url: sink.url, mail_from: 'robot@waybill.example' })(jobOf(MAIL)),
    ).rejects.toThrow(/Try later/)
    await expect(
      senderWith({ smtp_url: 'smtp://127.0.0.1:1', mail_from: 'r@w.example' })(jobOf(MAIL)),
    ).rejects.toThrow(/ECONNREFUSED/)
  })
})

describe('without a mail server', () => {
  it('writes a file that only we can read, once for each job', async () => {
    const data_dir = newFolder()
    const send = senderWith({ data_dir })
    await send(jobOf(MAIL))
    await send(jobOf(MAIL))
    const folder = join(data_dir, 'outbox-mail')
    expect(readdirSync(folder)).toEqual(['019cb35a-7c00-7000-8000-000000000000.eml'])
    expect(statSync(folder).mode & 0o777).toBe(0o700)
    const file = join(folder, '019cb35a-7c00-7000-8000-000000000000.eml')
    expect(statSync(file).mode & 0o777).toBe(0o600)
    const read = await PostalMime.parse(readFileSync(file))
    expect(read.to).toEqual([{ name: '', address: MAIL.to }])
    expect(read.text?.replaceAll('\r\n', '\n').trim()).toBe(MAIL.text.trim())
  })

  it('refuses what was sealed with another key', async () => {
    const job = { ...jobOf(MAIL), payload: { sealed: makeSealer('other').seal(MAIL_PURPOSE, '{}') } }
    await expect(senderWith({ data_dir: newFolder() })(job)).rejects.toThrow(/key it was sealed with/)
  })
})

describe('the running service', () => {
  it('sends what a request has queued', async () => {
    const sink = await startSink()
    const app = await testApp({
      settings: {
        WAYBILL_ROLE: 'all',
        WAYBILL_SMTP_URL: sink.url,
        WAYBILL_MAIL_FROM: 'robot@waybill.example',
      },
    })
    try {
      await giveAddress(app, 'max', 'max@acme.example')
      await newBrowser(app.server).submit('/auth/link', { email: 'max@acme.example' })
      await until(() => sink.arrived.length > 0, 10_000)
      const read = await PostalMime.parse(sink.arrived[0]?.raw ?? '')
      expect(read.text).toMatch(/http:\/\/waybill\.test\/auth\/link\?token=wb_link_\w+/)
      await until(
        async () => (await app.sql('select 1 from outbox where finished_at is not null')).length > 0,
      )
    } finally {
      await app.stop()
    }
  })
})
