// Working with controls: their decisions, where they are met, their coverage and the catalogue.
import type { Page } from 'playwright-core'
import { beforeAll, describe, expect, it } from 'vitest'
import {
  DEMO_ORG,
  findAccessibilityProblems,
  measureOverflow,
  openSite,
  type Site,
  settled,
  visit,
} from './browser.ts'

const CATALOGUE = `identifier,name,description
SDLC-02,Every build is tested twice,By two machines.
SDLC-09,Every release can be taken back,
`

let site: Site
beforeAll(async () => {
  site = await openSite()
})

describe('an auditor', () => {
  it('finds a control, its decisions, and the evidence of one of them', async () => {
    const { page, complaints } = await site.newWindow('phone', 'ines')
    await visit(page, `/${DEMO_ORG}/controls`)
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
    const { page, complaints } = await site.newWindow('desk', 'ines')
    await visit(page, `/${DEMO_ORG}/controls`)
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

  it.each(['phone', 'desk'] as const)('reads the matrix and a cell, with any abilities (%s)', async look => {
    const { page, complaints } = await site.newWindow(look, 'ines')
    await visit(page, `/${DEMO_ORG}/control-coverage`)
    await page.getByRole('rowheader').first().waitFor()
    expect(await findAccessibilityProblems(page)).toEqual([])
    expect(await measureOverflow(page)).toBeLessThanOrEqual(0)
    await visit(page, `/${DEMO_ORG}/controls/REL-01/environments/production`)
    await page.getByRole('region', { name: 'When it changed' }).getByRole('table').waitFor()
    expect(await findAccessibilityProblems(page)).toEqual([])
    expect(await measureOverflow(page)).toBeLessThanOrEqual(0)
    expect(complaints).toEqual([])
  })

  it('is told when nothing matches, and when nothing requires a control', async () => {
    const { page } = await site.newWindow('desk', 'ines')
    await visit(page, `/${DEMO_ORG}/control-coverage?search=no%20such%20control`)
    await page.getByText('No control matches these filters').waitFor()
    await page.getByRole('button', { name: 'Clear all filters' }).click()
    await page.getByRole('rowheader').first().waitFor()
    await page.getByLabel('Environment contains').fill('staging')
    await expect.poll(() => page.getByRole('columnheader').count()).toBe(2)
    await visit(page, `/${DEMO_ORG}/controls/REL-01/environments/edge`)
    await page.getByText('A policy requires this control, but of nothing that runs here now.').waitFor()
    await visit(page, `/${DEMO_ORG}/controls/REL-01/environments/staging`)
    await page.getByText('No policy of this environment requires this control.').waitFor()
    await page.getByText('Nothing to show').waitFor()
  })

  it('sees which environments require it', async () => {
    const { page } = await site.newWindow('desk', 'ines')
    await visit(page, `/${DEMO_ORG}/controls/REL-01?tab=coverage`)
    await page.getByText('in 2 of 4 environments').waitFor()
    await expect.poll(() => page.getByRole('link', { name: 'Edit' }).count()).toBe(0)
  })
})

describe('an admin', () => {
  it('creates, edits, archives and unarchives a control', async () => {
    const { page, complaints } = await site.newWindow('desk', 'mara')
    await visit(page, `/${DEMO_ORG}/controls`)
    await page.getByRole('link', { name: 'New control' }).click()
    await page.getByLabel('Identifier').fill('OPS-07')
    await page.getByLabel('Name').fill('Backups are restored')
    await page.getByLabel('Description').fill('Once a month.')
    await page.getByRole('button', { name: 'Add link' }).click()
    await page.getByLabel('Label').fill('Runbook')
    await page.getByRole('textbox', { name: 'URL' }).fill('https://wiki.example/restore')
    await page.getByRole('button', { name: 'Create' }).dblclick()
    await page.getByRole('heading', { level: 1, name: 'Backups are restored' }).waitFor()
    await page.getByRole('link', { name: 'Runbook' }).waitFor()

    await page.getByRole('link', { name: 'Edit', exact: true }).click()
    await page.getByLabel('Description').fill('')
    await page.getByRole('button', { name: 'Remove link Runbook' }).click()
    await page.getByRole('button', { name: 'Save' }).click()
    await page.getByText('version 2').waitFor()
    await expect.poll(() => page.getByText('Once a month.').count()).toBe(0)
    await expect.poll(() => page.getByRole('link', { name: 'Runbook' }).count()).toBe(0)

    await page.getByRole('button', { name: 'Archive OPS-07' }).click()
    await page.getByRole('dialog').getByRole('button', { name: 'Archive', exact: true }).click()
    await page.getByText('This control is archived').waitFor()
    await expect.poll(() => page.getByRole('link', { name: 'Edit', exact: true }).count()).toBe(0)
    await page.getByRole('button', { name: 'Unarchive' }).click()
    await page.getByRole('button', { name: 'Archive OPS-07' }).waitFor()
    await page.getByRole('tab', { name: 'Versions' }).click()
    await page.getByRole('row', { name: /^4 Unarchived/ }).waitFor()
    await page.getByRole('row', { name: /^1 Created Backups are restored Once a month/ }).waitFor()
    expect(complaints).toEqual([])
  })

  it('imports a catalogue after a preview of the changes', async () => {
    const { page, complaints } = await site.newWindow('desk', 'mara')
    await visit(page, `/${DEMO_ORG}/controls`)
    await page.getByRole('link', { name: 'Import' }).click()
    await page.locator('input[type="file"]').setInputFiles({
      name: 'controls.csv',
      mimeType: 'text/csv',
      buffer: Buffer.from(CATALOGUE),
    })
    await page.getByRole('button', { name: 'Preview changes' }).click()
    await page.getByRole('row', { name: 'SDLC-02 updated' }).waitFor()
    await page.getByRole('row', { name: 'SDLC-09 created' }).waitFor()
    await page.getByRole('button', { name: 'Import', exact: true }).click()
    await page.getByText('Catalogue imported').waitFor()
    await page.getByRole('link', { name: 'View controls' }).click()
    await page.getByRole('row', { name: /SDLC-09.*Every release can be taken back/ }).waitFor()
    await page.getByRole('row', { name: /SDLC-02.*Every build is tested twice/ }).waitFor()
    expect(complaints).toEqual([])
  })
})

describe('an organization without controls', () => {
  it('says so, and links an admin to the setting', async () => {
    const { page, complaints } = await site.newWindow('desk', 'mara')
    const answer = await fetch(`${site.service.url}/api/v2/organizations/${DEMO_ORG}`, {
      method: 'PATCH',
      headers: { authorization: `Bearer ${site.service.key}`, 'content-type': 'application/json' },
      body: JSON.stringify({ features: { controls: false } }),
    })
    expect(answer.status).toBe(200)
    await visit(page, `/${DEMO_ORG}/controls/REL-01`)
    await page.getByText('Controls are switched off').waitFor()
    await page.getByRole('link', { name: 'organization settings' }).click()
    await page.waitForURL('**/settings/organization')
    expect(complaints).toEqual([])
  })
})

async function choose(page: Page, label: string, option: string): Promise<void> {
  await page.getByRole('combobox', { name: label, exact: true }).click()
  await page.getByRole('option', { name: option, exact: true }).click()
}
