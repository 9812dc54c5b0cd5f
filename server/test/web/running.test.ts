// Who runs what: the matrix of artifacts and environments.
import { readFileSync } from 'node:fs'
import { beforeAll, describe, expect, it } from 'vitest'
import { DEMO_ORG, openSharedSite, type Site, settled, show } from './browser.ts'

let site: Site
beforeAll(async () => {
  site = await openSharedSite()
})

describe('who runs what', () => {
  it('filters by versions that differ, keeps the filter in the address, and leads to artifacts', async () => {
    const { page, complaints } = await site.sameWindow('desk', 'ines')
    const answer = await page.request.get(`/api/v2/running/${DEMO_ORG}?differs=true`)
    const { total_count } = (await answer.json()) as { total_count: number }
    await show(page, `/${DEMO_ORG}/running`)
    await page.getByRole('combobox', { name: 'Versions' }).click()
    await page.getByRole('option', { name: 'Differ' }).click()
    await page.waitForURL('**/running?differs=true')
    await expect.poll(() => page.getByRole('rowheader').count()).toBe(total_count)
    await page.reload()
    await settled(page)
    await expect.poll(() => page.getByRole('rowheader').count()).toBe(total_count)
    await page.getByRole('button', { name: 'Clear all filters' }).click()
    await page.waitForURL('**/running')
    const version = page.getByRole('cell').getByRole('link').first()
    await version.focus()
    await page.keyboard.press('Enter')
    await page.waitForURL('**/artifacts/*')
    expect(complaints).toEqual([])
  })

  it('shows the environments that a filter leaves, and says when nothing matches', async () => {
    const { page } = await site.sameWindow('desk', 'ines')
    await show(page, `/${DEMO_ORG}/running?environment=production`)
    await expect.poll(() => page.getByRole('columnheader').count()).toBe(2)
    await page.getByLabel('Artifact contains').fill('no such artifact')
    await page.getByText('Nothing matches these filters').waitFor()
    await page.waitForURL('**/running?*search=no*')
  })

  it('is a file with the same filter', async () => {
    const { page } = await site.sameWindow('desk', 'ines')
    await show(page, `/${DEMO_ORG}/running?environment=production`)
    const [download] = await Promise.all([
      page.waitForEvent('download'),
      page.getByRole('link', { name: 'Download CSV' }).click(),
    ])
    const lines = readFileSync(await download.path(), 'utf8')
      .trim()
      .split('\n')
    expect(lines.length).toBeGreaterThan(1)
    for (const line of lines.slice(1)) expect(line).toContain(',production,')
  })
})
