// How much a first visit loads, and how much the layout shifts. Times depend on the machine, so they are only printed;
// everything else is asserted.
import type { Page } from 'playwright-core'
import { beforeAll, describe, expect, it } from 'vitest'
import { DEMO_ORG, openSite, type Site, visit } from './browser.ts'

const KB = 1024
const MAX_INITIAL_SCRIPT_BYTES = 200 * KB
const MAX_ANSWER_BYTES = 200 * KB
const MAX_LAYOUT_SHIFT = 0.1
/** Two for each environment, and one for each kind of warning. */
const MAX_OVERVIEW_REQUESTS = 18
/** Browsers count longer tasks as blocking. */
const LONG_TASK_MS = 50

const PAGES = {
  overview: `/${DEMO_ORG}`,
  'environment page': `/${DEMO_ORG}/environments/production`,
  'trail page': `/${DEMO_ORG}/flows/payments-api/trails/release-2.9.0`,
  'artifact page': findArtifact,
}

/** Fingerprints are different in every demo. */
async function findArtifact(): Promise<string> {
  const list = `/api/v2/artifacts/${DEMO_ORG}?flow_name=payments-api&page=1&per_page=1`
  const { text } = await site.service.call('GET', list, { key: site.service.key })
  const [{ fingerprint }] = JSON.parse(text) as [{ fingerprint: string }]
  return `/${DEMO_ORG}/flows/payments-api/artifacts/${fingerprint}`
}

interface Loaded {
  path: string
  kind: 'script' | 'style' | 'answer' | 'page' | 'other'
  bytes: number
}

interface Figures {
  loaded: Loaded[]
  first_paint_ms: number
  largest_paint_ms: number
  layout_shift: number
  blocking_ms: number
}

let site: Site
beforeAll(async () => {
  site = await openSite()
})

describe('a first visit', () => {
  it.each(Object.entries(PAGES))('to the %s loads little and does not jump', async (name, path) => {
    const { page, complaints, context } = await site.firstWindow('desk', 'mara')
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
    if (name === 'overview') expect(answers.length).toBeLessThanOrEqual(MAX_OVERVIEW_REQUESTS)
    expect([...origins]).toEqual([site.service.url])
    expect(complaints).toEqual([])
    await context.close()
  })
})

/** Reads what the browser recorded. An observer with `buffered` also receives earlier entries. */
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
    return { path, kind: getKind(path), bytes: encodedBodySize }
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
