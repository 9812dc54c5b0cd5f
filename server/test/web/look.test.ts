// How lists and matrices look and behave with 500 environments, and what more contrast changes.
import type { Locator, Page } from 'playwright-core'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import type { TestApp } from '../harness.ts'
import { makeFlow } from '../reports.ts'
import { findAccessibilityProblems, type Look, measureOverflow, settled, show } from './browser.ts'
import { ENVIRONMENT_COUNT, fillManyEnvironments, nameEnvironment } from './many-environments.ts'
import { listenAt, openNewWindow, openWindow, startWebApp } from './open-app.ts'

const LIST = '/acme/environments'
const LAST = nameEnvironment(ENVIRONMENT_COUNT - 1)

let app: TestApp
let port: number
beforeAll(async () => {
  app = await startWebApp()
  await makeFlow(app, 'build')
  await fillManyEnvironments(app)
  port = await listenAt(app, 0)
})
afterAll(() => app.stop())

async function open(look: Look, path: string): Promise<Page> {
  const { page } = await openWindow(app, port, look)
  await page.emulateMedia({ forcedColors: null, contrast: null })
  await show(page, path)
  return page
}

const readBox = async (locator: Locator) => {
  const box = await locator.boundingBox()
  if (box === null) throw new Error('is not drawn')
  return box
}
const readSort = (page: Page, title: string) =>
  page.getByRole('columnheader', { name: title }).getAttribute('aria-sort')
const readFirst = (page: Page) => page.locator('tbody tr').first().getByRole('link').first().innerText()

describe('the table of a list', () => {
  it('is sorted by a click on a head, reversed by the next one, also by keyboard, and announces its order', async () => {
    const page = await open('desk', LIST)
    const name = page.getByRole('columnheader', { name: 'Name' }).getByRole('button')
    expect(await readSort(page, 'Name')).toBe('none')
    await name.click()
    await expect.poll(() => readSort(page, 'Name')).toBe('ascending')
    await expect.poll(() => readFirst(page)).toBe(nameEnvironment(0))
    await name.click()
    await expect.poll(() => readSort(page, 'Name')).toBe('descending')
    await expect.poll(() => readFirst(page)).toBe(LAST)
    await page.waitForURL('**/environments?*descending=true*')
    await name.press('Enter')
    await expect.poll(() => readFirst(page)).toBe(nameEnvironment(0))
    expect(await readSort(page, 'Name')).toBe('ascending')
    expect(await readSort(page, 'Compliance')).toBe('none')
  })

  it('keeps its head below the header of the app while it scrolls', async () => {
    const page = await open('desk', LIST)
    const head = page.getByRole('columnheader', { name: 'Name' })
    const row = page.locator('tbody tr').last()
    const before = await readBox(head)
    await row.scrollIntoViewIfNeeded()
    await expect.poll(() => page.evaluate('scrollY')).toBeGreaterThan(before.y)
    const header = await readBox(page.getByRole('banner'))
    const after = await readBox(head)
    expect(after.y).toBeGreaterThanOrEqual(header.y + header.height - 1)
    expect(after.y).toBeLessThan(before.y)
    expect(after.y + after.height).toBeLessThan((await readBox(row)).y)
    expect(await isOnTop(head)).toBe(true)
  })

  it('has denser rows if a person chooses that, also after a reload', async () => {
    const { page } = await openNewWindow(app, port, 'desk')
    await show(page, LIST)
    const readHeight = async () => (await readBox(page.locator('tbody tr').first())).height
    const comfortable = await readHeight()
    await page.getByRole('banner').getByRole('button', { name: 'visitor' }).click()
    await page.getByRole('menuitem', { name: 'Compact' }).click()
    await expect.poll(readHeight).toBeLessThan(comfortable)
    const compact = await readHeight()
    // The cookie is written a moment later.
    await expect
      .poll(async () => (await page.context().cookies()).map(({ name, value }) => `${name}=${value}`))
      .toContain('waybill_density=compact')
    await page.reload()
    await settled(page)
    expect(await readHeight()).toBe(compact)
  })

  it.each([LIST, '/acme/settings/audit-events'])(
    'has stacked rows on a phone, and nothing scrolls sideways: %s',
    async path => {
      const page = await open('phone', path)
      const cells = await page.locator('tbody tr').first().getByRole('cell').all()
      const boxes = await Promise.all(cells.map(readBox))
      const [first, ...others] = boxes
      for (const other of others)
        expect(other.y).toBeGreaterThanOrEqual((first?.y ?? 0) + (first?.height ?? 0))
      for (const { x, width } of boxes) expect(x + width).toBeLessThanOrEqual(360)
      expect(await measureOverflow(page)).toBeLessThanOrEqual(0)
      expect(await readSidewaysScroll(page.getByRole('group', { name: 'Table' }))).toBe(0)
    },
  )
})

/** How many environments a matrix shows at a time. */
const COLUMNS = 20

describe.each(['running', 'control-coverage'])('the matrix of %s with 500 environments', name => {
  const path = `/acme/${name}`
  const countColumns = (page: Page) => page.getByRole('columnheader').count()

  it('is narrowed to environments by name and by tag, which the address keeps', async () => {
    const page = await open('desk', path)
    await page
      .getByRole('status')
      .filter({ hasText: `${ENVIRONMENT_COUNT} environments` })
      .waitFor()
    expect(await countColumns(page)).toBe(COLUMNS + 1)
    await page.getByLabel('Environment tag').fill('region:north')
    // A quarter of them.
    await page.getByRole('status').filter({ hasText: '125 environments' }).waitFor()
    await page.getByLabel('Environment contains').fill('cluster-00')
    await page.getByRole('columnheader', { name: 'cluster-008' }).waitFor()
    await expect.poll(() => countColumns(page)).toBe(4)
    const address = page.url()
    await page.reload()
    await settled(page)
    expect(page.url()).toBe(address)
    expect(await page.getByLabel('Environment tag').inputValue()).toBe('region:north')
    await expect.poll(() => countColumns(page)).toBe(4)
    await page.getByRole('button', { name: 'Clear all filters' }).click()
    await expect.poll(() => countColumns(page)).toBe(COLUMNS + 1)
  })

  it.each(['desk', 'phone'] as const)(
    'keeps its head and its first column in view in both directions (%s)',
    async look => {
      const page = await open(look, path)
      const box = page.getByRole('group', { name: 'Table' })
      const head = page.getByRole('columnheader').last()
      const first = page.getByRole('rowheader').last()
      expect(await scrollToEnd(box)).toBeGreaterThan(0)
      const [place, top, side] = await Promise.all([readBox(box), readBox(head), readBox(first)])
      expect(Math.abs(top.y - place.y)).toBeLessThanOrEqual(2)
      expect(Math.abs(side.x - place.x)).toBeLessThanOrEqual(2)
      expect(await isOnTop(first)).toBe(true)
      expect(place.height).toBeLessThan(page.viewportSize()?.height ?? 0)
      expect(await measureOverflow(page)).toBeLessThanOrEqual(0)
    },
  )
})

const CONTRASTS = {
  'forced colours': { forcedColors: 'active' },
  'more contrast': { contrast: 'more' },
} as const

describe.each(Object.entries(CONTRASTS))('with %s', (_name, media) => {
  it('what is selected and what has the focus is shown by more than the colour of its text', async () => {
    const page = await open('desk', '/acme/flows/build?tab=trends')
    await page.emulateMedia(media)
    for (const [selected, other] of [
      ['[role="tab"][aria-selected="true"]', '[role="tab"][aria-selected="false"]'],
      ['.mantine-SegmentedControl-label[data-active]', '.mantine-SegmentedControl-label:not([data-active])'],
      ['nav a[aria-current="page"]', 'nav a:not([aria-current])'],
    ] as const)
      expect(await readLook(page.locator(selected).first()), selected).not.toEqual(
        await readLook(page.locator(other).first()),
      )
    const tab = page.getByRole('tab', { selected: true })
    const before = await readLook(tab)
    await tab.press('Shift')
    await page.keyboard.press('Shift+Tab')
    await page.keyboard.press('Tab')
    const after = await readLook(tab)
    expect(after).toMatchObject({ outlineStyle: 'solid', outlineWidth: '3px' })
    expect(after).not.toEqual(before)
    expect(await findAccessibilityProblems(page, 'whole')).toEqual([])
  })

  it('states differ by their lines and their fill', async () => {
    const page = await open('desk', `${LIST}?name=cluster-00`)
    await page.emulateMedia(media)
    const readState = (word: string) =>
      readLook(
        page
          .locator('tbody .mantine-Badge-root')
          .filter({ hasText: new RegExp(`^${word} by`) })
          .first(),
      )
    const [bad, good, open_] = await Promise.all(['Non-compliant', 'Compliant', 'Unknown'].map(readState))
    expect(good).toMatchObject({ borderStyle: 'solid', borderWidth: '1px' })
    expect(good?.borderColor).not.toBe('rgba(0, 0, 0, 0)')
    expect(open_).toMatchObject({ borderStyle: 'dashed', borderWidth: '1px' })
    expect({ ...bad, borderColor: '' }).not.toEqual({ ...good, borderColor: '' })
    expect(bad?.backgroundColor).not.toBe(good?.backgroundColor)
    expect(await findAccessibilityProblems(page)).toEqual([])
  })
})

it('on a phone, the navigation is there only while it is open, and a link closes it', async () => {
  const page = await open('phone', LIST)
  const link = page.getByRole('navigation').getByRole('link', { name: 'Flows' })
  expect(await link.count()).toBe(0)
  await page.getByRole('button', { name: 'Navigation' }).click()
  await link.click()
  await page.waitForURL('**/acme/flows')
  await expect.poll(() => link.count()).toBe(0)
})

const STEPS = 30
/** Where along a line of text: browsers do not scroll sideways for a link of which enough is in view. */
const END = 0.98

describe.each(['desk', 'phone'] as const)('what has the focus (%s)', look => {
  it.each([LIST, '/acme/control-coverage'])('is never covered by a head: %s', async path => {
    const page = await open(look, path)
    const links = page.locator('tbody a')
    const steps = Math.min(await links.count(), STEPS)
    expect(steps).toBeGreaterThan(0)
    await links.last().focus()
    const focused = page.locator(':focus')
    for (let step = 0; step < steps; step++) {
      await page.keyboard.press('Shift+Tab')
      expect(await isOnTop(focused, END), await focused.innerText()).toBe(true)
    }
  })
})

it('with more contrast, rows and fields have lines of another colour', async () => {
  const page = await open('desk', `${LIST}?name=cluster-00`)
  const parts = [page.locator('tbody tr').first(), page.getByRole('textbox', { name: 'Tag' })]
  const readLines = () => Promise.all(parts.map(async each => (await readLook(each)).borderColor))
  const [row, field] = await readLines()
  await page.emulateMedia({ contrast: 'more' })
  const [rowAfter, fieldAfter] = await readLines()
  expect(rowAfter).not.toBe(row)
  expect(fieldAfter).not.toBe(field)
})

it('the editor of rules uses the typeface for code', async () => {
  const page = await open('desk', '/acme/new-policy')
  const readTypeface = (selector: string) =>
    page
      .locator(selector)
      .first()
      .evaluate(element => getComputedStyle(element as unknown as Element).fontFamily)
  expect(await readTypeface('.cm-content')).toMatch(/^"Geist Mono Variable"/)
  expect(await readTypeface('.cm-lineNumbers')).toBe(await readTypeface('.cm-content'))
})

interface Drawn {
  fontFamily: string
  backgroundColor: string
  borderStyle: string
  borderWidth: string
  borderColor: string
  outlineStyle: string
  outlineWidth: string
}

interface Element {
  scrollTop: number
  scrollWidth: number
  scrollHeight: number
  clientWidth: number
  scrollTo(left: number, top: number): void
  scrollIntoView(options: { block: 'end' }): void
  contains(other: unknown): boolean
  getBoundingClientRect(): { x: number; y: number; width: number; height: number }
}

/** The part of the DOM that functions in the page use. */
declare const document: { elementFromPoint(x: number, y: number): unknown }
declare function getComputedStyle(element: Element): Drawn

/** Everything but the colour of the text. */
const readLook = (locator: Locator) =>
  locator.evaluate(element => {
    const { backgroundColor, borderStyle, borderWidth, borderColor, outlineStyle, outlineWidth } =
      getComputedStyle(element as unknown as Element)
    return { backgroundColor, borderStyle, borderWidth, borderColor, outlineStyle, outlineWidth }
  })

/** Tells whether a person sees it: nothing is drawn over its middle, or over another place along its width. */
const isOnTop = (locator: Locator, place = 0.5) =>
  locator.evaluate((element, along) => {
    const drawn = element as unknown as Element
    const { x, y, width, height } = drawn.getBoundingClientRect()
    return drawn.contains(document.elementFromPoint(x + width * along, y + height / 2))
  }, place)

const readSidewaysScroll = (locator: Locator) =>
  locator.evaluate(element => {
    const { scrollWidth, clientWidth } = element as unknown as Element
    return scrollWidth - clientWidth
  })

/** Scrolls to the last row and the last column, shows them, and returns the scroll position. */
const scrollToEnd = (locator: Locator) =>
  locator.evaluate(element => {
    const box = element as unknown as Element
    box.scrollTo(box.scrollWidth, box.scrollHeight)
    box.scrollIntoView({ block: 'end' })
    return box.scrollTop
  })
