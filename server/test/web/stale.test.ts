// A stale environment, whose reporter stopped, is marked wherever it is shown, besides its other problems.
import type { Page } from 'playwright-core'
import { beforeAll, describe, expect, it } from 'vitest'
import { makeEnvironment, report } from '../environments.ts'
import { DEMO_ORG, openSharedSite, type Site, settled, show } from './browser.ts'
import { must, ORG, openCompany } from './company.ts'

const LIST = `/${DEMO_ORG}/environments`
const LOST = `${LIST}/archive-host`
const DAY_MS = 86_400_000
const NO_REPORT = /No report since .+; expected every day/

let site: Site
beforeAll(async () => {
  site = await openSharedSite()
})

const getHeader = (page: Page) => page.getByRole('heading', { level: 1 }).locator('xpath=..')

describe('an environment that is stale', () => {
  it('is marked in the list, also when it is non-compliant, and can be filtered', async () => {
    const { page, complaints } = await site.sameWindow('desk', 'ines')
    await show(page, LIST)
    const row = page.getByRole('row', { name: /^archive-host/ })
    expect(await row.innerText()).toMatch(/Stale[\s\S]*No report since .+; expected every day/)
    const combined = await page.getByRole('row', { name: /^all-live/ }).innerText()
    expect(combined).toMatch(/Non-compliant[\s\S]*Stale[\s\S]*archive-host: no report since/)
    expect(await page.getByRole('row', { name: /^staging/ }).innerText()).not.toContain('Stale')
    await page.getByRole('combobox', { name: 'Compliance' }).click()
    await page.getByRole('option', { name: 'Stale' }).click()
    await page.waitForURL('**state=stale')
    await page.getByRole('status').getByText('1 environment', { exact: true }).waitFor()
    await row.waitFor()
    expect(complaints).toEqual([])
  })

  it('says on its page and in the overview since when, also on a phone', async () => {
    const { page, complaints } = await site.sameWindow('phone', 'ines')
    await show(page, `/${DEMO_ORG}`)
    await page.getByText('Of 5, 2 are non-compliant and 1 is stale.').waitFor()
    const card = page.getByRole('article', { name: 'archive-host' })
    expect(await card.innerText()).toMatch(/Stale[\s\S]*No report since/)
    await card.getByRole('link', { name: 'archive-host' }).click()
    await page.waitForURL(`**${LOST}`)
    await settled(page)
    await page.getByText(NO_REPORT).waitFor()
    expect(await getHeader(page).innerText()).toContain('Stale')
    await page.getByText(/^Stale since/).waitFor()
    expect(await page.getByRole('main').innerText()).not.toMatch(/\bCompliant since/)
    await show(page, `${LOST}?tab=timeline`)
    await page.getByRole('row', { name: /Stale/ }).waitFor()
    expect(complaints).toEqual([])
  })
})

describe('how often an environment is expected to report', () => {
  it('is set in its settings, which keep a custom value', async () => {
    const { app, sameWindow } = await openCompany()
    must(await makeEnvironment(app, 'archive-host', { expected_report_interval: 5400 }))
    must(await report(app, 'archive-host', 'a1'))
    app.clock.advance(2 * DAY_MS)
    const { page, complaints } = await sameWindow('desk', 'teo')
    await show(page, `/${ORG}/environments/archive-host?tab=settings`)
    const interval = page.getByLabel('Expected report interval')
    const chosen = interval.locator('option:checked')
    expect(await chosen.innerText()).toBe('90 minutes')
    await page.getByText(/No report since .+; expected every 90 minutes/).waitFor()
    await interval.selectOption('Never stale')
    await page.getByRole('button', { name: 'Save' }).click()
    await expect.poll(() => getHeader(page).innerText()).toContain('Unknown')
    await expect.poll(() => page.getByText(/No report since/).count()).toBe(0)
    expect(await interval.locator('option').allInnerTexts()).not.toContain('90 minutes')
    await interval.selectOption('6 hours')
    await page.getByRole('button', { name: 'Save' }).click()
    await page.getByText(/No report since .+; expected every 6 hours/).waitFor()
    expect(await getHeader(page).innerText()).toContain('Stale')
    expect(complaints).toEqual([])
  })

  it('is not a setting of a logical environment', async () => {
    const { page, complaints } = await site.sameWindow('desk', 'teo')
    await show(page, `${LIST}/all-live?tab=settings`)
    await page.getByRole('combobox', { name: 'Combines' }).waitFor()
    expect(await page.getByLabel('Expected report interval').count()).toBe(0)
    expect(complaints).toEqual([])
  })
})
