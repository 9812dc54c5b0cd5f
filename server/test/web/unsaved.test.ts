// Pages ask before something is lost: unsaved text, a secret that closes, and a session that ends while somebody types.
import type { Page } from 'playwright-core'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import type { TestApp } from '../harness.ts'
import { findAccessibilityProblems, settled } from './browser.ts'
import { isSamePage, listenAt, openNewWindow, openOnce, signIn, startTimedWebApp } from './open-app.ts'

/** Longer than any session of the tests. */
const SESSION_LIFE_MS = 8 * 24 * 60 * 60 * 1000

let app: TestApp
let port: number
beforeAll(async () => {
  app = await startTimedWebApp()
  port = await listenAt(app, 0)
})
afterAll(() => app.stop())

const nameField = (page: Page) => page.getByRole('textbox', { name: 'Name' })
const goToPolicies = (page: Page) =>
  page.getByRole('navigation', { name: 'Pages' }).getByRole('link', { name: 'Policies' }).click()

describe('unsaved text', () => {
  it('is left only on purpose', async () => {
    const { page, complaints } = await openNewWindow(app, port, 'desk')
    await openOnce(page, '/acme/new-flow')
    await nameField(page).fill('half-written')
    await goToPolicies(page)
    const question = page.getByRole('dialog', { name: 'Leave without saving?' })
    await question.waitFor()
    expect(await findAccessibilityProblems(page)).toEqual([])
    // The focus is on the button that loses nothing.
    await page.keyboard.press('Enter')
    await question.waitFor({ state: 'detached' })
    expect(await nameField(page).inputValue()).toBe('half-written')
    await goToPolicies(page)
    await question.getByRole('button', { name: 'Leave' }).click()
    await page.waitForURL('**/policies')
    expect(complaints).toEqual([])
  })

  it('is not asked about once it is saved, or if there is none', async () => {
    const { page, complaints } = await openNewWindow(app, port, 'desk')
    await openOnce(page, '/acme/new-flow')
    await goToPolicies(page)
    await page.waitForURL('**/policies')
    await openOnce(page, '/acme/new-environment')
    await nameField(page).fill('saved')
    await page.getByRole('button', { name: 'Create environment' }).click()
    await page.waitForURL('**/environments/saved')
    // The page checked whether the name is taken.
    expect(complaints).toEqual([expect.stringContaining('404')])
  })

  it('survives the end of the session: signing in again in another tab is enough', async () => {
    const { page, context, complaints, name } = await openNewWindow(app, port, 'desk')
    await openOnce(page, '/acme/new-flow')
    await nameField(page).fill('survivor')
    app.clock.advance(SESSION_LIFE_MS)
    await page.getByText('Your session has ended').waitFor()
    expect(await findAccessibilityProblems(page)).toEqual([])
    expect(await nameField(page).inputValue()).toBe('survivor')
    expect(await isSamePage(page)).toBe(true)

    await signIn(app, context, name)
    const other = await context.newPage()
    await other.goto('/acme/flows')
    await settled(other)
    await page.getByText('Your session has ended').waitFor({ state: 'detached' })
    expect(await nameField(page).inputValue()).toBe('survivor')
    await page.getByRole('button', { name: 'Create flow' }).click()
    await page.waitForURL('**/flows/survivor')
    expect(await isSamePage(page)).toBe(true)
    expect(complaints.every(each => /401|404/.test(each))).toBe(true)
  })

  it('is what keeps a page open: without it, the end of the session leads to signing in', async () => {
    const { page } = await openNewWindow(app, port, 'desk')
    await openOnce(page, '/acme/new-flow')
    const requests: string[] = []
    page.on('request', request => {
      if (request.isNavigationRequest()) requests.push(new URL(request.url()).pathname)
    })
    app.clock.advance(SESSION_LIFE_MS)
    await page.waitForURL('**/sign-in?**')
    // A second request would cancel the first.
    expect(requests).toEqual(['/sign-in'])
  })
})
