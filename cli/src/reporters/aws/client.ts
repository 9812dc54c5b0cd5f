// Sends signed requests to AWS services, retries where that helps, and explains refusals.
import { setTimeout as wait } from 'node:timers/promises'
import type { Environment } from '../../ci/systems.ts'
import { isConfidential } from '../../http/confidential.ts'
import { ConnectionProblem, type Exchange, type Incoming, readBody } from '../../http/exchange.ts'
import { failUsage, Problem } from '../../program/problem.ts'
import { type AwsCredentials, buildQuery, signRequest } from './sign.ts'
import { readText } from './xml.ts'

export type AwsService = 'ecs' | 'lambda' | 's3' | 'sts'

interface AwsRequest {
  service: AwsService
  method: 'GET' | 'POST'
  /** All special characters are encoded. */
  path: string
  query?: Readonly<Record<string, string>>
  headers?: Readonly<Record<string, string>>
  body?: string
  /** The name of a bucket that is part of the host. */
  bucket?: string
  /** Undefined for an unsigned request that carries its own proof. */
  credentials: AwsCredentials | undefined
}

export interface AwsParts {
  region: string
  /** Set by the user if the requests go elsewhere than to AWS. */
  endpoint(service: AwsService): string | undefined
  exchange: Exchange
  now_ms(): number
  timeout_ms: number
  signal?: AbortSignal | undefined
}

export type SendToAws = (request: AwsRequest) => Promise<Incoming>

const MOST_ATTEMPTS = 6
const FIRST_PAUSE_MS = 200
const BUSY = /Throttl|TooManyRequests|LimitExceeded|SlowDown|RequestTimeout$|ServiceUnavailable|InternalError/
const REFUSED =
  /AccessDenied|Unauthorized|UnrecognizedClient|InvalidClientTokenId|InvalidAccessKeyId|ExpiredToken|SignatureDoesNotMatch|InvalidIdentityToken|MissingAuthentication|InvalidSignature|AuthFailure/
const LARGEST_REFUSAL_BYTES = 1024 * 1024

const DOMAINS: readonly [prefix: string, domain: string][] = [
  ['cn-', 'amazonaws.com.cn'],
  ['eusc-', 'amazonaws.eu'],
  ['us-iso-', 'c2s.ic.gov'],
  ['us-isob-', 'sc2s.sgov.gov'],
]

export function makeSendToAws(parts: AwsParts): SendToAws {
  return async request => {
    for (let attempt = 1; ; attempt++) {
      const answered = await attemptOnce(request, parts)
      if (!(answered instanceof Problem)) return answered
      if (attempt === MOST_ATTEMPTS || answered.exit !== 'unreachable') throw answered
      await wait(FIRST_PAUSE_MS * 2 ** (attempt - 1), undefined, { signal: parts.signal })
    }
  }
}

/** A problem with the exit code `unreachable` is worth a retry. */
async function attemptOnce(request: AwsRequest, parts: AwsParts): Promise<Incoming | Problem> {
  const url = buildUrl(request, parts)
  const { method, service, credentials, body = '' } = request
  const headers = { ...request.headers, host: url.host }
  const { region } = parts
  const signed =
    credentials === undefined
      ? headers
      : signRequest({ method, url, headers, body }, { credentials, region, service, now_ms: parts.now_ms() })
  try {
    const answer = await parts.exchange({
      method,
      url,
      headers: { ...signed, 'content-length': String(Buffer.byteLength(body)) },
      openBody: () => Buffer.from(body),
      timeout_ms: parts.timeout_ms,
      signal: parts.signal,
    })
    if (answer.status === 200) return answer
    return explain(request, answer, await readBody(answer, LARGEST_REFUSAL_BYTES))
  } catch (error) {
    if (!(error instanceof ConnectionProblem)) throw error
    return new Problem(`AWS cannot be reached: ${error.message}`, { exit: 'unreachable' })
  }
}

/** A bucket is part of the host, unless its name does not allow it or the user named the host. */
function buildUrl({ service, path, query = {}, bucket }: AwsRequest, parts: AwsParts): URL {
  const given = parts.endpoint(service)
  const isInHost = bucket !== undefined && given === undefined && /^[a-z0-9-]+$/.test(bucket)
  const base = given ?? buildAddress(service, parts.region, isInHost ? bucket : undefined)
  const folder = bucket === undefined || isInHost ? '' : `/${bucket}`
  const search = buildQuery(Object.entries(query))
  return new URL(`${base.replace(/\/+$/, '')}${folder}${path}${search === '' ? '' : `?${search}`}`)
}

function buildAddress(service: AwsService, region: string, bucket: string | undefined): string {
  const domain = DOMAINS.find(([prefix]) => region.startsWith(prefix))?.[1] ?? 'amazonaws.com'
  return `https://${bucket === undefined ? '' : `${bucket}.`}${service}.${region}.${domain}`
}

/** From variables and from the user's files, as all AWS tools read them. */
export function findEndpoint(env: Environment, of_profile: string | undefined) {
  return (service: AwsService): string | undefined => {
    const own = `AWS_ENDPOINT_URL_${service.toUpperCase()}`
    const given = env[own] || env.AWS_ENDPOINT_URL || of_profile
    if (given === undefined) return undefined
    if (!URL.canParse(given) || !isConfidential(new URL(given)))
      failUsage(`The endpoint ${given} of AWS is not supported`, 'It begins with https://')
    return given
  }
}

function explain(request: AwsRequest, { status, headers }: Incoming, bytes: Buffer): Problem {
  const { code, message } = readRefusal(bytes.toString('utf8'))
  const what = `AWS refused ${describe(request)}: ${[code, message].filter(Boolean).join(': ') || status}`
  const region = headers['x-amz-bucket-region']
  if (region !== undefined && (status === 301 || code === 'AuthorizationHeaderMalformed'))
    return new Problem(what, {
      exit: 'usage',
      hint: `The bucket is in another region: --aws-region ${region}`,
    })
  if (status === 412)
    return new Problem(what, { exit: 'conflict', hint: 'The bucket changed while it was read: try again.' })
  if (code.includes('TimeTooSkewed'))
    return new Problem(what, { exit: 'not_allowed', hint: 'The clock of this machine is wrong.' })
  if (REFUSED.test(code) || status === 401 || status === 403)
    return new Problem(what, {
      exit: 'not_allowed',
      hint: 'Check the credentials and what they may do: docs/reporters.md lists the permissions.',
    })
  if (status >= 500 || status === 429 || BUSY.test(code)) return new Problem(what, { exit: 'unreachable' })
  return new Problem(what, { exit: /NotFound|NoSuch/.test(code) ? 'not_found' : 'usage' })
}

const describe = ({ service, headers, bucket, path }: AwsRequest): string =>
  `${service} ${headers?.['x-amz-target']?.split('.')[1] ?? bucket ?? path}`

function readRefusal(text: string): { code: string; message: string } {
  if (text.trimStart().startsWith('{')) {
    const { __type = '', code = '', message, Message } = JSON.parse(text) as Record<string, string>
    return { code: (__type || code).replace(/^.*#/, ''), message: message ?? Message ?? '' }
  }
  return { code: readText(text, 'Code') ?? '', message: readText(text, 'Message') ?? '' }
}
