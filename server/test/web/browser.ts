// A real browser in front of the built program, filled with the demo: how it is found, how it signs in, and what is written
// down of every page it visits.
import { existsSync } from 'node:fs'
import axe from 'axe-core'
import { type Browser, type BrowserContext, chromium, type Page } from 'playwright-core'
import { afterwards, newDataDirectory, type Service, startService } from '../service.ts'

const PLACES = [
  process.env.CHROMIUM_PATH,
  '/usr/bin/chromium',
  '/usr/bin/chromium-browser',
  '/usr/bin/google-chrome',
]
const DEMO_WITHIN_MS = 240_000
const PAGE_WITHIN_MS = 15_000
const SIGN_IN_LINK = /^Sign in: (\S+)$/m

export const SIZES = {
  narrow: { width: 360, height: 740 },
  wide: { width: 1280, height: 800 },
} as const
export type Size = keyof typeof SIZES

/** Says on the console what the policy of the page refused. */
const TELL_REFUSALS = `addEventListener('securitypolicyviolation', event =>
  console.error('refused by ' + event.violatedDirective + ': ' + event.blockedURI + ' ' + event.sample))`

export interface Site {
  service: Service
  /** The link of the first start; it works once. */
  sign_in_link: string
  browser: Browser
  /** A window of its own, without a session unless one is handed in. */
  newWindow(size: Size, session?: Session): Promise<BrowserContext>
}

export type Session = Awaited<ReturnType<BrowserContext['storageState']>>

export async function openSite(): Promise<Site> {
  const browser = await launch()
  const service = await startService({
    data_dir: newDataDirectory(),
    args: ['--demo'],
    ready_within_ms: DEMO_WITHIN_MS,
  })
  return {
    service,
    sign_in_link: SIGN_IN_LINK.exec(service.stdout())?.[1] ?? '',
    browser,
    newWindow: async (size, session) => {
      const context = await browser.newContext({
        baseURL: service.url,
        viewport: SIZES[size],
        ...(session ? { storageState: session } : {}),
      })
      context.setDefaultTimeout(PAGE_WITHIN_MS)
      await context.addInitScript(TELL_REFUSALS)
      return context
    },
  }
}

async function launch(): Promise<Browser> {
  const executablePath = PLACES.find(place => place !== undefined && existsSync(place))
  if (executablePath === undefined)
    throw new Error('No Chromium: install it, or say where it is with CHROMIUM_PATH')
  const browser = await chromium.launch({ executablePath, args: ['--no-sandbox'] })
  afterwards(() => browser.close())
  return browser
}

export interface Watched {
  page: Page
  /** What went wrong so far: errors on the console, refusals of the policy, dialogs that nobody asked for. */
  complaints: string[]
}

export async function newWatchedPage(context: BrowserContext): Promise<Watched> {
  const page = await context.newPage()
  const complaints: string[] = []
  const complain = (text: string) => complaints.push(`${new URL(page.url()).pathname}: ${text}`)
  page.on('console', message => {
    if (message.type() === 'error') complain(`${message.text()} ${message.location().url}`)
  })
  page.on('pageerror', error => complain(error.message))
  page.on('dialog', dialog => {
    complain(`opened a dialog: ${dialog.message()}`)
    void dialog.dismiss()
  })
  return { page, complaints }
}

/** Goes there and waits until nothing is loading any more. */
export async function visit(page: Page, address: string): Promise<void> {
  await page.goto(address)
  await settled(page)
}

export async function settled(page: Page): Promise<void> {
  await page.locator('h1').first().waitFor()
  await page.locator('[aria-busy="true"]').first().waitFor({ state: 'detached' })
}

/** The serious ones, each with where it is. */
export async function accessibilityProblems(page: Page): Promise<string[]> {
  await page.evaluate(axe.source)
  const { violations } = await page.evaluate<axe.AxeResults>('axe.run(document)')
  return violations
    .filter(({ impact }) => impact === 'serious' || impact === 'critical')
    .flatMap(({ id, nodes }) =>
      nodes.map(({ target, html }) => `${new URL(page.url()).pathname}: ${id} at ${target}: ${html}`),
    )
}

/** How many pixels a page is wider than its window. */
export function overflow(page: Page): Promise<number> {
  return page.evaluate<number>('document.documentElement.scrollWidth - innerWidth')
}
