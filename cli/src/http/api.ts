// Calls the API: retries what may succeed later, and turns every refusal into a problem with an exit code.
import { setTimeout as wait } from 'node:timers/promises'
import { Problem } from '../program/problem.ts'
import type { Answer, Call, Receipts } from './call.ts'
import { ConnectionProblem, type Exchange, type Incoming, readBody } from './exchange.ts'
import { buildMultipart } from './multipart.ts'
import { describeRefusal } from './refusal.ts'

export interface ApiParts {
  /** Without a trailing slash. */
  host: string
  /**
   * Undefined if there is no credential. Called for each request, because a new key may have been exchanged.
   */
  getToken(): Promise<string | undefined>
  exchange: Exchange
  user_agent: string
  /** How long to retry. */
  timeout_ms: number
  max_retries: number
  /** Undefined if nobody wants receipts. */
  receipts?: Receipts | undefined
  now_ms(): number
  debug(text: string): void
}

export interface Api {
  call(call: Call): Promise<Answer>
}

const RETRIED = new Set([408, 425, 429, 502, 503, 504])
const MAX_WAIT_MS = 60_000
const FIRST_WAIT_MS = 250

export function makeApi(parts: ApiParts): Api {
  return {
    call: async call => {
      const receipts = call.method === 'GET' ? undefined : parts.receipts
      const answer = await sendWithRetries(call, { ...parts, receipts })
      await receipts?.keep(call, answer)
      return answer
    },
  }
}

async function sendWithRetries(call: Call, parts: ApiParts): Promise<Answer> {
  const deadline_ms = parts.now_ms() + (call.timeout_ms ?? parts.timeout_ms)
  for (let attempt = 0; ; attempt++) {
    const outcome = await sendOnce(call, parts)
    if ('answer' in outcome && outcome.answer.status < 300) return outcome.answer
    const wait_ms = planRetry(outcome, attempt)
    const isLast = wait_ms === undefined || attempt >= parts.max_retries
    if (isLast || !mayRepeat(call, outcome) || parts.now_ms() + wait_ms > deadline_ms)
      fail(outcome, call, parts)
    parts.debug(`${describeOutcome(outcome)}; retrying in ${wait_ms} ms`)
    await wait(wait_ms)
  }
}

type Outcome = { answer: Answer } | { problem: ConnectionProblem }

async function sendOnce(call: Call, parts: ApiParts): Promise<Outcome> {
  try {
    const incoming = await send(call, parts)
    const bytes = await readBody(incoming)
    const answer = {
      status: incoming.status,
      headers: incoming.headers,
      bytes,
      json: readJson(incoming, bytes),
    }
    parts.debug(`${call.method} ${call.path}: ${answer.status}`)
    return { answer }
  } catch (error) {
    if (error instanceof ConnectionProblem) return { problem: error }
    throw error
  }
}

async function send(call: Call, parts: ApiParts): Promise<Incoming> {
  const token = await parts.getToken()
  const { content_type, length, open } = buildBody(call)
  return parts.exchange({
    method: call.method,
    url: buildUrl(parts.host, call),
    headers: {
      accept: 'application/json',
      'user-agent': parts.user_agent,
      ...(token === undefined ? {} : { authorization: `Bearer ${token}` }),
      ...parts.receipts?.headers,
      ...(call.idempotency_key === undefined ? {} : { 'idempotency-key': call.idempotency_key }),
      ...(content_type === undefined
        ? {}
        : { 'content-type': content_type, 'content-length': String(length) }),
    },
    openBody: open,
    timeout_ms: call.timeout_ms ?? parts.timeout_ms,
    onSent: () => parts.receipts?.prepare(call),
  })
}

export function buildUrl(host: string, { path, query = {} }: Pick<Call, 'path' | 'query'>): URL {
  const url = new URL(`${host}/api/v2${path}`)
  for (const [name, value] of Object.entries(query)) {
    if (value === undefined) continue
    for (const item of [value].flat()) url.searchParams.append(name, String(item))
  }
  return url
}

function buildBody(call: Call) {
  if (call.parts !== undefined) return buildMultipart(call.parts)
  if (call.json === undefined) return { content_type: undefined, length: 0, open: undefined }
  const bytes = Buffer.from(JSON.stringify(call.json))
  return { content_type: 'application/json', length: bytes.length, open: () => bytes }
}

function readJson({ headers }: Incoming, bytes: Buffer): unknown {
  if (!headers['content-type']?.includes('json')) return undefined
  try {
    return JSON.parse(bytes.toString('utf8'))
  } catch {
    // Something between this machine and the service answered.
    return undefined
  }
}

/** Milliseconds until the next attempt; undefined if a retry would not help. */
function planRetry(outcome: Outcome, attempt: number): number | undefined {
  const backoff = FIRST_WAIT_MS * 2 ** attempt * (0.5 + Math.random())
  if ('problem' in outcome) return Math.min(backoff, MAX_WAIT_MS)
  const { status, headers } = outcome.answer
  const after = Number(headers['retry-after'])
  const isBusy = RETRIED.has(status) || (status === 409 && headers['retry-after'] !== undefined)
  if (!isBusy) return undefined
  return Math.min(Number.isFinite(after) && after >= 0 ? Math.max(after * 1000, 50) : backoff, MAX_WAIT_MS)
}

/** The service may have stored a POST without an idempotency key even if its response was lost. */
function mayRepeat({ method, idempotency_key }: Call, outcome: Outcome): boolean {
  return method !== 'POST' || idempotency_key !== undefined || 'answer' in outcome
}

const describeOutcome = (outcome: Outcome): string =>
  'problem' in outcome ? outcome.problem.message : `The service answered ${outcome.answer.status}`

function fail(outcome: Outcome, call: Call, { host }: ApiParts): never {
  if ('answer' in outcome) throw describeRefusal(outcome.answer, call)
  throw new Problem(`The service could not be reached: ${outcome.problem.message}`, {
    exit: 'unreachable',
    hint: `Check the address (${host}) and the network; "waybill doctor" tries each step.`,
  })
}

/** Replaces the parameters of a path with encoded values. */
export function fillPath(template: string, values: Readonly<Record<string, string>>): string {
  return template.replaceAll(/\{(\w+)\}/g, (_, name: string) => {
    const value = values[name]
    if (value === undefined) throw new Error(`No value for {${name}} of ${template}`)
    // Segments of only dots would change the path.
    return /^\.+$/.test(value) ? value.replaceAll('.', '%2E') : encodeURIComponent(value)
  })
}
