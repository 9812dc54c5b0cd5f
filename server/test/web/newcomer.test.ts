// Newcomer to first green: an empty organization leads by the hand, without a reload, until an environment is compliant for
// a reason that the page names.
import type { Page } from 'playwright-core'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import type { TestApp } from '../harness.ts'
import { findAccessibilityProblems, measureOverflow } from './browser.ts'
import { isSamePage, listenAt, openNewWindow, openOnce, passTimeOfMachine, startWebApp } from './open-app.ts'
import { makeShell } from './shell.ts'

const STEPS = ['flow', 'artifact', 'attestation', 'environment', 'snapshot']

let app: TestApp
let port: number
beforeAll(async () => {
  app = await startWebApp()
  passTimeOfMachine(app)
  port = await listenAt(app, 0)
})
afterAll(() => app.stop())

const step = (page: Page, name: string) => page.getByRole('region', { name, exact: true })

describe('an empty organization', () => {
  it('leads from a key to an environment that is compliant, and says why', async () => {
    const { page, complaints, name: visitor } = await openNewWindow(app, port, 'desk')
    await removeKeys(visitor)
    await openOnce(page, '/acme')
    const commands = step(page, 'Run the commands')
    await commands.getByText('Waiting for the first event…').waitFor()
    expect(await findAccessibilityProblems(page)).toEqual([])
    const key = await createKey(page)
    await step(page, 'Create a key').getByText('The service account pipeline has a key').waitFor()

    const shell = await makeShell(key)
    for (const name of STEPS) {
      const item = commands.locator(`[data-step=${name}]`)
      await shell.paste(await item.locator('pre').innerText())
      await item.getByText('Done').waitFor()
    }
    await commands.getByText('Everything arrived.').waitFor()

    const policy = step(page, 'Say what is allowed to run')
    await policy.getByRole('button', { name: 'Create the policy and attach it to production' }).focus()
    await page.keyboard.press('Enter')
    await policy.getByText('production-rules is attached to production.').waitFor()
    const result = step(page, 'See why it is compliant')
    await app.evaluate()
    await result.getByText('production is compliant, because of everything that runs there:').waitFor()
    const why = await result.innerText()
    expect(why).toMatch(
      /backend: it was built by the flow backend on release-1\.0\.0 and its evidence is smoke-test\./,
    )
    expect(why).toContain('That is what production-rules requires.')
    expect(await findAccessibilityProblems(page)).toEqual([])
    await result.getByRole('button', { name: 'Show the overview' }).click()
    await step(page, 'Run the commands').waitFor({ state: 'detached' })
    await page.getByRole('main').getByRole('link', { name: 'production', exact: true }).first().waitFor()
    expect(await isSamePage(page)).toBe(true)
    // The service account that did not exist yet.
    expect(complaints).toEqual([expect.stringContaining('404')])
  })

  it('shows pipelines with the address of this service, and fits a phone', async () => {
    const other = await startWebApp()
    const { page, complaints } = await openNewWindow(other, await listenAt(other, 0), 'phone')
    await openOnce(page, '/acme')
    const commands = step(page, 'Run the commands')
    for (const [system, file] of [
      ['GitHub Actions', '.github/workflows/build.yml'],
      ['GitLab', '.gitlab-ci.yml'],
    ] as const) {
      await commands.getByRole('tab', { name: system }).press('Enter')
      await commands.getByText(`Save as ${file}:`).waitFor()
      const text = await commands.innerText()
      expect(text).toContain(`host: ${new URL(page.url()).origin}`)
      expect(text).toContain('org: "acme"')
      expect(text).not.toContain('waybill.example.com')
    }
    expect(await measureOverflow(page)).toBeLessThanOrEqual(0)
    expect(await findAccessibilityProblems(page)).toEqual([])
    expect(complaints).toEqual([])
    await other.stop()
  })
})

/** People of the tests have a key of their own from the beginning. */
const removeKeys = (person: string) =>
  app.sql('delete from personal_keys where user_id = (select user_id from users where name = $1)', [person])

/** Through the dialog, by keyboard; closing it before the key was copied asks. */
async function createKey(page: Page): Promise<string> {
  await page.getByRole('button', { name: 'Create a key' }).click()
  const dialog = page.getByRole('dialog')
  await dialog.getByText(/A reader or snapshotter would be refused \(403\)/).waitFor()
  expect(await dialog.getByLabel('Role').inputValue()).toBe('member')
  expect(await findAccessibilityProblems(page)).toEqual([])
  await dialog.getByLabel('Name of the service account').press('Enter')
  await dialog.getByText("Copy this secret now. You won't see it again.").waitFor()
  const key = await dialog.getByLabel('Secret', { exact: true }).innerText()
  await page.keyboard.press('Escape')
  await dialog.getByText('Close without copying it?').waitFor()
  await dialog.getByRole('button', { name: 'Back' }).click()
  await dialog.getByRole('button', { name: "I've copied it" }).click()
  await dialog.waitFor({ state: 'detached' })
  return key
}
