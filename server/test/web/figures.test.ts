// How much a first visit loads, and how calm it is. Times are told, because they are those of this machine; what is the
// same everywhere is held.
import type { Page } from 'playwright-core'
import { beforeAll, describe, expect, it } from 'vitest'
import { DEMO_ORG, openSite, type Site, visit } from './browser.ts'

const KB = 1024
const INITIAL_SCRIPT_BYTES = 200 * KB
const ANSWER_BYTES = 200 * KB
const LAYOUT_SHIFT = 0.1
/** Two for each environment, and one for each thing that may need somebody. */
const QUESTIONS_OF_THE_OVERVIEW = 18
/** A task that takes longer keeps people waiting. */
const LONG_TASK_MS = 50

const PAGES = {
  overview: `/${DEMO_ORG}`,
  'environment page': `/${DEMO_ORG}/environments/production`,
  'trail page': `/${DEMO_ORG}/flows/payments-api/trails/release-2.9.0`,
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
    await visit(page, path)
    await page.waitForLoadState('networkidle')
    const figures = await page.evaluate<Figures>(OBSERVED)
    const { loaded, layout_shift } = figures
    const initial = await initialScripts(page, loaded)
    tell(name, figures, initial)
    expect(bytesOf(initial)).toBeGreaterThan(0)
    expect(bytesOf(initial)).toBeLessThanOrEqual(INITIAL_SCRIPT_BYTES)
    expect(layout_shift).toBeLessThan(LAYOUT_SHIFT)
    const answers = loaded.filter(({ kind }) => kind === 'answer')
    expect(answers.filter(({ bytes }) => bytes > ANSWER_BYTES)).toEqual([])
    expect(answers.length).toBeGreaterThan(0)
    if (name === 'overview') expect(answers.length).toBeLessThanOrEqual(QUESTIONS_OF_THE_OVERVIEW)
    expect([...origins]).toEqual([site.service.url])
    expect(complaints).toEqual([])
    await context.close()
  })
})

/** What the browser wrote down: entries from before are handed to an observer that asks for them. */
const OBSERVED = `(async () => {
  const entries = type => new Promise(resolve => {
    const observer = new PerformanceObserver(list => resolve(list.getEntries()))
    observer.observe({ type, buffered: true })
    setTimeout(() => resolve([]), 200)
  })
  const [paints, largest, shifts, tasks] = await Promise.all(
    ['paint', 'largest-contentful-paint', 'layout-shift', 'longtask'].map(entries))
  const first_paint_ms = paints.find(({ name }) => name === 'first-contentful-paint')?.startTime ?? 0
  const kindOf = path =>
    path.startsWith('/api/') ? 'answer'
      : path.endsWith('.js') ? 'script' : path.endsWith('.css') ? 'style' : 'other'
  const resources = performance.getEntriesByType('resource').map(({ name, encodedBodySize }) => {
    const path = new URL(name).pathname
    return { path, kind: kindOf(path), bytes: encodedBodySize }
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

/** Those that the page as it is sent names: the entry, and what it needs before it can run. */
async function initialScripts(page: Page, loaded: Loaded[]): Promise<Loaded[]> {
  const html = await (await page.request.get(page.url())).text()
  const named = new Set([...html.matchAll(/(?:src|href)="([^"]+\.js)"/g)].map(([, path]) => path))
  return loaded.filter(({ path }) => named.has(path))
}

const bytesOf = (loaded: Loaded[]) => loaded.reduce((sum, { bytes }) => sum + bytes, 0)

function tell(name: string, figures: Figures, initial: Loaded[]): void {
  const { loaded, first_paint_ms, largest_paint_ms, layout_shift, blocking_ms } = figures
  const of = (kind: Loaded['kind']) => loaded.filter(entry => entry.kind === kind)
  const kb = (entries: Loaded[]) => `${Math.round(bytesOf(entries) / KB)} KB`
  const line = [
    `scripts ${kb(of('script'))} (${kb(initial)} at first)`,
    `styles ${kb(of('style'))}`,
    `answers ${kb(of('answer'))} in ${of('answer').length}`,
    `${loaded.length} requests`,
    `first paint ${Math.round(first_paint_ms)} ms`,
    `largest paint ${Math.round(largest_paint_ms)} ms`,
    `layout shift ${layout_shift.toFixed(3)}`,
    `blocked ${Math.round(blocking_ms)} ms`,
  ]
  console.info(`${name}: ${line.join(', ')}`)
}
