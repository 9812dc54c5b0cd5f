// The web app in a real browser: signing in, finding out why production is red, every address that the API hands out, at
// the width of a phone and of a desk.
import { beforeAll, describe, expect, it } from 'vitest'
import { type Address, addressesOfTheApi, PAGES_OF_THE_NAVIGATION } from './addresses.ts'
import {
  accessibilityProblems,
  newWatchedPage,
  openSite,
  overflow,
  type Session,
  SIZES,
  type Site,
  type Size,
  settled,
  visit,
  type Watched,
} from './browser.ts'
import { HOSTILE_PAGES, PAYLOAD, writeHostileTexts } from './hostile.ts'

/** How many pages are looked at side by side. */
const AT_ONCE = 4
const WALK_WITHIN_MS = 60_000
const widths = Object.keys(SIZES) as Size[]

let site: Site
let session: Session
beforeAll(async () => {
  site = await openSite()
}, 300_000)

async function newPage(size: Size): Promise<Watched> {
  return newWatchedPage(await site.newWindow(size, session))
}

describe('signing in', () => {
  it('works by the link that the first start prints', async () => {
    const context = await site.newWindow('wide')
    const { page, complaints } = await newWatchedPage(context)
    await page.goto(site.sign_in_link)
    await page.getByRole('button', { name: 'Sign in to Waybill' }).click()
    await page.getByRole('navigation', { name: 'Pages' }).waitFor()
    session = await context.storageState()
    expect(complaints).toEqual([])
  })

  it('is asked for by every page', async () => {
    const { page } = await newWatchedPage(await site.newWindow('narrow'))
    await page.goto('/harbour-bank/environments')
    await page.waitForURL(/\/sign-in\?next=/)
    expect(decodeURIComponent(page.url())).toContain('next=/harbour-bank/environments')
  })
})

describe.each(widths)('at the %s width', size => {
  it('tells why production is red: the scan that payments-api lacks', async () => {
    const { page, complaints } = await newPage(size)
    await visit(page, '/harbour-bank')
    await page.getByRole('main').getByRole('link', { name: 'production', exact: true }).first().click()
    await page.waitForURL('**/environments/production')
    await settled(page)
    const main = page.getByRole('main')
    await main.getByText('NON-COMPLIANT').first().waitFor()
    await main
      .getByText(/payments-api/)
      .first()
      .waitFor()
    await main
      .getByText(/vulnerability-scan/)
      .first()
      .waitFor()
    expect(complaints).toEqual([])
  })

  it('opens the right page for every address, without a complaint and for everybody', {
    timeout: WALK_WITHIN_MS,
  }, async () => {
    const addresses = [...PAGES_OF_THE_NAVIGATION, ...(await addressesOfTheApi(site.service))]
    const problems = await walk(addresses, size)
    expect(problems).toEqual([])
  })

  it('finds an environment from anywhere by the keyboard alone', async () => {
    const { page, complaints } = await newPage(size)
    await visit(page, '/harbour-bank/settings/members')
    await page.keyboard.press('/')
    await page.getByRole('combobox', { name: 'Commit, fingerprint or name' }).fill('production')
    await page.getByRole('option', { name: /^production/ }).waitFor()
    expect(await accessibilityProblems(page)).toEqual([])
    await page.keyboard.press('ArrowDown')
    await page.keyboard.press('Enter')
    await page.waitForURL('**/harbour-bank/environments/production')
    expect(complaints).toEqual([])
  })
})

/** Several pages at a time; answers all that was wrong with any of them. */
async function walk(addresses: readonly Address[], size: Size): Promise<string[]> {
  const waiting = [...addresses]
  const problems: string[] = []
  const walker = async () => {
    const { page, complaints } = await newPage(size)
    for (let next = waiting.shift(); next; next = waiting.shift()) {
      await visit(page, next.path)
      const heading = await page.locator('h1').first().innerText()
      if (!next.heading.test(heading)) problems.push(`${next.what}: the heading is ${heading}`)
      const too_wide = await overflow(page)
      if (too_wide > 0) problems.push(`${next.what}: ${too_wide} px too wide`)
      problems.push(...(await accessibilityProblems(page)))
    }
    problems.push(...complaints)
    await page.close()
  }
  await Promise.all(Array.from({ length: AT_ONCE }, walker))
  return problems
}

describe('texts that want to be markup', () => {
  it('stay text on every page that shows them', { timeout: WALK_WITHIN_MS }, async () => {
    const answers = await writeHostileTexts(site.service)
    expect(Object.entries(answers).filter(([, status]) => status >= 300)).toEqual([])
    const { page, complaints } = await newPage('wide')
    let seen = 0
    for (const path of HOSTILE_PAGES) {
      await visit(page, path)
      expect(await page.locator('img[src="x"], a[href^="javascript:" i]').count(), path).toBe(0)
      seen += await page.getByText(PAYLOAD).count()
    }
    expect(seen).toBeGreaterThan(0)
    expect(complaints).toEqual([])
  })
})

describe('people', () => {
  it('are invited, and the invitation is withdrawn after a question', async () => {
    const { page, complaints } = await newPage('wide')
    await visit(page, '/harbour-bank/settings/members')
    await page.getByLabel('Mail address').fill('nils@harbour-bank.example')
    await page.getByRole('button', { name: 'Invite' }).click()
    const row = page.getByRole('row', { name: /nils@harbour-bank\.example/ })
    await row.getByText('pending').waitFor()
    await row.getByRole('button', { name: /^Withdraw/ }).click()
    await page.getByRole('dialog').getByRole('button', { name: 'Withdraw', exact: true }).click()
    await row.waitFor({ state: 'detached' })
    expect(complaints).toEqual([])
  })

  it('get another role, and the log tells', async () => {
    const { page, complaints } = await newPage('wide')
    await visit(page, '/harbour-bank/settings/members')
    await page.getByLabel('Role of teo').selectOption('reader')
    await page.getByLabel('Role of teo').and(page.locator(':enabled')).waitFor()
    await visit(page, '/harbour-bank/settings/members/audit-log?event_type=changed')
    await page.getByRole('row', { name: /teo.*member → reader/ }).waitFor()
    expect(complaints).toEqual([])
  })
})
