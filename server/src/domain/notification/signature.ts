// Signs webhooks with the headers of Standard Webhooks. While a secret is being rotated the message is signed with
// both, and a receiver that knows either one accepts it.
import { createHmac } from 'node:crypto'

const PREFIX = 'whsec_'
const DIGIT = '[A-Za-z0-9+/]'
const ONE_BYTE = `${DIGIT}[AQgw]==`
const TWO_BYTES = `${DIGIT}{2}[AEIMQUYcgkosw048]=`

/** `whsec_` and 24 to 64 bytes in canonical base64: padded, and without stray bits at the end. */
export const SECRET_PATTERN = `^${PREFIX}(?:${DIGIT}{4}){8,20}(?:${ONE_BYTE}|${TWO_BYTES}|${DIGIT}{4}(?:${ONE_BYTE})?)?$`
const SECRET = new RegExp(SECRET_PATTERN, 'u')

/** Undefined if it is malformed. */
export function parseSecret(text: string): Buffer | undefined {
  return SECRET.test(text) ? Buffer.from(text.slice(PREFIX.length), 'base64') : undefined
}

export interface SignatureInput {
  /** The same for every attempt. */
  id: string
  timestamp_s: number
  body: string
  /** The stored secrets, newest first. */
  secrets: readonly string[]
}

/** Without a secret there is no signature; id and time are sent anyway, so that the receiver can detect repeats. */
export function buildSignatureHeaders({
  id,
  timestamp_s,
  body,
  secrets,
}: SignatureInput): Record<string, string> {
  const timestamp = String(Math.floor(timestamp_s))
  const content = `${id}.${timestamp}.${body}`
  const headers = { 'webhook-id': id, 'webhook-timestamp': timestamp }
  if (secrets.length === 0) return headers
  return { ...headers, 'webhook-signature': secrets.map(secret => signContent(content, secret)).join(' ') }
}

function signContent(content: string, secret: string): string {
  const key = parseSecret(secret)
  // Stored secrets were validated before; a message with a worthless signature must not be sent.
  if (!key) throw new Error('A stored signing secret is malformed')
  return `v1,${createHmac('sha256', key).update(content).digest('base64')}`
}
