// A real browser in front of the built program with the demo data: how it starts, how people sign in, and what is recorded
// about every page.
import { existsSync, readdirSync, readFileSync } from 'node:fs'
import { createRequire } from 'node:module'
import { join } from 'node:path'
import { setTimeout } from 'node:timers/promises'
import axe from 'axe-core'
import { type Browser, type BrowserContext, chromium, type Page } from 'playwright-core'
import { onTestFailed, onTestFinished, TestRunner } from 'vitest'
import { findChromium, NO_CHROMIUM } from '../../../scripts/test/chromium.mjs'
import { systemClock } from '../../src/lib/clock.ts'
import { once } from '../../src/lib/once.ts'
import { SESSION_COOKIE } from '../../src/lib/session-token.ts'
import { insertSessionAt } from '../browser.ts'
import { outliveFile } from '../clean-ups.ts'
import { type DemoService, startDemoService } from '../demo-service.ts'
import { PATIENCE_MS, until } from '../patience.ts'
import { addCleanUp } from '../service.ts'

/** There is no GPU, so its process is not needed. */
const BROWSER_ARGUMENTS = ['--no-sandbox', '--disable-gpu', '--in-process-gpu']
const LINK_IN_MAIL = /\/auth\/link\?token=[\w-]+/

/** SLOW_ANSWERS=800 delays every response by up to 800 ms, to find tests that do not wait for what they read. */
const LATE_BY_MS = Number(process.env.SLOW_ANSWERS ?? 0)

export const DEMO_ORG = 'harbour-bank'

/** A dark phone and a light desktop. */
export const LOOKS = {
  phone: { viewport: { width: 360, height: 740 }, colorScheme: 'dark' },
  desk: { viewport: { width: 1280, height: 800 }, colorScheme: 'light' },
} as const
export type Look = keyof typeof LOOKS

/** Logs CSP violations to the console. */
const LOG_CSP_VIOLATIONS = `addEventListener('securitypolicyviolation', event =>
  console.error('refused by ' + event.violatedDirective + ': ' + event.blockedURI + ' ' + event.sample))`

/** Windows at one address. */
export interface Windows {
  /** Another window of a person, or a signed-out one. Windows of one person share a cache. Closes after the test. */
  newWindow(look: Look, person?: string): Promise<Watched>
  /** A window with an empty cache. Closes after the test. */
  firstWindow(look: Look, person: string): Promise<Watched>
  /** The window in which a person goes on from test to test: for tests that leave nothing unsaved. */
  sameWindow(look: Look, person: string): Promise<Watched>
}

/** The people are those of the demo company. */
export interface Site extends Windows {
  service: DemoService
  browser: Browser
}

export interface Watched {
  page: Page
  context: BrowserContext
  /** Console errors, CSP violations and unexpected dialogs so far. */
  complaints: string[]
}

let shared: Promise<Site> | undefined

/** The demo for tests that only read it, or write to other organizations: one service and one set of windows for a worker. */
export function openSharedSite(): Promise<Site> {
  shared ??= outliveFile(startSharedSite)
  // The next file may have more luck.
  shared.catch(() => {
    shared = undefined
  })
  return shared
}

async function startSharedSite(): Promise<Site> {
  const site = await openSite()
  return {
    ...site,
    newWindow: (look, person) => outliveFile(() => site.newWindow(look, person)),
    // Closed after the file, so that no file depends on what another one has left in a window.
    sameWindow: async (look, person) => {
      const window = await outliveFile(() => site.sameWindow(look, person))
      addCleanUp(() => window.page.close())
      return window
    },
  }
}

/** A copy of the demo with its own service, for tests that change it. */
export async function openSite(env: Record<string, string> = {}): Promise<Site> {
  const [browser, service] = await Promise.all([launchOnce(), startDemoService(env)])
  const enterDemo = (person: string) => insertSessionAt(service.owner, systemClock.now(), person, '')
  return { service, browser, ...makeWindows(browser, service.url, `/${DEMO_ORG}/search`, enterDemo) }
}

/** `between` is a page that no test leaves anything on. `enterAs` resolves with the secret of a session. */
export function makeWindows(
  browser: Browser,
  url: string,
  between: string,
  enterAs: (person: string) => Promise<string>,
): Windows {
  const contexts = new Map<string, Promise<BrowserContext>>()
  const openContextFor = async (look: Look, person: string) => {
    const context = await openCalmContext(browser, url, look)
    await enter(context, await enterAs(person))
    return context
  }
  /** One context per person, even if several windows are opened at the same time. */
  const shareContext = (look: Look, person: string) => {
    const key = `${person} at the ${look}`
    const context = contexts.get(key) ?? openContextFor(look, person)
    contexts.set(key, context)
    return context
  }
  const reuse = keepWindows(between)
  return {
    newWindow: async (look, person) => {
      const context = person === undefined ? openCalmContext(browser, url, look) : shareContext(look, person)
      return closeAfterTest(await watch(await context))
    },
    firstWindow: async (look, person) => closeAfterTest(await watch(await openContextFor(look, person))),
    sameWindow: (look, person) =>
      reuse(`${person} at the ${look}`, async () => watch(await shareContext(look, person))),
  }
}

/** Open pages follow every change, which costs time. */
export function closeAfterTest<T extends Watched>(window: T): T {
  if (TestRunner.getCurrentTest()) onTestFinished(() => window.page.close())
  return window
}

/**
 * Windows by name. Loading the app costs more than most tests, so one test goes on where another one has ended. In between
 * they show a page that follows little and on which no test leaves anything.
 */
export function keepWindows(between: string) {
  const kept = new Map<string, Watched>()
  return async <T extends Watched>(name: string, open: () => Promise<T>): Promise<T> => {
    const known = kept.get(name) as T | undefined
    const window = known === undefined || known.page.isClosed() ? await open() : known
    kept.set(name, window)
    if (window === known) await settled(window.page)
    window.complaints.length = 0
    if (TestRunner.getCurrentTest()) {
      // A failed test may have left anything open.
      onTestFailed(() => window.page.close())
      onTestFinished(async () => {
        await leave(window.page, between)
      })
    }
    return window
  }
}

/** Does not wait, and ignores that the test may have closed the page. */
const leave = (page: Page, path: string) =>
  page.evaluate(`history.pushState({}, '', ${JSON.stringify(path)})`).catch(() => undefined)

/** Without animations, pages are shown at once. */
export async function openCalmContext(
  browser: Browser,
  baseURL: string,
  look: Look,
): Promise<BrowserContext> {
  const context = await browser.newContext({ baseURL, reducedMotion: 'reduce', ...LOOKS[look] })
  addCleanUp(() => context.close())
  context.setDefaultTimeout(PATIENCE_MS)
  await context.addInitScript(LOG_CSP_VIOLATIONS)
  if (LATE_BY_MS > 0) await answerLate(context)
  return context
}

/** Gives all windows of the context a session. */
export async function enter(context: BrowserContext, session: string): Promise<void> {
  // Browsers accept such a cookie from an https address only, and send it to this machine without.
  const cookie = { name: SESSION_COOKIE, value: session, url: 'https://127.0.0.1' }
  await context.addCookies([{ ...cookie, secure: true, httpOnly: true, sameSite: 'Lax' }])
}

/** Random delays, so that responses arrive out of order. */
async function answerLate(context: BrowserContext): Promise<void> {
  await context.route('**/*', async route => {
    await setTimeout(Math.random() * LATE_BY_MS)
    // The page may be closed by now.
    await route.continue().catch(() => undefined)
  })
}

/** One browser for all files of a worker, which share no context. */
export const launchOnce = once(launch)

async function launch(): Promise<Browser> {
  const executablePath = await findChromium()
  if (executablePath === undefined) throw new Error(NO_CHROMIUM)
  return chromium.launch({ executablePath, args: BROWSER_ARGUMENTS, timeout: PATIENCE_MS })
}

/** Opens another page of a context and records its complaints. */
export async function watch(context: BrowserContext): Promise<Watched> {
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
  return { page, context, complaints }
}

/** Requests a link, opens it from the email and signs in. Ends on the page that was requested first. */
export async function signInByMail(page: Page, service: DemoService, address: string): Promise<void> {
  await page.goto(`/sign-in?next=/${DEMO_ORG}`)
  await page.getByLabel('Mail address').fill(address)
  const asking = () => page.getByLabel('Mail address').press('Enter')
  await page.goto(await waitForMail(service, address, LINK_IN_MAIL, asking))
  await page.getByRole('button', { name: 'Sign in to Waybill' }).click()
  await page.getByRole('combobox', { name: 'Organization' }).waitFor()
}

/** Runs an action that sends an email, and returns the part of it that matches. Other emails may arrive in between. */
export async function waitForMail(
  service: DemoService,
  address: string,
  wanted: RegExp,
  asking: () => Promise<unknown>,
): Promise<string> {
  const mails = join(service.data_dir, 'outbox-mail')
  const before = new Set(listMails(mails))
  await asking()
  const arrived = () =>
    listMails(mails)
      .filter(name => !before.has(name))
      .map(name => readMail(mails, name))
      .filter(mail => mail.includes(address))
      .map(mail => wanted.exec(mail)?.[0])
      .find(found => found !== undefined)
  await until(() => arrived() !== undefined)
  return arrived() ?? ''
}

const listMails = (folder: string) =>
  existsSync(folder) ? readdirSync(folder).filter(name => name.endsWith('.eml')) : []

/** Removes the soft line breaks of quoted-printable text. */
const readMail = (folder: string, name: string) =>
  readFileSync(join(folder, name), 'utf8')
    .replace(/=\r?\n/g, '')
    .replaceAll('=3D', '=')

/** Loads an address and waits until nothing is loading. */
export async function visit(page: Page, address: string): Promise<void> {
  await page.goto(address)
  await settled(page)
}

/** Navigates like a link of the app, without reloading it. */
export async function goTo(page: Page, path: string): Promise<void> {
  await page.evaluate(`history.pushState({}, '', ${JSON.stringify(path)})`)
  await settled(page)
}

/** Shows a page as a link of the app does, or loads the app if the window is still empty. */
export async function show(page: Page, path: string): Promise<void> {
  if (page.url() === 'about:blank') await page.goto(path)
  else await page.evaluate(`history.pushState({}, '', ${JSON.stringify(path)})`)
  await settled(page)
}

/** Waits, in the page, until the page of the current address is shown and nothing is loading. */
export async function settled(page: Page): Promise<void> {
  for (;;) {
    try {
      return await page.evaluate(WHEN_SETTLED)
    } catch (error) {
      // Another document was loaded in the meantime.
      if (!(error instanceof Error && /context was destroyed|navigat/i.test(error.message))) throw error
    }
  }
}

const WHEN_SETTLED = `new Promise(done => {
  const look = () => {
    const { dataset } = document.documentElement
    const isShown = dataset.address === location.pathname + location.search
    const isSettled = isShown && document.querySelector('h1')?.checkVisibility()
      && document.querySelector('[aria-busy="true"]') === null
    if (isSettled) done()
    else setTimeout(look, 20)
  }
  look()
})`

/** Minified, because every examined document parses it. */
const AXE = readFileSync(createRequire(import.meta.url).resolve('axe-core/axe.min.js'), 'utf8')
const SERIOUS = ['serious', 'critical']
interface AxeInside {
  _audit: { rules: { id: string; impact: string }[] }
}
/** Their findings would be dropped anyway. */
const LESSER_RULES = (axe as unknown as AxeInside)._audit.rules
  .filter(({ impact }) => !SERIOUS.includes(impact))
  .map(({ id }) => [id, { enabled: false }])
const AXE_OPTIONS = { resultTypes: ['violations'], preload: false, rules: Object.fromEntries(LESSER_RULES) }

/** The frame of every page: header and navigation. */
const FRAME = ['.app-header', '.app-navigation']

const findProblemsIn = (context: string) => `axe.run(${context}, ${JSON.stringify(AXE_OPTIONS)}).then(
  ({ violations }) => violations
    .filter(({ impact }) => ${JSON.stringify(SERIOUS)}.includes(impact))
    .flatMap(({ id, nodes }) => nodes.map(({ target, html }) => id + ' at ' + target + ': ' + html)))`

/** The serious accessibility violations of a page, each with its place. */
export async function findAccessibilityProblems(
  page: Page,
  part: 'whole' | 'without frame' = 'without frame',
): Promise<string[]> {
  if (!(await page.evaluate<boolean>(`'axe' in globalThis`))) await page.evaluate(AXE)
  const context = part === 'whole' ? 'document' : JSON.stringify({ exclude: FRAME.map(each => [each]) })
  const problems = await page.evaluate<string[]>(findProblemsIn(context))
  return problems.map(problem => `${new URL(page.url()).pathname}: ${problem}`)
}

/** How many pixels a page is wider than its window. */
export function measureOverflow(page: Page): Promise<number> {
  return page.evaluate<number>('document.documentElement.scrollWidth - innerWidth')
}
