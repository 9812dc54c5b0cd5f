// Pages say what they mean: which verdict a badge shows, which version would be attached, and that a snapshot does not exist.
import type { Page } from 'playwright-core'
import { beforeAll, describe, expect, it } from 'vitest'
import { DEMO_ORG, openSharedSite, type Site, show } from './browser.ts'

let site: Site
beforeAll(async () => {
  site = await openSharedSite()
})

const getMain = (page: Page) => page.getByRole('main')

describe('a badge', () => {
  it.each([
    { path: '/environments', says: 'by policies', not: 'by template' },
    { path: '/environments/production', says: 'by policies', not: 'by template' },
    { path: '/flows', says: 'by template', not: 'by policies' },
    { path: '/flows/payments-api/trails/release-2.9.0', says: 'by template', not: 'by policies' },
  ])('on $path says $says', async ({ path, says, not }) => {
    const { page, complaints } = await site.sameWindow('desk', 'teo')
    await show(page, `/${DEMO_ORG}${path}`)
    const verdicts = await getMain(page).locator('.mantine-Badge-root .verdict').allInnerTexts()
    expect(verdicts.map(text => text.trim())).toContain(says)
    expect(verdicts.map(text => text.trim())).not.toContain(not)
    expect(complaints).toEqual([])
  })
})

describe('a snapshot that does not exist', () => {
  it.each(['9999', '0', '~9999'])('is explained: %s', async expression => {
    const { page, complaints } = await site.sameWindow('desk', 'teo')
    await show(page, `/${DEMO_ORG}/environments/production/snapshots/${expression}`)
    await page.getByText(new RegExp(`There is no snapshot ${expression}; the latest is \\d+`)).waitFor()
    await page.getByRole('link', { name: 'Go to the latest snapshot' }).click()
    await page.getByRole('heading', { name: /^Snapshot \d+ \(latest\)/ }).waitFor()
    expect(complaints).toEqual([])
  })
})

describe('attaching a policy', () => {
  it('names the version that will be attached', async () => {
    const { page } = await site.sameWindow('desk', 'mara')
    const { text } = await site.service.call('GET', `/api/v2/policies/${DEMO_ORG}/live-rules`, {
      key: site.service.key,
    })
    const version = JSON.parse(text).versions.at(-1).version
    await show(page, `/${DEMO_ORG}/policies/live-rules`)
    await page.getByRole('combobox', { name: 'Environment to attach it to' }).click()
    await page.getByRole('listbox').getByRole('option').first().click()
    await page.getByRole('button', { name: /^Attach/ }).click()
    const dialog = page.getByRole('dialog')
    await dialog.getByText(`version ${version} of this policy`).waitFor()
    await page.locator('[aria-busy="true"]').first().waitFor({ state: 'detached' })
    expect(await dialog.innerText()).not.toContain(`version ${version + 1}`)
  })
})
