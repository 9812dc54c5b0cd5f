// The path below which the service is public, from WAYBILL_BASE_URL: '' or, for example, `/waybill`. Routes do not
// know it: it is removed from request URLs, and prepended to redirects and to links in our own pages. So a proxy may
// or may not remove it, and probes work without it.

/** The start of a link or form in our own pages; user-supplied text is escaped, so it cannot contain these quotes. */
const OWN_LINK = / (href|action)="\/(?!\/)/g
const METRICS = /^\/metrics(\?|$)/

export function readBasePath(base_url: string): string {
  return new URL(base_url).pathname.replace(/\/+$/, '')
}

export function removeBasePath(url: string, base_path: string): string {
  if (base_path === '' || !url.startsWith(base_path)) return url
  const rest = url.slice(base_path.length)
  // A proxy that forwards only this path must not publish what is meant for this machine.
  if (METRICS.test(rest)) return url
  if (rest === '' || rest.startsWith('?')) return `/${rest}`
  return rest.startsWith('/') ? rest : url
}

export function addBasePathToLinks(html: string, base_path: string): string {
  return html.replaceAll(OWN_LINK, ` $1="${base_path}/`)
}
