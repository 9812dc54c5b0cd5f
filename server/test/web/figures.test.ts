// How much a first visit loads, and how much the layout shifts. Times depend on the machine, so they are only printed;
// everything else is asserted. The stream of changes counts as a request.
import type { BrowserContext, Locator, Page } from 'playwright-core'
import { beforeAll, describe, expect, it } from 'vitest'
import { closeAfterTest, DEMO_ORG, openSharedSite, type Site, visit, type Watched, watch } from './browser.ts'

const KB = 1024
const MAX_INITIAL_SCRIPT_BYTES = 200 * KB
const MAX_ANSWER_BYTES = 200 * KB
const MAX_LAYOUT_SHIFT = 0.1
/** Scripts, styles, typefaces, answers and the document together, compressed. */
const MAX_OVERVIEW_BYTES = 200 * KB
/** Browsers count longer tasks as blocking. */
const LONG_TASK_MS = 50

const TRAIL_PAGE = `/${DEMO_ORG}/flows/payments-api/trails/release-2.9.0`
const POLICY_PAGE = `/${DEMO_ORG}/policies/live-rules`

/** The main pages, and how many requests a first visit may send in all: files, the session, the stream and answers. */
const PAGES: Record<string, { path: string | (() => Promise<string>); max_requests: number }> = {
  overview: { path: `/${DEMO_ORG}`, max_requests: 15 },
  'list of environments': { path: `/${DEMO_ORG}/environments`, max_requests: 12 },
  'environment page': { path: `/${DEMO_ORG}/environments/production`, max_requests: 19 },
  'list of flows': { path: `/${DEMO_ORG}/flows`, max_requests: 12 },
  'flow page': { path: `/${DEMO_ORG}/flows/payments-api`, max_requests: 13 },
  'trail page': { path: TRAIL_PAGE, max_requests: 14 },
  'list of policies': { path: `/${DEMO_ORG}/policies`, max_requests: 12 },
  'policy page': { path: POLICY_PAGE, max_requests: 14 },
  'list of controls': { path: `/${DEMO_ORG}/controls`, max_requests: 12 },
  'list of attestations': { path: `/${DEMO_ORG}/attestations`, max_requests: 14 },
  'list of members': { path: `/${DEMO_ORG}/settings/members`, max_requests: 14 },
  'list of deliveries': { path: `/${DEMO_ORG}/settings/notifications/deliveries`, max_requests: 14 },
  'artifact page': { path: findArtifact, max_requests: 18 },
}

/** Fingerprints are different in every demo. */
async function findArtifact(): Promise<string> {
  const list = `/api/v2/artifacts/${DEMO_ORG}?flow_name=payments-api&page=1&per_page=1`
  const { text } = await site.service.call('GET', list, { key: site.service.key })
  const [{ fingerprint }] = JSON.parse(text) as [{ fingerprint: string }]
  return `/${DEMO_ORG}/flows/payments-api/artifacts/${fingerprint}`
}

/** The code of the editor. */
const EDITOR = /\/assets\/editor-/

interface Loaded {
  path: string
  kind: 'script' | 'style' | 'answer' | 'page' | 'other'
  bytes: number
  /** Missing for the document. */
  address?: string
}

interface Figures {
  loaded: Loaded[]
  first_paint_ms: number
  largest_paint_ms: number
  layout_shift: number
  blocking_ms: number
}

let site: Site
let context: BrowserContext
beforeAll(async () => {
  site = await openSharedSite()
  context = (await site.firstWindow('desk', 'mara')).context
})

/** Opens a page with an empty browser cache, without signing in again. */
async function openFirst(): Promise<Watched> {
  const watched = closeAfterTest(await watch(context))
  const session = await context.newCDPSession(watched.page)
  await session.send('Network.clearBrowserCache')
  return watched
}

describe('a first visit', () => {
  it.each(Object.entries(PAGES))(
    'to the %s loads little and does not jump',
    async (name, { path, max_requests }) => {
      const { page, complaints } = await openFirst()
      const origins = new Set<string>()
      page.on('request', request => origins.add(new URL(request.url()).origin))
      // A stream goes on for as long as the page is open, so the network would never be idle.
      await page.route('**/api/v2/events/*/stream', route => route.fulfill({ status: 204 }))
      await visit(page, typeof path === 'string' ? path : await path())
      await page.waitForLoadState('networkidle')
      const figures = await page.evaluate<Figures>(READ_FIGURES)
      const { loaded, layout_shift } = figures
      const initial = await findInitialScripts(page, loaded)
      printFigures(name, figures, initial)
      expect(sumBytes(initial)).toBeGreaterThan(0)
      expect(sumBytes(initial)).toBeLessThanOrEqual(MAX_INITIAL_SCRIPT_BYTES)
      expect(layout_shift).toBeLessThan(MAX_LAYOUT_SHIFT)
      const answers = loaded.filter(({ kind }) => kind === 'answer')
      expect(answers.filter(({ bytes }) => bytes > MAX_ANSWER_BYTES)).toEqual([])
      expect(answers.length).toBeGreaterThan(0)
      expect(loaded.length).toBeLessThanOrEqual(max_requests)
      if (name === 'overview') expect(sumBytes(loaded)).toBeLessThanOrEqual(MAX_OVERVIEW_BYTES)
      expect(findRepeated(answers)).toEqual([])
      expect([...origins]).toEqual([site.service.url])
      expect(complaints).toEqual([])
    },
  )
})

describe('the code of the editor', () => {
  it('is loaded when a folded template is opened, and not before', async () => {
    const { page } = await openFirst()
    const scripts: string[] = []
    page.on('request', request => scripts.push(new URL(request.url()).pathname))
    await visit(page, TRAIL_PAGE)
    await page.getByText('Template of this trail').waitFor()
    expect(scripts.filter(path => EDITOR.test(path))).toEqual([])
    await page.getByText('Template of this trail').click()
    await page.locator('.cm-content').waitFor()
    expect(scripts.filter(path => EDITOR.test(path))).toHaveLength(1)
  })

  it('replaces the same text in the same place', async () => {
    const { page } = await openFirst()
    let release = () => {}
    const released = new Promise<void>(resolve => {
      release = resolve
    })
    await page.route(EDITOR, route => released.then(() => route.continue()))
    await page.goto(POLICY_PAGE)
    const plain = page.locator('pre[aria-busy="true"]')
    await plain.waitFor()
    const text = await plain.textContent()
    const before = await measurePlace(plain)
    release()
    const editor = page.locator('.cm-editor')
    await editor.waitFor()
    const lines = await editor.locator('.cm-line').allTextContents()
    expect(`${lines.join('\n')}\n`).toBe(text)
    expect(await measurePlace(editor)).toEqual(before)
  })
})

/** In whole pixels: fonts have fractions of them. */
async function measurePlace(found: Locator): Promise<number[]> {
  const { x, y, width, height } = (await found.boundingBox()) ?? { x: 0, y: 0, width: 0, height: 0 }
  return [x, y, width, height].map(Math.round)
}

/** Reads the browser's records. An observer with `buffered` also receives earlier entries. */
const READ_FIGURES = `(async () => {
  const entries = type => new Promise(resolve => {
    const observer = new PerformanceObserver(list => resolve(list.getEntries()))
    observer.observe({ type, buffered: true })
    setTimeout(() => resolve([]), 200)
  })
  const [paints, largest, shifts, tasks] = await Promise.all(
    ['paint', 'largest-contentful-paint', 'layout-shift', 'longtask'].map(entries))
  const first_paint_ms = paints.find(({ name }) => name === 'first-contentful-paint')?.startTime ?? 0
  const getKind = path =>
    path.startsWith('/api/') ? 'answer'
      : path.endsWith('.js') ? 'script' : path.endsWith('.css') ? 'style' : 'other'
  const resources = performance.getEntriesByType('resource').map(({ name, encodedBodySize }) => {
    const path = new URL(name).pathname
    return { path, kind: getKind(path), bytes: encodedBodySize, address: name }
  })
  const [page] = performance.getEntriesByType('navigation')
  return {
    loaded: [...resources, { path: location.pathname, kind: 'page', bytes: page.encodedBodySize }],
    first_paint_ms,
    largest_paint_ms: largest.at(-1)?.startTime ?? 0,
    layout_shift: shifts.filter(({ hadRecentInput }) => !hadRecentInput).reduce((sum, { value }) => sum + value, 0),
    blocking_ms: tasks
      .filter(({ startTime }) => startTime >= first_paint_ms)
      .reduce((sum, { duration }) => sum + duration - ${LONG_TASK_MS}, 0),
  }
})()`

/** The scripts named in the HTML: the entry and the modules it needs before it can run. */
async function findInitialScripts(page: Page, loaded: Loaded[]): Promise<Loaded[]> {
  const html = await (await page.request.get(page.url())).text()
  const named = new Set([...html.matchAll(/(?:src|href)="([^"]+\.js)"/g)].map(([, path]) => path))
  return loaded.filter(({ path }) => named.has(path))
}

/** Returns the addresses that were requested twice. */
function findRepeated(answers: Loaded[]): (string | undefined)[] {
  const addresses = answers.map(({ address }) => address)
  return addresses.filter((address, i) => addresses.indexOf(address) !== i)
}

const sumBytes = (loaded: Loaded[]) => loaded.reduce((sum, { bytes }) => sum + bytes, 0)

function printFigures(name: string, figures: Figures, initial: Loaded[]): void {
  const { loaded, first_paint_ms, largest_paint_ms, layout_shift, blocking_ms } = figures
  const filterKind = (kind: Loaded['kind']) => loaded.filter(entry => entry.kind === kind)
  const kb = (entries: Loaded[]) => `${Math.round(sumBytes(entries) / KB)} KB`
  const line = [
    `scripts ${kb(filterKind('script'))} (${kb(initial)} at first)`,
    `styles ${kb(filterKind('style'))}`,
    `answers ${kb(filterKind('answer'))} in ${filterKind('answer').length}`,
    `${loaded.length} requests`,
    `first paint ${Math.round(first_paint_ms)} ms`,
    `largest paint ${Math.round(largest_paint_ms)} ms`,
    `layout shift ${layout_shift.toFixed(3)}`,
    `blocked ${Math.round(blocking_ms)} ms`,
  ]
  console.info(`${name}: ${line.join(', ')}`)
}
