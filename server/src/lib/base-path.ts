// The path below which the service is public, from WAYBILL_BASE_URL: '' or such as `/waybill`. Routes do not know it: it is
// taken off the addresses of requests, and put in front of redirects and of the links of our own pages. So a proxy may remove
// it or not, and probes work without it.

/** The start of a link or form in a page that we wrote; text of others has no such quotes. */
const OWN_LINK = / (href|action)="\/(?!\/)/g
const METRICS = /^\/metrics(\?|$)/

export function readBasePath(base_url: string): string {
  return new URL(base_url).pathname.replace(/\/+$/, '')
}

export function removeBasePath(url: string, base_path: string): string {
  if (base_path === '' || !url.startsWith(base_path)) return url
  const rest = url.slice(base_path.length)
  // A proxy that passes only this path on must not publish what is for this machine.
  if (METRICS.test(rest)) return url
  if (rest === '' || rest.startsWith('?')) return `/${rest}`
  return rest.startsWith('/') ? rest : url
}

export function addBasePathToLinks(html: string, base_path: string): string {
  return html.replaceAll(OWN_LINK, ` $1="${base_path}/`)
}
