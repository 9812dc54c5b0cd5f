// Fetches the signing keys of allowed token issuers. The only code that contacts them: no other host is ever
// contacted, whatever an organization or a token names, and redirects are not followed.

import type { Egress } from '@waybill/egress'
import { createLocalJWKSet, type JSONWebKeySet, type LocalJWKSet } from 'jose'
import type { Clock } from '../lib/clock.ts'
import { parseUrl } from '../lib/url.ts'

const MAX_BYTES = 256 * 1024
const FRESH_MS = 600_000
/** Keys change now and then, but a token with a made-up key id must not cause a request each time. */
const MIN_REFRESH_INTERVAL_MS = 60_000
/** A failing issuer is not contacted again for this long: requests that wait for it would pile up. */
export const RETRY_AFTER_FAILURE_MS = 10_000

/** The issuer does not respond, or not with keys. */
export class IssuerUnavailable extends Error {}

interface KeySet {
  verifier: LocalJWKSet
  kids: ReadonlySet<string>
}

export interface IssuerKeys {
  /** The keys of an allowed issuer, fetched again if none of them has the id; undefined if it is still unknown. */
  find(issuer: string, kid: string): Promise<KeySet | undefined>
}

export interface IssuerKeysParts {
  clock: Pick<Clock, 'monotonic_ms'>
  egress: Pick<Egress, 'fetch'>
  timeout_ms: number
  /** The parser for untrusted JSON; throws if it is invalid. */
  parseJson(bytes: Buffer, field: string): unknown
  onFailure(issuer: string, error: unknown): void
}

interface Known {
  keys: KeySet | undefined
  fetched_at_ms: number
  /** When it was last contacted, successfully or not. */
  requested_at_ms: number
  retry_at_ms: number
  under_way: Promise<KeySet> | undefined
}

export function makeIssuerKeys(issuers: readonly string[], parts: IssuerKeysParts): IssuerKeys {
  const now_ms = parts.clock.monotonic_ms
  const never = Number.NEGATIVE_INFINITY
  const known = new Map<string, Known>(
    issuers.map(issuer => [
      issuer,
      {
        keys: undefined,
        fetched_at_ms: never,
        requested_at_ms: never,
        retry_at_ms: never,
        under_way: undefined,
      },
    ]),
  )

  /** Concurrent callers wait for one shared request. */
  function refreshKeys(issuer: string, about: Known): Promise<KeySet> {
    if (about.under_way) return about.under_way
    if (about.retry_at_ms > now_ms()) throw new IssuerUnavailable(`${issuer} did not answer a moment ago`)
    about.requested_at_ms = now_ms()
    about.under_way = fetchKeys(issuer, parts)
      .then(keys => {
        about.keys = keys
        about.fetched_at_ms = now_ms()
        return keys
      })
      .catch(error => {
        about.retry_at_ms = now_ms() + RETRY_AFTER_FAILURE_MS
        parts.onFailure(issuer, error)
        throw new IssuerUnavailable(`${issuer} does not answer with its keys`)
      })
      .finally(() => {
        about.under_way = undefined
      })
    return about.under_way
  }

  return {
    find: async (issuer, kid) => {
      const about = known.get(issuer)
      if (!about) return undefined
      const isFresh = about.keys !== undefined && now_ms() - about.fetched_at_ms < FRESH_MS
      const keys = isFresh && about.keys ? about.keys : await refreshKeys(issuer, about)
      if (keys.kids.has(kid)) return keys
      if (!about.under_way && now_ms() - about.requested_at_ms < MIN_REFRESH_INTERVAL_MS) return undefined
      const newer = await refreshKeys(issuer, about)
      return newer.kids.has(kid) ? newer : undefined
    },
  }
}

async function fetchKeys(issuer: string, parts: IssuerKeysParts): Promise<KeySet> {
  const get = async (address: string) =>
    requireObject(parts.parseJson(await fetchBytes(parts, address), 'answer'))
  const discovered = await get(`${issuer.replace(/\/$/, '')}/.well-known/openid-configuration`)
  if (discovered.issuer !== issuer) throw new Error('The discovery document belongs to another issuer')
  const jwks_uri = String(discovered.jwks_uri)
  // The operator allowed this host and no other that it may point to.
  if (parseUrl(jwks_uri)?.origin !== new URL(issuer).origin) {
    throw new Error('The keys of the issuer are on another host')
  }
  const verifier = createLocalJWKSet((await get(jwks_uri)) as unknown as JSONWebKeySet)
  const kids = verifier.jwks().keys.flatMap(({ kid }) => kid ?? [])
  return { verifier, kids: new Set(kids) }
}

async function fetchBytes({ egress, timeout_ms }: IssuerKeysParts, address: string): Promise<Buffer> {
  const answer = await egress.fetch(address, {
    redirect: 'error',
    signal: AbortSignal.timeout(timeout_ms),
    headers: { accept: 'application/json' },
  })
  if (!answer.ok || !answer.body) {
    await answer.body?.cancel()
    throw new Error(`The issuer responded with ${answer.status}`)
  }
  const chunks: Uint8Array[] = []
  let bytes = 0
  for await (const chunk of answer.body) {
    bytes += chunk.length
    if (bytes > MAX_BYTES) throw new Error(`The issuer responded with more than ${MAX_BYTES} bytes`)
    chunks.push(chunk)
  }
  return Buffer.concat(chunks)
}

function requireObject(value: unknown): Record<string, unknown> {
  if (typeof value === 'object' && value !== null && !Array.isArray(value)) {
    return value as Record<string, unknown>
  }
  throw new Error('The issuer did not respond with a JSON object')
}
