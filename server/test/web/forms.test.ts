// Every form shows the server's errors at their fields, moves the focus to the first wrong one, and asks before
// unsaved text is abandoned, even if it was saved once.
import type { Locator, Page } from 'playwright-core'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import type { TestApp } from '../harness.ts'
import { findAccessibilityProblems } from './browser.ts'
import { listenAt, openNewWindow, openOnce, startWebApp } from './open-app.ts'

const SETTINGS = '/acme/settings'
const REQUIRED = 'This field is required'

let app: TestApp
let port: number
beforeAll(async () => {
  app = await startWebApp()
  port = await listenAt(app, 0)
  await app.admin.put('/environments/acme', { name: 'production', type: 'K8S' })
})
afterAll(() => app.stop())

const waitForFocus = (page: Page, field: Locator) => field.and(page.locator(':focus')).waitFor()
const goToFlows = (page: Page) =>
  page.getByRole('navigation', { name: 'Pages' }).getByRole('link', { name: 'Flows' }).click()

describe('a form with several wrong fields', () => {
  it('shows an error at each without asking the server, and moves the focus to the first', async () => {
    const { page, complaints } = await openNewWindow(app, port, 'desk')
    await openOnce(page, `${SETTINGS}/new-trust-rule`)
    await page.getByRole('button', { name: 'Create rule' }).click()
    // Name, issuer and the value of the claim.
    await expect.poll(() => page.getByText(REQUIRED, { exact: true }).count()).toBe(3)
    await waitForFocus(page, page.getByLabel('Name'))
    await page.getByLabel('Name').fill('ledger')
    await expect.poll(() => page.getByText(REQUIRED, { exact: true }).count()).toBe(2)
    await page.getByRole('button', { name: 'Create rule' }).click()
    await waitForFocus(page, page.getByLabel('Token issuer'))
    expect(await findAccessibilityProblems(page)).toEqual([])
    expect(complaints).toEqual([])
  })
})

describe('an error inside a list', () => {
  it('stays at its item when an item before it is removed', async () => {
    const { page } = await openNewWindow(app, port, 'phone')
    await openOnce(page, `${SETTINGS}/notifications/new`)
    await page.getByRole('textbox', { name: 'Name' }).fill('Two webhooks')
    await page.getByRole('combobox', { name: 'Environments' }).fill('prod')
    await page.getByRole('option', { name: 'production', exact: true }).click()
    await page.getByRole('combobox', { name: 'Email addresses' }).fill('night@example.com')
    await page.getByRole('button', { name: 'Add webhook' }).click()
    const url = page.getByRole('textbox', { name: 'URL' })
    await url.fill('http://hooks.example.com')
    await page.getByRole('button', { name: 'Create notification' }).click()
    const isWrong = () => url.getAttribute('aria-invalid')
    await waitForFocus(page, url)
    expect(await isWrong()).toBe('true')
    // An error at its field is not repeated elsewhere.
    expect(await page.getByRole('alert').count()).toBe(0)
    await page.getByRole('button', { name: 'Remove Email (target 1)' }).click()
    await page.getByRole('group', { name: 'Webhook (target 1)' }).waitFor()
    expect(await isWrong()).toBe('true')
    await url.fill('https://hooks.example.com')
    await expect.poll(isWrong).toBe(null)
  })
})

describe('a form that stays', () => {
  it('asks before a change is abandoned, saves, and asks again after the next change', async () => {
    const { page } = await openNewWindow(app, port, 'desk')
    await openOnce(page, `${SETTINGS}/organization`)
    const addresses = page.getByRole('combobox', { name: 'Allowed addresses' })
    await addresses.fill('not-an-address')
    await page.getByRole('button', { name: 'Save', exact: true }).click()
    await waitForFocus(page, addresses)
    expect(await page.getByRole('alert').count()).toBe(0)
    await page.keyboard.press('Backspace')
    const description = page.getByRole('textbox', { name: 'Description' })
    await description.fill('Moves money')
    const question = page.getByRole('dialog', { name: 'Leave without saving?' })
    await goToFlows(page)
    await question.getByRole('button', { name: 'Stay' }).click()
    await page.getByRole('button', { name: 'Save', exact: true }).click()
    await page.getByText('Saved the settings', { exact: true }).first().waitFor()
    await description.fill('Moves money, carefully')
    await goToFlows(page)
    await question.getByRole('button', { name: 'Stay' }).click()
    await description.fill('Moves money')
    await goToFlows(page)
    await page.waitForURL('**/acme/flows')
  })
})

describe('an invitation', () => {
  it('to a wrong address is refused at its field, and the role is kept for the next one', async () => {
    const { page } = await openNewWindow(app, port, 'phone')
    await openOnce(page, `${SETTINGS}/members`)
    const email = page.getByLabel('Email address')
    const role = page.getByRole('combobox', { name: 'Role', exact: true })
    await role.selectOption('auditor')
    await email.fill('nobody')
    await page.getByRole('button', { name: 'Invite' }).click()
    await waitForFocus(page, email)
    expect(await email.getAttribute('aria-invalid')).toBe('true')
    await email.fill('auditor@example.com')
    await page.getByRole('button', { name: 'Invite' }).click()
    await page.getByText('Invited auditor@example.com').first().waitFor()
    await expect.poll(() => email.inputValue()).toBe('')
    expect(await role.inputValue()).toBe('auditor')
  })
})
