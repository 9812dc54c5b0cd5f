// Every kind of page that a link leads to, on a dark phone and on a light desktop, and every page URL that the API returns.
import { beforeAll, describe, expect, it } from 'vitest'
import { listApiAddresses } from './addresses.ts'
import {
  accessibilityProblems,
  DEMO_ORG,
  LOOKS,
  type Look,
  openSite,
  overflow,
  type Site,
  visit,
} from './browser.ts'
import { crawl } from './crawl.ts'

const WINDOWS = 3
/** Archived resources have the same pages as active ones, but look different. */
const ARCHIVED = [
  'attestation-types?archived=true',
  'flows/card-portal',
  'flows/card-portal/trails/release-2.0.1',
  'environments/old-data-centre',
  'environments/old-data-centre?tab=allow-list',
  'environments/old-data-centre?tab=policies',
  'environments/archive-host',
].map(path => `/${DEMO_ORG}/${path}`)
/** Fewer kinds mean that something stopped the crawl. */
const MIN_KINDS = 40

let site: Site
beforeAll(async () => {
  site = await openSite()
})

describe.each(Object.keys(LOOKS) as Look[])('at the %s', look => {
  it('every kind of page opens, fits, and is accessible', async () => {
    const windows = await Promise.all(Array.from({ length: WINDOWS }, () => site.newWindow(look, 'mara')))
    for (const { page } of windows) await visit(page, `/${DEMO_ORG}`)
    const problems: string[] = []
    const { seen } = await crawl({
      start: [`/${DEMO_ORG}`, ...ARCHIVED],
      pages: windows.map(({ page }) => page),
      atEach: async (page, path) => {
        const headings = await page.locator('h1').count()
        if (headings !== 1) problems.push(`${path}: ${headings} headings of the first order`)
        const alerts = await page.getByRole('alert').allInnerTexts()
        if (alerts.length > 0) problems.push(`${path}: says ${alerts.join('; ')}`)
        const too_wide = await overflow(page)
        if (too_wide > 0) problems.push(`${path}: ${too_wide} px too wide`)
        problems.push(...(await accessibilityProblems(page)))
      },
    })
    problems.push(...windows.flatMap(({ complaints }) => complaints))
    expect(problems).toEqual([])
    expect(seen.size).toBeGreaterThan(MIN_KINDS)
    await Promise.all(windows.map(({ page }) => page.close()))
  })
})

describe('a page URL that the API returns', () => {
  it('opens the page of its resource', async () => {
    const { page, complaints } = await site.newWindow('desk', 'mara')
    const addresses = await listApiAddresses(site.service)
    const wrong: string[] = []
    for (const { path, shows } of addresses) {
      await visit(page, path)
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
