// Signs AWS requests (Signature Version 4), so the secret never leaves the machine.
import { createHash, createHmac } from 'node:crypto'

export interface AwsCredentials {
  key_id: string
  secret: string
  session_token?: string | undefined
  /** When the credentials expire; undefined if they never do. */
  expires_ms?: number | undefined
}

export interface Unsigned {
  method: string
  /** The path is signed as it is, so all special characters in it must be encoded. */
  url: URL
  headers: Readonly<Record<string, string>>
  body: string
}

export interface Signer {
  credentials: AwsCredentials
  region: string
  service: string
  now_ms: number
}

const ALGORITHM = 'AWS4-HMAC-SHA256'

/** Returns all headers that the request needs. */
export function signRequest(
  { method, url, headers, body }: Unsigned,
  signer: Signer,
): Record<string, string> {
  const { credentials, region, service, now_ms } = signer
  const time = new Date(now_ms).toISOString().replaceAll(/[:-]|\.\d{3}/g, '')
  const date = time.slice(0, 8)
  const body_sha256 = hash(body)
  const { session_token } = credentials
  const signed: Record<string, string> = {
    ...headers,
    host: url.host,
    'x-amz-content-sha256': body_sha256,
    'x-amz-date': time,
    ...(session_token === undefined ? {} : { 'x-amz-security-token': session_token }),
  }
  const names = Object.keys(signed).sort()
  const canonical = [
    method,
    url.pathname,
    buildQuery(url.searchParams),
    ...names.map(name => `${name}:${signed[name]?.trim()}`),
    '',
    names.join(';'),
    body_sha256,
  ].join('\n')
  const scope = `${date}/${region}/${service}/aws4_request`
  const key = [date, region, service, 'aws4_request'].reduce<string | Buffer>(
    (parent, part) => createHmac('sha256', parent).update(part).digest(),
    `AWS4${credentials.secret}`,
  )
  const text = [ALGORITHM, time, scope, hash(canonical)].join('\n')
  const signature = createHmac('sha256', key).update(text).digest('hex')
  const authorization = `${ALGORITHM} Credential=${credentials.key_id}/${scope}, SignedHeaders=${names.join(';')}, Signature=${signature}`
  return { ...signed, authorization }
}

/** Like `encodeURIComponent`, but also encodes the characters that AWS encodes and it does not. */
export function encodeStrictly(text: string): string {
  return encodeURIComponent(text).replaceAll(
    /[!'()*]/g,
    character => `%${character.charCodeAt(0).toString(16).toUpperCase()}`,
  )
}

/** In the order and encoding that the signature needs. */
export function buildQuery(parameters: Iterable<[string, string]>): string {
  return [...parameters]
    .map(([name, value]) => `${encodeStrictly(name)}=${encodeStrictly(value)}`)
    .sort()
    .join('&')
}

const hash = (text: string): string => createHash('sha256').update(text).digest('hex')
