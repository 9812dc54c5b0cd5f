// Sends mails: to the configured mail server or, without one, into files that a person or a test can open. A mail may
// be sent twice if a worker dies between sending and recording it; both copies have the same Message-ID.
import { chmod } from 'node:fs/promises'
import { join } from 'node:path'
import type { Egress } from '@waybill/egress'
import { createTransport } from 'nodemailer'
import type { Clock } from '../lib/clock.ts'
import { makeFolderDurably, writeDurably } from '../lib/durable-files.ts'
import type { Log } from '../lib/log.ts'

/** Together they stay below the lease of a job. */
const CONNECT_WITHIN_MS = 10_000
const ANSWER_WITHIN_MS = 20_000
const FOLDER = 'outbox-mail'
const DEFAULT_FROM = 'Waybill <waybill@localhost>'
const MAX_ANSWER_CHARACTERS = 512
const PORTS: Record<string, number> = { 'smtp:': 587, 'smtps:': 465 }

interface OutgoingMail {
  /** A single address: recipients do not see each other. */
  to: string
  subject: string
  text: string
  html: string
  /** Stops all mail of organizations to the recipient, with one POST (RFC 8058). */
  stop_url?: string
}

/** The result, with the mail server's response if there was one. */
export interface Sent {
  error: string | null
  status: number | null
  answer: string | null
}

export type SendMail = (message_id: string, mail: OutgoingMail) => Promise<Sent>

export interface SenderParts {
  smtp_url: string | undefined
  mail_from: string | undefined
  data_dir: string
  clock: Clock
  log: Log
  egress: Pick<Egress, 'connect'>
}

export function makeSendMail(parts: SenderParts): SendMail {
  const { smtp_url, data_dir, log } = parts
  const send =
    smtp_url === undefined ? makeFileSender(join(data_dir, FOLDER)) : makeServerSender(smtp_url, parts.egress)
  return async (message_id, mail) => {
    try {
      const answer = await send(message_id, buildMessage(message_id, mail, parts))
      return { error: null, status: null, answer }
    } catch (error) {
      // From here on the error is data: the caller records it and decides about a retry.
      log.warn({ err: error, message_id }, 'a mail could not be sent')
      return toFailure(error as { responseCode?: number; response?: string })
    }
  }
}

function toFailure({ responseCode, response }: { responseCode?: number; response?: string }): Sent {
  if (responseCode === undefined) {
    return { error: 'The mail server could not be reached', status: null, answer: null }
  }
  const answer = response?.slice(0, MAX_ANSWER_CHARACTERS) ?? null
  return { error: `The mail server answered ${responseCode}`, status: responseCode, answer }
}

type Message = ReturnType<typeof buildMessage>

function buildMessage(message_id: string, mail: OutgoingMail, { mail_from, clock }: SenderParts) {
  const from = mail_from ?? DEFAULT_FROM
  return {
    from,
    // An object is always a single address, even if it contains commas.
    to: { name: '', address: mail.to },
    subject: mail.subject,
    text: mail.text,
    html: mail.html,
    date: clock.now(),
    messageId: `<${message_id}@${/@([^@\s>]+)>?\s*$/.exec(from)?.[1] ?? 'waybill'}>`,
    headers: { 'auto-submitted': 'auto-generated', ...buildStopHeaders(mail.stop_url) },
    disableFileAccess: true,
    disableUrlAccess: true,
  }
}

/** Mail programs show a button, which needs both (RFC 8058). */
function buildStopHeaders(stop_url: string | undefined): Record<string, string> {
  if (stop_url === undefined) return {}
  return { 'list-unsubscribe': `<${stop_url}>`, 'list-unsubscribe-post': 'List-Unsubscribe=One-Click' }
}

type SendMessage = (message_id: string, message: Message) => Promise<string | null>

function makeServerSender(smtp_url: string, egress: Pick<Egress, 'connect'>): SendMessage {
  const { hostname, port, protocol } = new URL(smtp_url)
  const transport = createTransport({
    url: smtp_url,
    connectionTimeout: CONNECT_WITHIN_MS,
    greetingTimeout: CONNECT_WITHIN_MS,
    socketTimeout: ANSWER_WITHIN_MS,
    getSocket: (_options, done) => {
      egress.connect(hostname.replace(/^\[|\]$/g, ''), Number(port) || (PORTS[protocol] ?? 0)).then(
        connection => done(null, { connection }),
        error => done(error, {}),
      )
    },
  })
  return async (_message_id, message) => {
    const { response } = await transport.sendMail(message)
    return response?.slice(0, MAX_ANSWER_CHARACTERS) ?? null
  }
}

/** The job is finished once the mail is on disk; readers of the folder never see a partial file. */
function makeFileSender(folder: string): SendMessage {
  const transport = createTransport({ streamTransport: true, buffer: true, newline: 'windows' })
  return async (message_id, message) => {
    const { message: bytes } = await transport.sendMail(message)
    await makeFolderDurably(folder)
    await chmod(folder, 0o700)
    await writeDurably(join(folder, `${message_id}.eml`), bytes as Buffer)
    return null
  }
}
