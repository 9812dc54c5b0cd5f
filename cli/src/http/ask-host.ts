// Requests to the API of another service: a git host, a tracker, an analyzer. Sends the token only there, and
// never without TLS.

import { failUsage, Problem } from '../program/problem.ts'
import { isConfidential } from './confidential.ts'
import { ConnectionProblem, type Exchange, readBody } from './exchange.ts'

/** Sends one request; the response is JSON. */
export type AskHost = (path: string, body?: object) => Promise<unknown>

const LARGEST_ANSWER_BYTES = 32 * 1024 * 1024

interface Host {
  /** The name in messages. */
  name: string
  /** The flag that sets the address. */
  flag: string
  base_url: string
  headers: Readonly<Record<string, string>>
  timeout_ms: number
}

export function makeAskHost(
  exchange: Exchange,
  { name, flag, base_url, headers, timeout_ms }: Host,
): AskHost {
  const base = readBase(base_url, flag)
  return async (path, body) => {
    const bytes = body === undefined ? undefined : Buffer.from(JSON.stringify(body))
    try {
      const answer = await exchange({
        method: bytes === undefined ? 'GET' : 'POST',
        url: new URL(`${base}${path}`),
        headers: {
          accept: 'application/json',
          ...headers,
          ...(bytes === undefined
            ? {}
            : { 'content-type': 'application/json', 'content-length': String(bytes.length) }),
        },
        openBody: bytes === undefined ? undefined : () => bytes,
        timeout_ms,
      })
      const content = await readBody(answer, LARGEST_ANSWER_BYTES)
      if (answer.status !== 200) throw explain(name, answer.status)
      return JSON.parse(content.toString('utf8'))
    } catch (error) {
      if (!(error instanceof ConnectionProblem)) throw error
      throw new Problem(`${name} could not be reached: ${error.message}`, { exit: 'unreachable' })
    }
  }
}

function readBase(address: string, flag: string): string {
  let url: URL
  try {
    url = new URL(address)
  } catch {
    failUsage(`--${flag}: "${address}" is not an address`)
  }
  if (!isConfidential(url))
    failUsage(
      `--${flag}: ${address} does not begin with https://`,
      'Everybody on the way could read the token.',
    )
  return url.href.replace(/\/+$/, '')
}

function explain(name: string, status: number): Problem {
  if (status === 401 || status === 403)
    return new Problem(`${name} does not accept the token (${status})`, { exit: 'not_allowed', status })
  if (status === 404)
    return new Problem(`${name} does not know what was asked for (404)`, {
      exit: 'not_found',
      hint: 'Check the names in the command. A token that may not see it also gets this answer.',
      status,
    })
  return new Problem(`${name} answered ${status}`, {
    exit: status >= 500 || status === 429 ? 'unreachable' : 'failure',
  })
}
