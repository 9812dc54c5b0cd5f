// How a newcomer finds out why an environment is red, and makes it green.
import { execFile } from 'node:child_process'
import { promisify } from 'node:util'
import { beforeAll, describe, expect, it } from 'vitest'
import { DEMO_ORG, openSite, type Site, settled, visit } from './browser.ts'

const MISSING = 'vulnerability-scan'
const run = promisify(execFile)
/** Pending evaluations of new evidence take a short time. */
const EVALUATED = { interval: 500 }

let site: Site
beforeAll(async () => {
  site = await openSite()
})

describe('production is red', () => {
  it('and a click shows why, since when, and who released it', async () => {
    const { page, complaints } = await site.newWindow('phone', 'teo')
    await visit(page, `/${DEMO_ORG}`)
    await page.getByRole('main').getByRole('link', { name: 'production', exact: true }).first().click()
    await page.waitForURL('**/environments/production')
    await settled(page)
    const main = page.getByRole('main')
    for (const text of [
      `has no '${MISSING}' attestation`,
      'payments-api:2.9.0',
      /Non-compliant since \d+ hours ago/i,
      /by priya/,
      /Released by Mara/,
    ]) {
      await main.getByText(text).first().waitFor()
    }
    expect(complaints).toEqual([])
  })

  it('until someone runs the command on the page of the trail', async () => {
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
    const offer = page.getByRole('group').filter({ hasText: `Command that reports ${MISSING}` })
    await offer.getByText('Command that reports').click()
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
      }, EVALUATED)
      .toMatch(/Compliant since .*(seconds?|now|minute)/i)
    await expect.poll(() => page.getByText('Why it is not compliant').count()).toBe(0)
    expect(complaints).toEqual([])
  })
})
