// A real browser in front of the built program with the demo data: how it starts, how people sign in, and what is recorded
// about every page.
import { existsSync, readdirSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { setTimeout } from 'node:timers/promises'
import axe from 'axe-core'
import { type Browser, type BrowserContext, chromium, type Page } from 'playwright-core'
import { findChromium, NO_CHROMIUM } from '../../../scripts/test/chromium.mjs'
import { once } from '../../src/lib/once.ts'
import { type DemoService, startDemoService } from '../demo-service.ts'
import { PATIENCE_MS, until } from '../patience.ts'
import { addCleanUp } from '../service.ts'

const IS_SHOWN = 'document.documentElement.dataset.address === location.pathname + location.search'
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

export interface Site {
  service: DemoService
  browser: Browser
  /** Another window of a person of the demo company, or a signed-out one. Windows of one person share a cache. */
  newWindow(look: Look, person?: string): Promise<Watched>
  /** A window with an empty cache. */
  firstWindow(look: Look, person: string): Promise<Watched>
}

export interface Watched {
  page: Page
  context: BrowserContext
  /** Console errors, CSP violations and unexpected dialogs so far. */
  complaints: string[]
}

export async function openSite(env: Record<string, string> = {}): Promise<Site> {
  const [browser, service] = await Promise.all([launchOnce(), startDemoService(env)])
  const contexts = new Map<string, Promise<BrowserContext>>()
  const openContext = async (look: Look) => {
    // Without animations, pages are shown at once.
    const calm = { baseURL: service.url, reducedMotion: 'reduce' } as const
    const context = await browser.newContext({ ...calm, ...LOOKS[look] })
    addCleanUp(() => context.close())
    context.setDefaultTimeout(PATIENCE_MS)
    await context.addInitScript(LOG_CSP_VIOLATIONS)
    if (LATE_BY_MS > 0) await answerLate(context)
    return context
  }
  const openContextFor = async (look: Look, person: string) => {
    const context = await openContext(look)
    await enterByMail(context, service, `${person}@harbour-bank.example`)
    return context
  }
  /** One context per person, even if several windows are opened at the same time. */
  const shareContext = (look: Look, person: string) => {
    const key = `${person} at the ${look}`
    const context = contexts.get(key) ?? openContextFor(look, person)
    contexts.set(key, context)
    return context
  }
  return {
    service,
    browser,
    newWindow: async (look, person) =>
      watch(await (person === undefined ? openContext(look) : shareContext(look, person))),
    firstWindow: async (look, person) => watch(await openContextFor(look, person)),
  }
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

/** Sends the two sign-in forms without opening their pages. */
async function enterByMail(context: BrowserContext, service: DemoService, address: string): Promise<void> {
  const send = async (path: string, form: Record<string, string>) => {
    const answer = await context.request.post(path, { form, maxRedirects: 0 })
    if (answer.status() >= 400) throw new Error(`${path}: ${answer.status()} ${await answer.text()}`)
  }
  const link = await waitForMail(service, address, LINK_IN_MAIL, () => send('/auth/link', { email: address }))
  await send('/auth/link/redeem', { token: new URL(link, service.url).searchParams.get('token') ?? '' })
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

/** Waits until the page of the current address is shown and nothing is loading. */
export async function settled(page: Page): Promise<void> {
  await until(() => page.evaluate<boolean>(IS_SHOWN))
  await page.locator('h1').first().waitFor()
  await page.locator('[aria-busy="true"]').first().waitFor({ state: 'detached' })
}

/** Returns only serious violations; the others are many. */
const FIND_PROBLEMS = `axe.run(document, { resultTypes: ['violations'] }).then(({ violations }) =>
  violations
    .filter(({ impact }) => impact === 'serious' || impact === 'critical')
    .flatMap(({ id, nodes }) => nodes.map(({ target, html }) => id + ' at ' + target + ': ' + html)))`

/** The serious accessibility violations of a page, each with its place. */
export async function findAccessibilityProblems(page: Page): Promise<string[]> {
  if (!(await page.evaluate<boolean>(`'axe' in globalThis`))) await page.evaluate(axe.source)
  const problems = await page.evaluate<string[]>(FIND_PROBLEMS)
  return problems.map(problem => `${new URL(page.url()).pathname}: ${problem}`)
}

/** How many pixels a page is wider than its window. */
export function measureOverflow(page: Page): Promise<number> {
  return page.evaluate<number>('document.documentElement.scrollWidth - innerWidth')
}
