// Ten pages look as they did. `npm run docs -- pictures` takes the pictures anew after a change that was meant; look at them before
// you commit.
import type { Page, Request } from 'playwright-core'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import type { TestApp } from '../harness.ts'
import { until } from '../patience.ts'
import { makeFingerprint } from '../reports.ts'
import { type Look, launchOnce, settled } from './browser.ts'
import { listenAt, openWindow, startWebApp } from './open-app.ts'
import { FLOW, fillPictureOrg, RED } from './picture-org.ts'
import { comparePictures, hasPicture, keepPicture, readPicture, takePicture } from './pictures.ts'

const HOUR_MS = 3_600_000
const isUpdating = process.env.UPDATE_PICTURES === '1'

const PAGES = {
  overview: '/acme',
  environments: '/acme/environments',
  environment: '/acme/environments/production',
  flows: '/acme/flows',
  flow: `/acme/flows/${FLOW}`,
  trail: `/acme/flows/${FLOW}/trails/release-${RED}`,
  artifact: `/acme/flows/${FLOW}/artifacts/${makeFingerprint(RED)}`,
  attestations: '/acme/attestations',
  policies: '/acme/policies',
  controls: '/acme/controls',
}
const LOOKS: Look[] = ['desk', 'phone']

/** Lets the page show what has arrived, and ask for more. */
const UNTIL_IDLE = 'new Promise(done => requestIdleCallback(() => requestAnimationFrame(done)))'

/** Changes that a picture must notice, as styles. */
const FAULTS = {
  'a missing panel': 'table { display: none !important }',
  'a broken grid': 'tr { display: grid !important }',
  'a lost colour': '.mantine-Badge-root { background: none !important }',
}

let app: TestApp
let tool: Page
const windows = new Map<Look, Page>()
const pending = new Set<Request>()
beforeAll(async () => {
  app = await startWebApp()
  await fillPictureOrg(app)
  const port = await listenAt(app, 0)
  for (const look of LOOKS) {
    const { page } = await openWindow(app, port, look)
    watchRequests(page)
    windows.set(look, page)
  }
  // Nothing on the pages happened only seconds ago.
  app.clock.advance(HOUR_MS)
  tool = await (await launchOnce()).newPage()
})
afterAll(async () => {
  await tool.close()
  await app.stop()
})

async function open(look: Look, path: string): Promise<Page> {
  const page = windows.get(look)
  if (page === undefined) throw new Error(`no window for the ${look}`)
  await page.goto(path)
  await settled(page)
  // Marks on a timeline and lines about proofs load after the rest, without a sign that they are loading.
  do {
    await until(() => pending.size === 0)
    await page.evaluate(UNTIL_IDLE)
  } while (pending.size > 0)
  await page.waitForFunction('document.fonts.status === "loaded"')
  return page
}

function watchRequests(page: Page): void {
  page.on('request', request => {
    // The stream of events never ends.
    if (!new URL(request.url()).pathname.endsWith('/stream')) pending.add(request)
  })
  page.on('requestfinished', request => pending.delete(request))
  page.on('requestfailed', request => pending.delete(request))
}

/** The policy of the page allows no style element. */
const addStyle = (page: Page, content: string) =>
  page.evaluate(`(() => {
    const sheet = new CSSStyleSheet()
    sheet.replaceSync(${JSON.stringify(content)})
    document.adoptedStyleSheets = [sheet]
  })()`)

describe.each(LOOKS)('at the %s', look => {
  it.each(Object.entries(PAGES))('the page of the %s looks as it did', async (name, path) => {
    const picture_name = `${name}-${look}`
    const taken = await takePicture(await open(look, path), tool)
    if (isUpdating) keepPicture(picture_name, taken)
    expect(hasPicture(picture_name), `no picture ${picture_name}: run npm run docs -- pictures`).toBe(true)
    const { isAlike, summary } = await comparePictures(tool, readPicture(picture_name), taken)
    expect(isAlike, summary).toBe(true)
  })
})

describe('a picture', () => {
  let page: Page
  let before: Buffer
  beforeAll(async () => {
    page = await open('desk', PAGES.environments)
    before = await takePicture(page, tool)
  })
  /** Each replaces the one before. */
  const compareWith = async (style: string) => {
    await addStyle(page, style)
    return comparePictures(tool, before, await takePicture(page, tool))
  }

  it.each(Object.entries(FAULTS))('shows %s', async (_, content) => {
    expect((await compareWith(content)).isAlike).toBe(false)
  })

  it('does not mind letters that are drawn differently', async () => {
    const { isAlike, summary } = await compareWith(
      'body { -webkit-text-stroke: 0.2px; text-rendering: geometricPrecision }',
    )
    expect(isAlike, summary).toBe(true)
  })
})
