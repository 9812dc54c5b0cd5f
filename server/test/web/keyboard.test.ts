// The keyboard: keys that open pages, the search that also offers actions, pages and people, and a focus that stays on the
// page.
import type { Page } from 'playwright-core'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import type { TestApp } from '../harness.ts'
import { addPerson } from '../people.ts'
import { findAccessibilityProblems, measureOverflow, settled } from './browser.ts'
import { isSamePage, listenAt, openOnce, openWindow, startWebApp } from './open-app.ts'

const FIELD = 'Commit, fingerprint or name'

let app: TestApp
let port: number
beforeAll(async () => {
  app = await startWebApp()
  port = await listenAt(app, 0)
  await app.admin.put('/flows/acme', { name: 'payments-api', description: '' })
  await addPerson(app, 'wilhelmina', 'reader')
})
afterAll(() => app.stop())

const findDialog = (page: Page) => page.getByRole('dialog', { name: 'Keyboard shortcuts' })
const findResults = (page: Page) => page.getByRole('listbox', { name: 'Results' })
const listOptions = (page: Page, group: string) =>
  page.getByRole('group', { name: group }).getByRole('option').allInnerTexts()
/** Describes the focused element as a person would. */
const readFocus = (page: Page) =>
  page.evaluate<string>(`document.activeElement === document.body ? 'body' :
    document.activeElement.id || document.activeElement.getAttribute('aria-label') || document.activeElement.innerText`)

async function search(page: Page, text: string): Promise<void> {
  await page.keyboard.press('/')
  await page.getByRole('combobox', { name: FIELD }).waitFor()
  await page.keyboard.type(text)
  await findResults(page).and(page.locator('[aria-busy="false"]')).waitFor({ state: 'attached' })
}

describe('keys', () => {
  it('open pages after g, and nothing while somebody types or a dialog is open', async () => {
    const { page, complaints } = await openWindow(app, port, 'desk')
    await openOnce(page, '/acme')
    for (const [key, path] of [
      ['e', 'environments'],
      ['f', 'flows'],
      ['a', 'attestations'],
      ['m', 'settings/members'],
    ]) {
      await page.keyboard.press('g')
      await page.keyboard.press(String(key))
      await page.waitForURL(`**/acme/${path}`)
      await settled(page)
    }
    await page.getByRole('textbox', { name: /^Name/ }).first().focus()
    await page.keyboard.type('ge')
    await page.waitForURL(/search=ge/)
    await page.getByRole('heading', { level: 1 }).click()
    await page.keyboard.press('g')
    await page.keyboard.press('x')
    await page.keyboard.press('e')
    await settled(page)
    expect(new URL(page.url()).pathname).toBe('/acme/settings/members')
    expect(await isSamePage(page)).toBe(true)
    expect(complaints).toEqual([])
  })

  it.each(['desk', 'phone'] as const)(
    'are shown by ? (%s), those of pages that the role can open',
    async look => {
      const { page } = await openWindow(app, port, look, 'reader')
      await openOnce(page, '/acme')
      await page.keyboard.press('?')
      await findDialog(page).waitFor()
      const shown = await findDialog(page).getByRole('row').allInnerTexts()
      expect(shown.some(row => row.includes('Go to Environments'))).toBe(true)
      expect(shown.some(row => row.includes('Go to Events'))).toBe(false)
      expect(await findAccessibilityProblems(page)).toEqual([])
      expect(await measureOverflow(page)).toBe(0)
      // A dialog is open.
      await page.keyboard.press('g')
      await page.keyboard.press('e')
      await page.keyboard.press('Escape')
      await findDialog(page).waitFor({ state: 'detached' })
      expect(new URL(page.url()).pathname).toBe('/acme')
      await expect.poll(() => readFocus(page)).toBe('content')
    },
  )
})

describe('the search', () => {
  it('offers the actions and pages that the role can use, before anything is typed', async () => {
    const { page } = await openWindow(app, port, 'desk', 'reader')
    await openOnce(page, '/acme')
    await search(page, '')
    expect(await listOptions(page, 'Actions')).toEqual(['New API key'])
    expect(await listOptions(page, 'Pages')).not.toContain('Events')
    expect(await listOptions(page, 'Pages')).toContain('Flows')
    expect(await findAccessibilityProblems(page)).toEqual([])
    const admin = await openWindow(app, port, 'phone')
    await openOnce(admin.page, '/acme')
    await admin.page.getByRole('button', { name: 'Search' }).click()
    await admin.page.getByRole('combobox', { name: FIELD }).waitFor()
    expect(await listOptions(admin.page, 'Actions')).toContain('Invite people')
    expect(await listOptions(admin.page, 'Pages')).toContain('Events')
    expect(await findAccessibilityProblems(admin.page)).toEqual([])
    expect(await measureOverflow(admin.page)).toBe(0)
  })

  it.each([
    ['an action', 'new flow', '/acme/new-flow'],
    ['a page', 'waiting dec', '/acme/waiting-decisions'],
    ['a person', 'wilhel', '/acme/settings/members?search=wilhelmina'],
    ['a flow', 'paym', '/acme/flows/payments-api'],
  ])('opens %s with Enter if it is the only hit', async (_, text, path) => {
    const { page, complaints } = await openWindow(app, port, 'desk')
    await openOnce(page, '/acme/policies')
    await search(page, text)
    await page.getByText('1 result. Enter opens it.').waitFor()
    await page.keyboard.press('Enter')
    await page.waitForURL(`**${path}`)
    await settled(page)
    expect(await isSamePage(page)).toBe(true)
    await expect.poll(() => readFocus(page)).not.toBe('body')
    expect(complaints).toEqual([])
  })
})

describe('the focus', () => {
  it('never falls to the body: links, dialogs, deleted rows', async () => {
    const { page, complaints } = await openWindow(app, port, 'desk')
    await app.admin.post('/invitations/acme', { email: 'soon-gone@example.com', role: 'reader' })
    await openOnce(page, '/acme/flows')
    await page.getByRole('main').getByRole('link', { name: 'payments-api' }).press('Enter')
    await page.waitForURL('**/flows/payments-api')
    await settled(page)
    await expect.poll(() => readFocus(page)).toBe('content')
    await search(page, 'wil')
    await page.keyboard.press('Escape')
    await page.getByRole('combobox', { name: FIELD }).waitFor({ state: 'detached' })
    await expect.poll(() => readFocus(page)).toBe('content')
    await page.getByRole('navigation').getByRole('link', { name: 'Members' }).press('Enter')
    await page.getByText('soon-gone@example.com').waitFor()
    await expect.poll(() => readFocus(page)).not.toBe('body')
    const withdraw = page.getByRole('button', { name: /^Withdraw/ })
    await withdraw.press('Enter')
    await page.getByRole('dialog').waitFor()
    await page.keyboard.press('Escape')
    await page.getByRole('dialog').waitFor({ state: 'detached' })
    await expect.poll(() => readFocus(page)).toMatch(/^Withdraw/)
    await withdraw.press('Enter')
    await page
      .getByRole('dialog')
      .getByRole('button', { name: /^Withdraw/ })
      .press('Enter')
    await page.getByText('soon-gone@example.com', { exact: true }).waitFor({ state: 'detached' })
    await expect.poll(() => readFocus(page)).not.toBe('body')
    expect(complaints).toEqual([])
  })
})
