// One request to a registry or its token server, through the caller's `fetch`. Follows redirects and limits
// the body.
import { FingerprintProblem } from './problem.ts'

const MAX_REDIRECTS = 5
const REDIRECTS: readonly number[] = [301, 302, 303, 307, 308]

interface FetchInit {
  method: 'GET' | 'POST'
  headers: Record<string, string>
  body?: string
  /** Redirects are followed here, because credentials must not go to another host. */
  redirect: 'manual'
  signal?: AbortSignal
}

interface FetchedResponse {
  status: number
  headers: { get(name: string): string | null }
  body: AsyncIterable<Uint8Array> | null
}

/** The global `fetch` fits. This package opens no connections of its own. */
export type Fetch = (url: string, init: FetchInit) => Promise<FetchedResponse>

export interface RegistryRequest {
  url: string
  accept: string
  /** Sent only to the host of the URL. */
  authorization?: string | undefined
  /** The fields of a form. Makes the request a POST. */
  form?: string
  limit_bytes: number
}

export interface RegistryAnswer {
  status: number
  headers: FetchedResponse['headers']
  /** Empty unless the status is 200. */
  body: Buffer
  /** The URL of the response, after redirects. */
  url: URL
}

export interface Network {
  fetch: Fetch
  signal: AbortSignal | undefined
}

export async function sendRequest(network: Network, request: RegistryRequest): Promise<RegistryAnswer> {
  const first = new URL(request.url)
  let url = first
  for (let redirects = 0; ; redirects++) {
    const response = await callFetch(network, url, request, url.origin === first.origin)
    if (!REDIRECTS.includes(response.status)) {
      const body =
        response.status === 200 ? await readBody(response, url, request.limit_bytes) : await drop(response)
      return { status: response.status, headers: response.headers, body, url }
    }
    await drop(response)
    if (request.form !== undefined || redirects >= MAX_REDIRECTS) {
      throw refuseRedirect(url, request.form === undefined ? 'too often' : 'a request with credentials')
    }
    url = resolveRedirect(url, response.headers.get('location'))
  }
}

async function callFetch(
  { fetch: call, signal }: Network,
  url: URL,
  { accept, authorization, form }: RegistryRequest,
  isFirstHost: boolean,
): Promise<FetchedResponse> {
  const headers = {
    accept,
    ...(authorization !== undefined && isFirstHost ? { authorization } : {}),
    ...(form === undefined ? {} : { 'content-type': 'application/x-www-form-urlencoded' }),
  }
  const method = form === undefined ? 'GET' : 'POST'
  try {
    const sent = {
      method,
      headers,
      redirect: 'manual',
      ...(form === undefined ? {} : { body: form }),
    } as const
    return await call(url.href, signal === undefined ? sent : { ...sent, signal })
  } catch (error) {
    throw makeUnreachable(url, error)
  }
}

function resolveRedirect(from: URL, location: string | null): URL {
  let target: URL
  try {
    target = new URL(location ?? '', from)
  } catch (cause) {
    throw refuseRedirect(from, 'to an address that is not valid', cause)
  }
  const isAsSafe = target.protocol === 'https:' || (target.protocol === 'http:' && from.protocol === 'http:')
  if (location === null || !isAsSafe) throw refuseRedirect(from, 'away from HTTPS, or nowhere')
  target.username = ''
  target.password = ''
  return target
}

async function readBody(response: FetchedResponse, url: URL, limit: number): Promise<Buffer> {
  const tooLarge = () =>
    new FingerprintProblem(
      'invalid',
      `${url.host} sent a response of more than ${limit} bytes, which is no manifest.`,
    )
  if (Number(response.headers.get('content-length')) > limit) {
    await drop(response)
    throw tooLarge()
  }
  const blocks: Uint8Array[] = []
  let size = 0
  try {
    for await (const block of response.body ?? []) {
      size += block.length
      // Leaving the loop ends the download.
      if (size > limit) throw tooLarge()
      blocks.push(block)
    }
  } catch (error) {
    throw error instanceof FingerprintProblem ? error : makeUnreachable(url, error)
  }
  return Buffer.concat(blocks)
}

/** Ends the download of an unneeded body. */
async function drop(response: FetchedResponse): Promise<Buffer> {
  try {
    await response.body?.[Symbol.asyncIterator]().return?.()
  } catch {
    // The status is known, and nothing else in the response matters.
  }
  return Buffer.alloc(0)
}

function makeUnreachable(url: URL, cause: unknown): FingerprintProblem {
  const why =
    cause instanceof Error
      ? cause.cause instanceof Error
        ? cause.cause.message
        : cause.message
      : 'no reason'
  const message = `${url.host} cannot be reached (${why}). Check the name of the registry, the network and the proxy.`
  return new FingerprintProblem('unreachable', message, { cause })
}

function refuseRedirect(url: URL, why: string, cause?: unknown): FingerprintProblem {
  const message = `${url.host} redirects ${why}, which is not followed. Name the registry that it redirects to.`
  return new FingerprintProblem('invalid', message, { cause })
}
