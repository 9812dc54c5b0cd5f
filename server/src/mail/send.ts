// Sends queued mails: to the mail server of the settings, or without one into files that a person or a test can open. A
// mail may go out twice when a worker dies between sending and recording it; both carry the same Message-ID.
import { chmod, mkdir, rename, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { createTransport } from 'nodemailer'
import type { Job } from '../delivery/outbox.ts'
import type { JobHandler } from '../delivery/worker.ts'
import { assert } from '../lib/assert.ts'
import type { Clock } from '../lib/clock.ts'
import type { Sealer } from '../lib/sealer.ts'
import type { Mail } from './mailer.ts'
import { MAIL_PURPOSE } from './queue.ts'

/** Together they stay below the lease of a job. */
const CONNECT_WITHIN_MS = 10_000
const ANSWER_WITHIN_MS = 20_000
const FOLDER = 'outbox-mail'
const DEFAULT_FROM = 'Waybill <waybill@localhost>'

export interface SenderParts {
  smtp_url: string | undefined
  mail_from: string | undefined
  data_dir: string
  sealer: Sealer
  clock: Clock
  /** The one gate for JSON. */
  parseJson(bytes: Buffer, field: string): unknown
}

/** What the worker does with a job of the kind `mail`. */
export function makeMailSender(parts: SenderParts): JobHandler {
  const { smtp_url, data_dir } = parts
  const send = smtp_url === undefined ? toFile(join(data_dir, FOLDER)) : toServer(smtp_url)
  return async job => send(job.job_id, messageOf(job, parts))
}

type Message = ReturnType<typeof messageOf>

function messageOf(job: Job, { mail_from, sealer, clock, parseJson }: SenderParts) {
  const { sealed } = job.payload as { sealed: string }
  const opened = sealer.open(MAIL_PURPOSE, sealed)
  assert(opened !== undefined, 'a mail is opened with the key it was sealed with')
  const mail = parseJson(Buffer.from(opened), 'mail') as Mail
  const from = mail_from ?? DEFAULT_FROM
  return {
    from,
    // An object is one address, whatever commas are in it.
    to: { name: '', address: mail.to },
    subject: mail.subject,
    text: mail.text,
    html: mail.html,
    date: clock.now(),
    messageId: `<${job.job_id}@${/@([^@\s>]+)>?\s*$/.exec(from)?.[1] ?? 'waybill'}>`,
    headers: { 'auto-submitted': 'auto-generated' },
    disableFileAccess: true,
    disableUrlAccess: true,
  }
}

function toServer(smtp_url: string): (job_id: string, message: Message) => Promise<void> {
  const transport = createTransport({
    url: smtp_url,
    connectionTimeout: CONNECT_WITHIN_MS,
    greetingTimeout: CONNECT_WITHIN_MS,
    socketTimeout: ANSWER_WITHIN_MS,
  })
  return async (_job_id, message) => {
    await transport.sendMail(message)
  }
}

/** Written aside and renamed: who watches the folder never reads half a mail. */
function toFile(folder: string): (job_id: string, message: Message) => Promise<void> {
  const transport = createTransport({ streamTransport: true, buffer: true, newline: 'windows' })
  return async (job_id, message) => {
    const { message: bytes } = await transport.sendMail(message)
    await mkdir(folder, { recursive: true, mode: 0o700 })
    await chmod(folder, 0o700)
    const aside = join(folder, `.${job_id}`)
    await writeFile(aside, bytes as Buffer, { mode: 0o600 })
    await rename(aside, join(folder, `${job_id}.eml`))
  }
}
