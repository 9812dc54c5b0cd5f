// Every kind of page URL that the API returns: reads these answers and collects one `html_url` of each kind.
import type { DemoService } from '../demo-service.ts'
import { DEMO_ORG as ORG } from './browser.ts'
import { classifyPage } from './crawl.ts'

export interface Address {
  kind: string
  path: string
  /** A text that only the right page shows. */
  shows: string
}

const READ = [
  `environments/${ORG}`,
  `environments/${ORG}/production`,
  `snapshots/${ORG}/production/-1`,
  `snapshots/${ORG}/production/10`,
  `trails/${ORG}?flow=payments-api&page=1&per_page=1`,
  `trails/${ORG}/payments-api/release-2.9.0`,
  `artifacts/${ORG}?repo_name=harbour-bank/payments-api&page=1&per_page=1`,
  `attestations/${ORG}?per_page=5`,
  `policies/${ORG}/live-rules`,
  `controls/${ORG}/REL-01`,
  `controls/${ORG}/REL-01/decisions?per_page=1`,
  `search/${ORG}/sha/7c878ae6`,
]

export async function listApiAddresses(service: DemoService): Promise<Address[]> {
  const found = new Map<string, Address>()
  for (const path of READ) {
    const { status, text } = await service.call('GET', `/api/v2/${path}`, { key: service.key })
    if (status !== 200) throw new Error(`${path} returned ${status}: ${text}`)
    for (const url of findPageUrls(JSON.parse(text))) {
      const { pathname, search } = new URL(url)
      const kind = classifyPage(pathname + search)
      if (!found.has(kind)) found.set(kind, { kind, path: pathname + search, shows: readName(pathname) })
    }
  }
  return [...found.values()]
}

function* findPageUrls(value: unknown): Generator<string> {
  if (typeof value !== 'object' || value === null) return
  for (const [key, inner] of Object.entries(value)) {
    if (key.endsWith('html_url') && typeof inner === 'string' && inner !== '') yield inner
    else yield* findPageUrls(inner)
  }
}

function readName(pathname: string): string {
  const name = decodeURIComponent(pathname.split('/').at(-1) ?? '')
  return pathname.includes('/snapshots/') ? `Snapshot ${name}` : name
}
