// A page that is left open: its times move with the clock of the server, and an environment becomes stale although nobody
// reloads the page and the server has said nothing.
import type { Page } from 'playwright-core'
import { afterAll, beforeAll, beforeEach, describe, expect, it } from 'vitest'
import { makeEnvironment, report } from '../environments.ts'
import type { TestApp } from '../harness.ts'
import { findAccessibilityProblems, type Look, measureOverflow } from './browser.ts'
import { listenAt, openOnce, openWindow, startTimedWebApp } from './open-app.ts'

const MINUTE_MS = 60_000
const INTERVAL_S = 600

let app: TestApp
let port: number
beforeAll(async () => {
  app = await startTimedWebApp()
  port = await listenAt(app, 0)
})
afterAll(() => app.stop())

let environments = 0
let name: string
beforeEach(async () => {
  environments += 1
  name = `open-${environments}`
  await makeEnvironment(app, name, { expected_report_interval: INTERVAL_S })
  await report(app, name, `a${environments}`)
})

async function open(look: Look, path: string): Promise<Page> {
  const { page } = await openWindow(app, port, look)
  await openOnce(page, path)
  return page
}

const getHeader = (page: Page) => page.getByRole('heading', { level: 1 }).locator('xpath=..')

describe('a page that is left open', () => {
  it('moves its times with the clock of the server', async () => {
    const page = await open('desk', `/acme/environments/${name}`)
    const reported = page.getByText(/^Last report /)
    await expect.poll(() => reported.innerText()).toMatch(/now|seconds? ago/)
    app.clock.advance(4 * MINUTE_MS)
    await expect.poll(() => reported.innerText()).toContain('4 minutes ago')
    app.clock.advance(3 * MINUTE_MS)
    await expect.poll(() => reported.innerText()).toContain('7 minutes ago')
  })

  it.each(['phone', 'desk'] as const)(
    'shows an environment as stale when its reports stay away (%s)',
    async look => {
      const page = await open(look, `/acme/environments/${name}`)
      expect(await getHeader(page).innerText()).not.toContain('Stale')
      // Nothing is evaluated here, so no event announces it.
      app.clock.advance(3 * INTERVAL_S * 1000 + MINUTE_MS)
      await expect.poll(() => getHeader(page).innerText()).toContain('Stale')
      await page.getByText(/No report since .+; expected every 10 minutes/).waitFor()
      await page.getByText(/^Stale since/).waitFor()
      expect(await getHeader(page).innerText()).not.toMatch(/\bCompliant/)
      expect(await app.readEvents('environment_stale')).toEqual([])
      expect(await findAccessibilityProblems(page)).toEqual([])
      expect(await measureOverflow(page)).toBe(0)
      await report(app, name, `a${environments}`)
      await expect.poll(() => getHeader(page).innerText()).not.toContain('Stale')
    },
  )

  it.each([
    ['the overview', '/acme'],
    ['the list', '/acme/environments'],
  ])('shows it in %s too', async (_, path) => {
    const page = await open('desk', path)
    const shown = page.locator('tr, article').filter({ hasText: name }).first()
    expect(await shown.innerText()).not.toContain('Stale')
    app.clock.advance(3 * INTERVAL_S * 1000 + MINUTE_MS)
    await expect.poll(() => shown.innerText()).toContain('Stale')
  })
})
