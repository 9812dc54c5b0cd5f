// The minute in which somebody who has never seen the product finds out what is red, and the next one in which it is not.
import { execFile } from 'node:child_process'
import { promisify } from 'node:util'
import { beforeAll, describe, expect, it } from 'vitest'
import { DEMO_ORG, openSite, type Site, settled, visit } from './browser.ts'

const MISSING = 'vulnerability-scan'
const run = promisify(execFile)
/** Evidence waits a moment to be judged together. */
const JUDGED = { interval: 500 }

let site: Site
beforeAll(async () => {
  site = await openSite()
})

describe('production is red', () => {
  it('and a click tells because of what, since when, and whose it is', async () => {
    const { page, complaints } = await site.newWindow('phone', 'teo')
    await visit(page, `/${DEMO_ORG}`)
    await page.getByRole('main').getByRole('link', { name: 'production', exact: true }).first().click()
    await page.waitForURL('**/environments/production')
    await settled(page)
    const main = page.getByRole('main')
    for (const told of [
      `has no '${MISSING}' attestation`,
      'payments-api:2.9.0',
      /Non-compliant since \d+ hours ago/i,
      /by priya/,
      /Released by Mara/,
    ]) {
      await main.getByText(told).first().waitFor()
    }
    expect(complaints).toEqual([])
  })

  it('until somebody runs the command that the page of the trail offers', async () => {
    const { page, complaints } = await site.newWindow('desk', 'mara')
    await visit(page, `/${DEMO_ORG}/environments/production`)
    const trail = page
      .getByRole('group', { name: 'Why it is not compliant' })
      .getByRole('link', { name: /^release-/ })
    await trail.first().click()
    await page.waitForURL('**/trails/release-*')
    await settled(page)
    const slot = page.getByRole('row', { name: new RegExp(MISSING) })
    await slot.getByText('MISSING').waitFor()
    const offer = page.getByRole('group').filter({ hasText: `Command that would supply ${MISSING}` })
    await offer.getByText('Command that would supply').click()
    const command = await offer.locator('pre').innerText()
    const { stdout } = await run('bash', ['-c', command], {
      env: { ...process.env, API_KEY: site.service.key },
    })
    expect(JSON.parse(stdout)).toBe('OK')
    await visit(page, `/${DEMO_ORG}/environments/production`)
    await expect
      .poll(async () => {
        await page.reload()
        await settled(page)
        return page.getByRole('main').innerText()
      }, JUDGED)
      .toMatch(/Compliant since .*(seconds?|now|minute)/i)
    await expect.poll(() => page.getByText('Why it is not compliant').count()).toBe(0)
    expect(complaints).toEqual([])
  })
})
