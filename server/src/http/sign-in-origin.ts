// Requests that change something must come from a page of ours. Browsers say where a request comes from; what says nothing
// (an old browser, a program) is decided by what the form carries: a link, a page or a token of this browser.
import type { FastifyRequest } from 'fastify'
import { forbidden } from '../lib/errors.ts'
import { parseUrl } from '../lib/url.ts'

export const CROSS_SITE = 'The request comes from a page of another site'

/** `none`: somebody typed the address, or reloaded. A sibling host is another site here: it may be somebody else's. */
const OWN_SITES = ['same-origin', 'none']

export function refuseCrossSite(request: FastifyRequest, base_url: string): void {
  if (request.method === 'GET' || request.method === 'HEAD') return
  const { origin, host, 'sec-fetch-site': site } = request.headers
  const isElsewhere = site !== undefined && !OWN_SITES.includes(String(site))
  if (isElsewhere || !isOwnOrigin(origin, host, base_url)) throw forbidden(CROSS_SITE)
}

/**
 * By the public address, or by the host that was asked: without a public address people use several names for it. `null`
 * says nothing: browsers send it also for the forms of our own pages, which send no referrer.
 */
function isOwnOrigin(origin: string | undefined, host: string | undefined, base_url: string): boolean {
  if (origin === undefined || origin === 'null') return true
  const claimed = parseUrl(origin)
  return claimed !== undefined && (claimed.origin === parseUrl(base_url)?.origin || claimed.host === host)
}
