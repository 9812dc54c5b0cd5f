// Reading controls: their decisions, where they are met, and their coverage.
import type { Page } from 'playwright-core'
import { beforeAll, describe, expect, it } from 'vitest'
import { DEMO_ORG, openSharedSite, type Site, settled, show } from './browser.ts'

let site: Site
beforeAll(async () => {
  site = await openSharedSite()
})

describe('an auditor', () => {
  it('finds a control, its decisions, and the evidence of one of them', async () => {
    const { page, complaints } = await site.sameWindow('phone', 'ines')
    await show(page, `/${DEMO_ORG}/controls`)
    await page.getByRole('textbox', { name: 'Search' }).fill('release is approved')
    await page.waitForURL('**/controls?search=*')
    await page
      .getByRole('status')
      .filter({ hasText: /^1 control$/ })
      .waitFor()
    await page.getByRole('link', { name: 'REL-01', exact: true }).click()
    await settled(page)
    await choose(page, 'Decision', 'Non-compliant')
    await page.waitForURL('**/controls/REL-01?is_compliant=false')
    const opened = page
      .getByRole('row', { name: /Non-compliant/ })
      .getByRole('link', { name: / \/ release-/ })
      .first()
    await opened.click()
    const decision = page.getByRole('dialog', { name: 'Decision' })
    await decision.getByText(/^Held back by/).waitFor()
    expect(page.url()).toMatch(/is_compliant=false&decision=[0-9a-f-]{32}/)
    const text = await decision.innerText()
    expect(text).toMatch(/\b[0-9a-f]{64}\b/)
    expect(text).toContain('REL-01, version 1')
    await page.reload()
    await decision.getByText(/^Held back by/).waitFor()
    await page.keyboard.press('Escape')
    await decision.waitFor({ state: 'detached' })
    expect(page.url()).toMatch(/is_compliant=false$/)
    await opened.click()
    await decision.getByRole('link', { name: 'release-decision' }).click()
    await page.waitForURL('**/trails/release-*?attestation_id=*')
    expect(complaints).toEqual([])
  })

  it('sees where it is met, and opens the evidence and the history of a cell', async () => {
    const { page, complaints } = await site.sameWindow('desk', 'ines')
    await show(page, `/${DEMO_ORG}/controls`)
    await page.getByRole('link', { name: 'By environment' }).click()
    await page.getByRole('heading', { level: 1, name: 'Controls by environment' }).waitFor()
    const row = page.getByRole('row', { name: /REL-01/ })
    await row.getByRole('link', { name: 'Met: REL-01 in production' }).waitFor()
    const { controls } = (await (await page.request.get(`/api/v2/control-states/${DEMO_ORG}`)).json()) as {
      controls: { identifier: string; environments: { state: string }[] }[]
    }
    const states = controls.find(({ identifier }) => identifier === 'REL-01')?.environments
    const shown = await row.getByRole('cell').allInnerTexts()
    expect(shown.map(text => text.split('\n')[0]?.toLowerCase().replace(' ', '-'))).toEqual(
      states?.map(({ state }) => state),
    )
    await row.getByRole('link', { name: 'Met: REL-01 in production' }).focus()
    await page.keyboard.press('Enter')
    await page.waitForURL('**/controls/REL-01/environments/production')
    const evidence = page.getByRole('region', { name: 'Evidence' })
    await evidence.getByRole('link', { name: 'live-rules' }).first().waitFor()
    await evidence.getByText('Does not apply', { exact: true }).first().waitFor()
    const history = page.getByRole('region', { name: 'When it changed' })
    await history
      .getByRole('link', { name: /^production #/ })
      .first()
      .waitFor()
    await evidence.getByRole('combobox', { name: 'Outcome' }).click()
    await page.getByRole('option', { name: 'Met' }).click()
    await page.waitForURL('**?outcome=met')
    await evidence.getByRole('link', { name: 'decision', exact: true }).first().click()
    await page.waitForURL('**/trails/*?attestation_id=*')
    expect(complaints).toEqual([])
  })

  it('is told when nothing matches, and when nothing requires a control', async () => {
    const { page } = await site.sameWindow('desk', 'ines')
    await show(page, `/${DEMO_ORG}/control-coverage?search=no%20such%20control`)
    await page.getByText('No control matches these filters').waitFor()
    await page.getByRole('button', { name: 'Clear all filters' }).click()
    await page.getByRole('rowheader').first().waitFor()
    await page.getByLabel('Environment contains').fill('staging')
    await expect.poll(() => page.getByRole('columnheader').count()).toBe(2)
    await show(page, `/${DEMO_ORG}/controls/REL-01/environments/edge`)
    await page.getByText('A policy requires this control, but of nothing that runs here now.').waitFor()
    await show(page, `/${DEMO_ORG}/controls/REL-01/environments/staging`)
    await page.getByText('No policy of this environment requires this control.').waitFor()
    await page.getByText('Nothing to show').waitFor()
  })

  it('sees which environments require it', async () => {
    const { page } = await site.sameWindow('desk', 'ines')
    await show(page, `/${DEMO_ORG}/controls/REL-01?tab=coverage`)
    await page.getByText('in 2 of 4 environments').waitFor()
    await expect.poll(() => page.getByRole('link', { name: 'Edit' }).count()).toBe(0)
  })
})

async function choose(page: Page, label: string, option: string): Promise<void> {
  await page.getByRole('combobox', { name: label, exact: true }).click()
  await page.getByRole('option', { name: option, exact: true }).click()
}
