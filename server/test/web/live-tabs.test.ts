// Many open pages of one person, and pages that nobody looks at: how many streams there are, and that no page shows
// stale data.
import type { BrowserContext, Page } from 'playwright-core'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { SESSION_COOKIE } from '../../src/lib/session-token.ts'
import { STREAM_LIMITS } from '../../src/live/streams.ts'
import { insertSession } from '../browser.ts'
import { makeEnvironment, report } from '../environments.ts'
import { openStream } from '../event-stream.ts'
import type { TestApp } from '../harness.ts'
import { until } from '../patience.ts'
import { addCleanUp } from '../service.ts'
import { findAccessibilityProblems, measureOverflow } from './browser.ts'
import { isSamePage, listenAt, openNewWindow, openOnce, startTimedWebApp } from './open-app.ts'

const PAGES = 8
/** Of the six connections that a browser opens to a server, two stay free for requests. */
const STREAMS_OF_A_BROWSER = 4
const POLL_MS = 10_000
const POLLING = /^Updated every 10 seconds/

let app: TestApp
let port: number
beforeAll(async () => {
  app = await startTimedWebApp()
  port = await listenAt(app, 0)
})
afterAll(() => app.stop())

const addFlow = async (name: string) =>
  expect((await app.admin.put('/flows/acme', { name, description: '' })).status).toBe(201)
const findFlow = (page: Page, name: string) => page.getByRole('link', { name, exact: true })
const countStreams = () => app.app.streams.counters.open

/** Headless browsers count all pages as visible; this hides one. */
const HIDE = `globalThis.hide = isHidden => {
  Object.defineProperty(document, 'hidden', { configurable: true, value: isHidden })
  Object.defineProperty(document, 'visibilityState', { configurable: true, value: isHidden ? 'hidden' : 'visible' })
  document.dispatchEvent(new Event('visibilitychange'))
}`
const hide = (page: Page) => page.evaluate(`(${HIDE}, hide(true))`)
const show = (page: Page) => page.evaluate(`(${HIDE}, hide(false))`)

async function openMore(context: BrowserContext, count: number): Promise<Page[]> {
  const pages: Page[] = []
  for (let i = 0; i < count; i++) {
    const page = await context.newPage()
    await openOnce(page, '/acme/flows')
    pages.push(page)
  }
  return pages
}

describe('eight pages of one browser', () => {
  it('all follow, and leave connections free for requests', async () => {
    const { page, context } = await openNewWindow(app, port, 'phone')
    await openOnce(page, '/acme/flows')
    const pages = [page, ...(await openMore(context, PAGES - 1))]
    await until(() => countStreams() === STREAMS_OF_A_BROWSER)
    const asking = pages.slice(STREAMS_OF_A_BROWSER)
    for (const other of asking) {
      await other.getByText(POLLING).waitFor()
      expect(await findAccessibilityProblems(other)).toEqual([])
      expect(await measureOverflow(other)).toBe(0)
    }
    for (const other of pages.slice(0, STREAMS_OF_A_BROWSER))
      expect(await other.getByText(POLLING).count()).toBe(0)
    await addFlow('in-all-of-them')
    for (const other of pages) await findFlow(other, 'in-all-of-them').waitFor()
    expect(countStreams()).toBe(STREAMS_OF_A_BROWSER)
    expect(await Promise.all(pages.map(isSamePage))).toEqual(pages.map(() => true))
    await context.close()
    await until(() => countStreams() === 0)
  })

  it('have one stream if one of them is visible', async () => {
    const { page, context } = await openNewWindow(app, port, 'desk')
    await openOnce(page, '/acme/flows')
    const hidden: Page[] = []
    for (let i = 1; i < PAGES; i++) {
      for (const other of await openMore(context, 1)) {
        await hide(other)
        hidden.push(other)
      }
    }
    await until(() => countStreams() === 1)
    await addFlow('while-hidden')
    await findFlow(page, 'while-hidden').waitFor()
    for (const other of hidden) expect(await findFlow(other, 'while-hidden').count()).toBe(0)
    const [first] = hidden
    if (!first) throw new Error('no page')
    await show(first)
    await findFlow(first, 'while-hidden').waitFor()
    await until(() => countStreams() === 2)
    expect(await first.getByText(POLLING).count()).toBe(0)
    expect(await isSamePage(first)).toBe(true)
    await context.close()
    await until(() => countStreams() === 0)
  })
})

describe('a page that was hidden', () => {
  it('says how old a report is, also of one that no log records', async () => {
    await makeEnvironment(app, 'seen-again', { expected_report_interval: 600 })
    await report(app, 'seen-again', 'a1')
    const { page, context } = await openNewWindow(app, port, 'desk')
    await openOnce(page, '/acme/environments/seen-again')
    const reported = page.getByText(/^Last report /)
    await expect.poll(() => reported.innerText()).toMatch(/now|seconds? ago/)
    await hide(page)
    await until(() => countStreams() === 0)
    app.clock.advance(5 * 60_000)
    await report(app, 'seen-again', 'a1')
    await show(page)
    await expect.poll(() => reported.innerText()).toMatch(/now|seconds? ago/)
    await context.close()
  })
})

describe('a person with as many streams as the server allows', () => {
  it('gets pages that poll, and tell the person', async () => {
    const { page, context, name } = await openNewWindow(app, port, 'desk')
    await page.clock.install()
    const cookie = `${SESSION_COOKIE}=${await insertSession(app, name)}`
    const readers = await Promise.all(
      Array.from({ length: STREAM_LIMITS.per_caller }, () => openStream(port, { cookie })),
    )
    for (const reader of readers) addCleanUp(() => reader.close())
    expect(readers.map(({ status }) => status)).toEqual(readers.map(() => 200))
    await openOnce(page, '/acme/flows')
    await page.getByText(POLLING).waitFor()
    await addFlow('asked-at-intervals')
    await findFlow(page, 'asked-at-intervals').waitFor()
    expect(await page.getByText("Can't reach the server").count()).toBe(0)
    expect(await isSamePage(page)).toBe(true)
    for (const reader of readers) reader.close()
    // It tries again later, so the test moves the page's clock.
    await until(async () => {
      await page.clock.fastForward(POLL_MS)
      return (await page.getByText(POLLING).count()) === 0
    })
    await context.close()
  })
})
