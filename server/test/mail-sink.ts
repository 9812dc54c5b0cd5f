// A mail server on this host that keeps what it receives. With an account, clients must authenticate.
import type { AddressInfo } from 'node:net'
import PostalMime from 'postal-mime'
import { SMTPServer } from 'smtp-server'
import { until } from './patience.ts'

export interface MailSink {
  port: number
  /** The raw mails, oldest first. */
  arrived: { to: string; raw: string }[]
  /** The code that each refused address gets. */
  refused: Map<string, number>
  /** Waits for a mail to this address whose text matches, and returns the first group of the pattern. */
  read(to: string, pattern: RegExp): Promise<string>
  stop(): Promise<void>
}

export async function startMailSink(account?: { user: string; password: string }): Promise<MailSink> {
  const arrived: MailSink['arrived'] = []
  const refused: MailSink['refused'] = new Map()
  const sink = new SMTPServer({
    authOptional: account === undefined,
    allowInsecureAuth: true,
    disabledCommands: ['STARTTLS'],
    onAuth: ({ username, password }, _session, done) => {
      const isRight = username === account?.user && password === account?.password
      done(isRight ? null : new Error('Invalid login'), isRight ? { user: username } : undefined)
    },
    onRcptTo: ({ address }, _session, done) => {
      const responseCode = refused.get(address)
      done(responseCode === undefined ? null : Object.assign(new Error('Not now'), { responseCode }))
    },
    onData: (stream, session, done) => {
      const parts: Buffer[] = []
      stream.on('data', part => parts.push(part))
      stream.on('end', () => {
        const raw = Buffer.concat(parts).toString('latin1')
        for (const { address } of session.envelope.rcptTo) arrived.push({ to: address, raw })
        done()
      })
    },
  })
  await new Promise<void>(resolve => sink.listen(0, '127.0.0.1', resolve))
  const findMatch = async (to: string, pattern: RegExp) => {
    for (const mail of arrived.filter(one => one.to === to).reverse()) {
      const { text = '' } = await PostalMime.parse(mail.raw)
      const match = pattern.exec(text)?.[1]
      if (match !== undefined) return match
    }
    return undefined
  }
  return {
    port: (sink.server.address() as AddressInfo).port,
    arrived,
    refused,
    read: async (to, pattern) => {
      await until(async () => (await findMatch(to, pattern)) !== undefined)
      return (await findMatch(to, pattern)) ?? ''
    },
    stop: () => new Promise(resolve => sink.close(() => resolve())),
  }
}
