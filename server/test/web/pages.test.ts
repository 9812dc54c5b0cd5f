// Every kind of page that a link leads to, on a dark phone and on a light desktop, and every page URL that the API returns.
import type { Page } from 'playwright-core'
import { beforeAll, describe, expect, it } from 'vitest'
import { listApiAddresses } from './addresses.ts'
import {
  DEMO_ORG,
  findAccessibilityProblems,
  LOOKS,
  type Look,
  measureOverflow,
  openSharedSite,
  type Site,
  settled,
  show,
} from './browser.ts'
import { crawl } from './crawl.ts'

const WINDOWS = 3
/** Pages that a link might lose, and archived resources, whose pages look different. */
const START = [
  '',
  'running',
  'proof',
  'trends',
  'control-coverage',
  'controls/REL-01/environments/production',
  'environments?archived=true',
  'attestation-types?archived=true',
  'flows/card-portal',
  'flows/card-portal/trails/release-2.0.1',
  'environments/old-data-centre',
  'environments/old-data-centre?tab=allow-list',
  'environments/old-data-centre?tab=policies',
  'environments/archive-host',
].map(path => `/${DEMO_ORG}${path === '' ? '' : `/${path}`}`)
/** Fewer kinds mean that something stopped the crawl. */
const MIN_KINDS = 40

let site: Site
beforeAll(async () => {
  site = await openSharedSite()
})

describe('every link of the app', () => {
  const problems: Record<Look, string[]> = { phone: [], desk: [] }
  const complaints: string[] = []
  let kinds = 0

  // One walk for both looks: following the links takes most of the time.
  beforeAll(async () => {
    const windows = await Promise.all(Array.from({ length: WINDOWS }, () => site.newWindow('desk', 'mara')))
    for (const { page } of windows) await show(page, `/${DEMO_ORG}`)
    const { seen } = await crawl({
      start: START,
      pages: windows.map(({ page }) => page),
      atEach: async (page, path) => {
        for (const look of ['phone', 'desk'] as const) {
          await lookLike(page, look)
          problems[look].push(...(await findProblems(page, path)))
        }
      },
    })
    kinds = seen.size
    complaints.push(...windows.flatMap(window => window.complaints))
    await Promise.all(windows.map(({ page }) => page.close()))
  })

  it.each(Object.keys(LOOKS) as Look[])('at the %s opens a page that fits and is accessible', look => {
    expect(problems[look]).toEqual([])
  })

  it('leads to pages without complaints', () => {
    expect(complaints).toEqual([])
    expect(kinds).toBeGreaterThan(MIN_KINDS)
  })
})

async function lookLike(page: Page, look: Look): Promise<void> {
  const { viewport, colorScheme } = LOOKS[look]
  await page.setViewportSize(viewport)
  await page.emulateMedia({ colorScheme })
  // The app reacts to the new size in the next frame.
  await page.evaluate('new Promise(done => requestAnimationFrame(() => requestAnimationFrame(done)))')
  await settled(page)
}

async function findProblems(page: Page, path: string): Promise<string[]> {
  const problems: string[] = []
  const headings = await page.locator('h1').count()
  if (headings !== 1) problems.push(`${path}: ${headings} headings of the first order`)
  const alerts = await page.getByRole('alert').allInnerTexts()
  if (alerts.length > 0) problems.push(`${path}: says ${alerts.join('; ')}`)
  const too_wide = await measureOverflow(page)
  if (too_wide > 0) problems.push(`${path}: ${too_wide} px too wide`)
  // Header and navigation are the same on all pages.
  const part = path === `/${DEMO_ORG}` ? 'whole' : 'without frame'
  return [...problems, ...(await findAccessibilityProblems(page, part))]
}

describe('a page URL that the API returns', () => {
  it('opens the page of its resource', async () => {
    const { page, complaints } = await site.sameWindow('desk', 'mara')
    const addresses = await listApiAddresses(site.service)
    const wrong: string[] = []
    for (const { path, shows } of addresses) {
      await show(page, path)
      if (!(await page.locator('body').innerText()).includes(shows))
        wrong.push(`${path} does not say ${shows}`)
      if (path.includes('attestation_id=')) await page.getByRole('dialog').waitFor()
    }
    expect(wrong).toEqual([])
    expect(addresses.map(({ kind }) => kind).toSorted()).toEqual([
      '/_/controls/_',
      '/_/environments/_',
      '/_/environments/_/snapshots/_',
      '/_/flows/_',
      '/_/flows/_/artifacts/_',
      '/_/flows/_/trails/_',
      '/_/flows/_/trails/_?attestation_id',
      '/_/policies/_',
    ])
    expect(complaints).toEqual([])
  })
})
