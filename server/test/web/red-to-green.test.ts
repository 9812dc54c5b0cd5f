// How a newcomer finds out why an environment is red, and makes it green.
import { beforeAll, describe, expect, it } from 'vitest'
import { DEMO_ORG, openSite, type Site, settled, visit } from './browser.ts'
import { makeShell } from './shell.ts'

const MISSING = 'vulnerability-scan'
/** Pending evaluations of new evidence take a short time. */
const EVALUATED = { interval: 500 }

/** What Snyk writes if it finds nothing. */
const CLEAN_SCAN = JSON.stringify({
  version: '2.1.0',
  runs: [{ tool: { driver: { name: 'Snyk Open Source', rules: [] } }, results: [] }],
})

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
    await slot.getByText('Missing').waitFor()
    const offer = page.getByRole('group').filter({ hasText: `Command that reports ${MISSING}` })
    await offer.getByText('Command that reports').click()
    const [command = '', curl = ''] = await offer.locator('pre').allInnerTexts()
    const shell = await makeShell(site.service.key)
    // Pasted as they stand, both are refused: evidence comes from a tool, not from this page.
    await expect(shell.paste(command)).rejects.toThrow('YOUR_SNYK_RESULTS.sarif does not exist')
    expect(JSON.parse(await shell.paste(curl))).toMatchObject({ message: 'Input payload validation failed' })
    await shell.write('YOUR_SNYK_RESULTS.sarif', CLEAN_SCAN)
    await shell.paste(command)
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
