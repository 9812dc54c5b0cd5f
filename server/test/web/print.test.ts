// Printed pages: exact times, the address, whole tables, and nothing that only a screen can use.
import { mkdirSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import type { Page } from 'playwright-core'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { makeEnvironment, report } from '../environments.ts'
import type { TestApp } from '../harness.ts'
import { findAccessibilityProblems, LOOKS, type Look } from './browser.ts'
import { listenAt, openOnce, openWindow, startWebApp } from './open-app.ts'

const ENVIRONMENTS = 40
/** A4 without margins, in pixels. */
const SHEET = { width: 718, height: 1046 }

let app: TestApp
let port: number
beforeAll(async () => {
  app = await startWebApp()
  port = await listenAt(app, 0)
  for (let i = 0; i < ENVIRONMENTS; i++) await makeEnvironment(app, `place-${i}`)
  await report(app, 'place-0', 'a1', 'b2', 'c3')
})
afterAll(() => app.stop())

async function open(look: Look, path: string): Promise<Page> {
  const { page } = await openWindow(app, port, look)
  await page.emulateMedia({ media: null })
  await page.setViewportSize(LOOKS[look].viewport)
  await openOnce(page, path)
  return page
}

/** WAYBILL_PRINTED=folder keeps the sheets, to look at them. */
async function keepSheets(page: Page, name: string): Promise<void> {
  const folder = process.env.WAYBILL_PRINTED
  if (folder === undefined) return
  mkdirSync(folder, { recursive: true })
  writeFileSync(join(folder, `${name}.pdf`), await page.pdf({ format: 'A4' }))
  await page.screenshot({ path: join(folder, `${name}.png`), fullPage: true })
}

/** The text of a printed time: what is shown, and what styles add. */
const READ_TIMES = `[...document.querySelectorAll('main time')].filter(time => time.checkVisibility()).map(time =>
  time.innerText + getComputedStyle(time, '::after').content.replace(/^none$|"/g, ''))`

/** Reads the text that styles add on paper; `none` on a screen. */
const readPrinted = (page: Page, selector: string) =>
  page.evaluate<string>(`getComputedStyle(document.querySelector('${selector}'), '::before').content`)

describe.each(['desk', 'phone'] as const)('a page printed from the %s', look => {
  it.each([
    ['environment', '/acme/environments/place-0'],
    ['environments', '/acme/environments'],
    ['events', '/acme/settings/audit-events?per_page=30'],
    ['overview', '/acme'],
  ])('of the kind %s says when, where from, and all that it shows', async (name, path) => {
    const page = await open(look, path)
    app.clock.advance(60_000)
    await page.emulateMedia({ media: 'print' })
    await page.setViewportSize(SHEET)
    const times = await page.evaluate<string[]>(READ_TIMES)
    expect(times.length).toBeGreaterThan(0)
    for (const time of times) expect(time).toMatch(/20\d\d.*\d\d:\d\d:\d\d.*(UTC|GMT|[A-Z]{3,4})/)
    expect(await readPrinted(page, '.print-head')).toContain(`http://127.0.0.1:${port}${path}, printed`)
    expect(await page.getByRole('navigation').filter({ visible: true }).count()).toBe(0)
    expect(await page.getByRole('banner').filter({ visible: true }).count()).toBe(0)
    await keepSheets(page, `${name}-${look}`)
    const cut = await page.evaluate<number>(
      `[...document.querySelectorAll('table')].filter(table => table.checkVisibility() && table.scrollWidth > innerWidth).length`,
    )
    expect(cut).toBe(0)
    expect(await findAccessibilityProblems(page)).toEqual([])
  })
})

describe('a long table', () => {
  it('is printed whole, with its head on each sheet', async () => {
    const page = await open('desk', '/acme/environments')
    await page.emulateMedia({ media: 'print' })
    await page.setViewportSize(SHEET)
    const rows = await page.getByRole('main').getByRole('row').filter({ visible: true }).count()
    const shown = await page
      .getByRole('main')
      .getByRole('link', { name: /^place-/ })
      .count()
    expect(rows).toBe(shown + 1)
    expect(await readPrinted(page, '.print-only')).toContain(', page 1 of 2')
    expect(await page.evaluate(`getComputedStyle(document.querySelector('thead')).display`)).toBe(
      'table-header-group',
    )
  })
})
