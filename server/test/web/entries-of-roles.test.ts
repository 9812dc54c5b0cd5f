// Readers and auditors see no entry that they may not open: every link, every page of the search and every entry of the
// menus leads to a page that shows something, and no request on the way is refused.
import type { Page } from 'playwright-core'
import { beforeAll, describe, expect, it } from 'vitest'
import { chooseRepetitions } from '../repetitions.ts'
import { DEMO_ORG, openSharedSite, type Site, settled, show } from './browser.ts'
import { crawl } from './crawl.ts'

const FORBIDDEN = 403
/** The title of a page that the person's role may not open. A page that it may read says who can change it. */
const REFUSAL = /^Only [^.]+ can [^.]+$/
const FIELD = 'Commit, fingerprint or name'
/** Fewer kinds mean that something stopped the crawl. */
const MIN_KINDS = 25

let site: Site
beforeAll(async () => {
  site = await openSharedSite()
})

/** Most people are readers, and may open the least: the usual run follows only their links. */
const PEOPLE = [
  ['a reader', 'ines'],
  ['an auditor', 'odile'],
].slice(0, chooseRepetitions(1, 2))

describe.each(PEOPLE)('%s', (_, person = '') => {
  it('can open every link, and no request is refused', async () => {
    const windows = await Promise.all([1, 2].map(() => site.newWindow('desk', person)))
    const problems: string[] = []
    for (const { page } of windows) {
      watchRefusals(page, problems)
      await show(page, `/${DEMO_ORG}`)
    }
    const { seen } = await crawl({
      start: [`/${DEMO_ORG}`, `/${DEMO_ORG}/profile`, `/${DEMO_ORG}/settings`],
      pages: windows.map(({ page }) => page),
      atEach: async (page, path) => {
        problems.push(...(await findRefusals(page, path)))
      },
    })
    expect(problems).toEqual([])
    expect(windows.flatMap(({ complaints }) => complaints)).toEqual([])
    expect(seen.size).toBeGreaterThan(MIN_KINDS)
  })

  it('can open everything that the search and the menus offer', async () => {
    const { page, complaints } = await site.newWindow('desk', person)
    const problems: string[] = []
    watchRefusals(page, problems)
    await show(page, `/${DEMO_ORG}`)
    const offered = await listOffers(page)
    expect(offered.length).toBeGreaterThan(10)
    for (const offer of offered) {
      await openSearch(page)
      await page.getByRole('option', { name: offer, exact: true }).first().click()
      await page.getByRole('combobox', { name: FIELD }).waitFor({ state: 'detached' })
      await settled(page)
      problems.push(...(await findRefusals(page, offer)))
    }
    expect(problems).toEqual([])
    expect(complaints).toEqual([])
  })
})

function watchRefusals(page: Page, problems: string[]): void {
  page.on('response', answer => {
    if (answer.status() === FORBIDDEN)
      problems.push(`${new URL(page.url()).pathname}: ${answer.request().method()} ${answer.url()}`)
  })
}

async function findRefusals(page: Page, place: string): Promise<string[]> {
  const said = await page.getByText(REFUSAL).allInnerTexts()
  return said.map(text => `${place}: ${text}`)
}

async function openSearch(page: Page): Promise<void> {
  await page.keyboard.press('Control+k')
  await page.getByRole('combobox', { name: FIELD }).waitFor()
  await page.getByRole('listbox', { name: 'Results' }).and(page.locator('[aria-busy="false"]')).waitFor()
}

/** Actions and pages, before anything is typed. */
async function listOffers(page: Page): Promise<string[]> {
  await openSearch(page)
  const found: string[] = []
  for (const group of ['Actions', 'Pages'])
    found.push(...(await page.getByRole('group', { name: group }).getByRole('option').allInnerTexts()))
  await page.keyboard.press('Escape')
  return found.map(text => text.split('\n')[0]?.trim() ?? '')
}
