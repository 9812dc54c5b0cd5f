// Follows the links of the app once for each kind of page.
import type { Page } from 'playwright-core'
import { goTo, settled } from './browser.ts'

/** The fixed parts of addresses; everything else is the name of a resource. */
const WORDS = new Set([
  'allow-list',
  'approve',
  'artifacts',
  'attest',
  'attestation-types',
  'attestations',
  'audit-events',
  'audit-log',
  'control-coverage',
  'controls',
  'decide',
  'deliveries',
  'edit',
  'environments',
  'flows',
  'import-controls',
  'mail-domains',
  'members',
  'new',
  'new-attestation-type',
  'new-control',
  'new-environment',
  'new-flow',
  'new-organization',
  'new-policy',
  'new-trust-rule',
  'notifications',
  'organization',
  'override',
  'policies',
  'profile',
  'proof',
  'repos',
  'scim-tokens',
  'search',
  'service-accounts',
  'settings',
  'snapshots',
  'trails',
  'trends',
  'trust-rules',
  'waiting-decisions',
])
/** Query parameters that make it another kind of page. */
const DISTINGUISHING = ['tab', 'view', 'about', 'attestation_id', 'delivery', 'decision', 'archived']

/** `/harbour-bank/environments/production?tab=log` is the kind `/_/environments/_?tab=log`. */
export function classifyPage(path: string): string {
  const { pathname, searchParams } = new URL(path, 'http://app')
  const words = pathname.split('/').map(part => (part === '' || WORDS.has(part) ? part : '_'))
  const query = DISTINGUISHING.filter(name => searchParams.has(name)).map(name =>
    name === 'tab' || name === 'view' ? `${name}=${searchParams.get(name)}` : name,
  )
  return query.length === 0 ? words.join('/') : `${words.join('/')}?${query.join('&')}`
}

export interface Crawl {
  /** The first address of each kind. */
  seen: ReadonlyMap<string, string>
}

export interface CrawlOptions {
  /** All of these are visited, even several of one kind. */
  start: readonly string[]
  /** Used in parallel. */
  pages: Page[]
  atEach(page: Page, path: string): Promise<void>
}

export async function crawl({ start, pages, atEach }: CrawlOptions): Promise<Crawl> {
  const seen = new Map<string, string>()
  const waiting: string[] = []
  const enqueue = (path: string) => {
    const kind = classifyPage(path)
    if (seen.has(kind)) return
    seen.set(kind, path)
    waiting.push(path)
  }
  for (const path of start) seen.set(classifyPage(path), path)
  waiting.push(...start)
  let working = 0
  const walk = async (page: Page) => {
    while (waiting.length > 0 || working > 0) {
      const path = waiting.shift()
      if (path === undefined) {
        await page.waitForTimeout(50)
        continue
      }
      working++
      try {
        await goTo(page, path)
        for (const link of await listLinks(page)) enqueue(link)
        await atEach(page, path)
      } finally {
        working--
      }
    }
  }
  await Promise.all(pages.map(walk))
  return { seen }
}

/** Links to pages of the app, without the API and downloads. */
async function listLinks(page: Page): Promise<string[]> {
  await settled(page)
  const found = await page.evaluate<string[]>(
    `[...document.querySelectorAll('a[href]')]
      .filter(a => a.origin === location.origin && !a.hasAttribute('download'))
      .map(a => a.pathname + a.search)`,
  )
  // For a person with one org, `/` redirects to it.
  return found.filter(path => path !== '/' && !/^\/(api|auth|sign-in|sign-out)\b/.test(path))
}
