// Follows every link of the app once for each kind of page, as somebody would who clicks on everything.
import type { Page } from 'playwright-core'
import { goTo, settled } from './browser.ts'

/** What pages are called; all else in an address is the name of something. */
const WORDS = new Set([
  'allow-list',
  'artifacts',
  'attestation-types',
  'attestations',
  'audit-events',
  'audit-log',
  'control-coverage',
  'controls',
  'deliveries',
  'edit',
  'environments',
  'flows',
  'import-controls',
  'mail-domains',
  'members',
  'new',
  'new-control',
  'new-organization',
  'new-policy',
  'new-trust-rule',
  'notifications',
  'organization',
  'policies',
  'profile',
  'repos',
  'scim-tokens',
  'search',
  'service-accounts',
  'settings',
  'snapshots',
  'trails',
  'trust-rules',
  'waiting-decisions',
])
/** Where the same address shows something else. */
const TELLING = ['tab', 'view', 'about', 'attestation_id', 'delivery', 'decision', 'archived']

/** `/harbour-bank/environments/production?tab=log` is the kind `/_/environments/_?tab=log`. */
export function kindOf(path: string): string {
  const { pathname, searchParams } = new URL(path, 'http://app')
  const words = pathname.split('/').map(part => (part === '' || WORDS.has(part) ? part : '_'))
  const told = TELLING.filter(name => searchParams.has(name)).map(name =>
    name === 'tab' || name === 'view' ? `${name}=${searchParams.get(name)}` : name,
  )
  return told.length === 0 ? words.join('/') : `${words.join('/')}?${told.join('&')}`
}

export interface Crawl {
  /** By kind, the first address of each. */
  seen: ReadonlyMap<string, string>
}

export interface CrawlOptions {
  /** All of these are visited, also where several are of one kind. */
  start: readonly string[]
  /** Side by side. */
  pages: Page[]
  atEach(page: Page, path: string): Promise<void>
}

export async function crawl({ start, pages, atEach }: CrawlOptions): Promise<Crawl> {
  const seen = new Map<string, string>()
  const waiting: string[] = []
  const meet = (path: string) => {
    const kind = kindOf(path)
    if (seen.has(kind)) return
    seen.set(kind, path)
    waiting.push(path)
  }
  for (const path of start) seen.set(kindOf(path), path)
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
        for (const link of await linksOf(page)) meet(link)
        await atEach(page, path)
      } finally {
        working--
      }
    }
  }
  await Promise.all(pages.map(walk))
  return { seen }
}

/** To pages of the app: what the server answers itself (the API, downloads) is not followed. */
async function linksOf(page: Page): Promise<string[]> {
  await settled(page)
  const found = await page.evaluate<string[]>(
    `[...document.querySelectorAll('a[href]')]
      .filter(a => a.origin === location.origin && !a.hasAttribute('download'))
      .map(a => a.pathname + a.search)`,
  )
  // The home of whoever is in one org is that org.
  return found.filter(path => path !== '/' && !/^\/(api|auth|sign-in|sign-out)\b/.test(path))
}
