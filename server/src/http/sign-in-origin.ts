// Requests that change something must come from our own pages. Browsers send the origin of a request; without it (an
// old browser, a program) the form decides, by its link, page or token for this browser.
import type { FastifyRequest } from 'fastify'
import { forbidden } from '../lib/errors.ts'
import { parseUrl } from '../lib/url.ts'

export const CROSS_SITE = 'The request comes from a page of another site'

/**
 * `none`: the user typed the URL, or reloaded. A sibling host counts as another site, because it may have another
 * owner.
 */
const OWN_SITES = ['same-origin', 'none']

export function refuseCrossSite(request: FastifyRequest, base_url: string): void {
  if (request.method === 'GET' || request.method === 'HEAD') return
  const { origin, host, 'sec-fetch-site': site } = request.headers
  const isElsewhere = site !== undefined && !OWN_SITES.includes(String(site))
  if (isElsewhere || !isOwnOrigin(origin, host, base_url)) throw forbidden(CROSS_SITE)
}

/**
 * Compares with the public URL, or with the requested host: without a public URL people use several names for it.
 * `null` is inconclusive: browsers also send it for forms on our own pages, which send no referrer.
 */
function isOwnOrigin(origin: string | undefined, host: string | undefined, base_url: string): boolean {
  if (origin === undefined || origin === 'null') return true
  const claimed = parseUrl(origin)
  return claimed !== undefined && (claimed.origin === parseUrl(base_url)?.origin || claimed.host === host)
}
