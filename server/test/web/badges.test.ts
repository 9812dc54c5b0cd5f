// Public badges on the settings of an environment and of a flow: created, shown once, loaded by anyone, revoked.
import { beforeAll, describe, expect, it } from 'vitest'
import { findAccessibilityProblems, measureOverflow, settled, show } from './browser.ts'
import { type Company, must, ORG, openCompany } from './company.ts'

let company: Company
beforeAll(async () => {
  company = await openCompany()
  must(await company.app.admin.put(`/environments/${ORG}`, { name: 'production', type: 'K8S' }))
  must(await company.app.admin.put(`/flows/${ORG}`, { name: 'payments-api', description: '' }))
})

describe('public badges', () => {
  it.each([
    ['an environment', 'desk', `/${ORG}/environments/production?tab=settings`],
    ['a flow', 'phone', `/${ORG}/flows/payments-api?tab=settings`],
  ] as const)('of %s are created, shown once and revoked', async (_, look, path) => {
    const { page, complaints } = await company.sameWindow(look, 'mara')
    await show(page, path)
    await page.getByRole('heading', { name: 'Public badges' }).waitFor()
    await page.getByRole('button', { name: 'New badge' }).click()
    await page.getByLabel('Label', { exact: true }).fill('Shop <b>')
    await page.getByRole('button', { name: 'Create badge' }).click()
    const markdown = await page.getByLabel('Secret', { exact: true }).innerText()
    await settled(page)
    expect(await findAccessibilityProblems(page)).toEqual([])
    const [, url = ''] = /\((\S+\.svg)\)/.exec(markdown) ?? []
    const picture = await fetch(new URL(new URL(url).pathname, page.url()))
    expect(picture.headers.get('content-type')).toBe('image/svg+xml; charset=utf-8')
    expect(await picture.text()).toMatch(
      /<title>Shop &lt;b&gt;: (compliant|non-compliant|unknown|stale)<\/title>/,
    )
    await page.getByRole('button', { name: 'Done' }).click()
    const table = page.getByRole('table', { name: 'Public badges' })
    await table.getByText('Shop <b>').waitFor()
    expect(await page.getByText(markdown).count()).toBe(0)
    expect(await findAccessibilityProblems(page)).toEqual([])
    expect(await measureOverflow(page)).toBe(0)
    await table.getByRole('button', { name: /^Revoke badge Shop/ }).click()
    await page.getByRole('dialog').getByRole('button', { name: 'Revoke', exact: true }).click()
    await page.getByText('No badges yet').waitFor()
    expect((await fetch(picture.url)).status).toBe(404)
    expect(complaints).toEqual([])
  })

  it('are not offered to members', async () => {
    const { page } = await company.sameWindow('desk', 'teo')
    await show(page, `/${ORG}/environments/production?tab=settings`)
    await page.getByRole('heading', { name: 'Tags' }).waitFor()
    await settled(page)
    expect(await page.getByRole('heading', { name: 'Public badges' }).count()).toBe(0)
  })
})
