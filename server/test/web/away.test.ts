// A server that stops, a network that is gone: pages keep their content, report the outage, and recover by themselves.
import type { Page } from 'playwright-core'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import type { TestApp } from '../harness.ts'
import { findAccessibilityProblems, measureOverflow, settled } from './browser.ts'
import { isSamePage, listenAt, openNewWindow, openOnce, startWebApp } from './open-app.ts'

const AWAY = /Can't reach the server\. Retrying…/
const OFFLINE = /You are offline/

/** Owns the database, and has no port. */
let app: TestApp
let served: TestApp
let port = 0
beforeAll(async () => {
  app = await startWebApp()
  await addFlow('shown-before')
  await start()
})
afterAll(async () => {
  await served.stop()
  await app.stop()
})

/** The same address each time. */
async function start(): Promise<void> {
  served = await startWebApp({ beside: app })
  port = await listenAt(served, port)
}

const addFlow = async (name: string) =>
  expect((await app.member.put('/flows/acme', { name, description: '' })).status).toBe(201)
const untilBack = (page: Page, banner: RegExp) => page.getByText(banner).waitFor({ state: 'detached' })
const findFlow = (page: Page, name: string) => page.getByRole('link', { name, exact: true })

describe('while the server is away', () => {
  it('a page keeps its content, reports the outage, and recovers', async () => {
    const { page } = await openNewWindow(app, port, 'phone')
    await openOnce(page, '/acme/flows')
    await findFlow(page, 'shown-before').waitFor()
    const shown = await page.getByRole('main').getByRole('link').allInnerTexts()
    await served.stop()
    await page.getByText(AWAY).waitFor()
    await page.getByText(/The connection was lost (now|\d+ seconds? ago)/).waitFor()
    expect(await page.getByRole('main').getByRole('link').allInnerTexts()).toEqual(shown)
    expect(await page.getByRole('alert').count()).toBe(0)
    expect(await measureOverflow(page)).toBe(0)
    expect(await findAccessibilityProblems(page)).toEqual([])
    await start()
    await untilBack(page, AWAY)
    await addFlow('after-the-restart')
    await findFlow(page, 'after-the-restart').waitFor()
    expect(await isSamePage(page)).toBe(true)
  })

  it('a click on a page that is not loaded yet stays in the app, and leads there when the server is back', async () => {
    const { page } = await openNewWindow(app, port, 'desk')
    await openOnce(page, '/acme/flows')
    await served.stop()
    await page.getByText(AWAY).waitFor()
    await page.getByRole('navigation').getByRole('link', { name: 'Policies' }).click()
    await page.waitForURL('**/policies')
    await page.getByText(AWAY).waitFor()
    await start()
    await page.getByRole('heading', { level: 1, name: 'Policies' }).waitFor()
    await untilBack(page, AWAY)
    await settled(page)
  })
})

describe('without a network', () => {
  it('a page reports it at once, and follows changes again when the network is back', async () => {
    const { page, context } = await openNewWindow(app, port, 'desk')
    await openOnce(page, '/acme/flows')
    await context.setOffline(true)
    await page.getByText(OFFLINE).waitFor()
    await addFlow('while-offline')
    await context.setOffline(false)
    await untilBack(page, OFFLINE)
    await findFlow(page, 'while-offline').waitFor()
    expect(await isSamePage(page)).toBe(true)
  })
})
