// A real browser in front of the built program with the demo in it: how it is found, how one signs in, and what is written
// down of every page that it visits.
import { existsSync, readdirSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { setTimeout } from 'node:timers/promises'
import axe from 'axe-core'
import { type Browser, type BrowserContext, chromium, type Page } from 'playwright-core'
import { findChromium, NO_CHROMIUM } from '../../../scripts/chromium.mjs'
import { once } from '../../src/lib/once.ts'
import { type DemoService, startDemoService } from '../demo-service.ts'
import { PATIENCE_MS, until } from '../patience.ts'
import { addCleanUp } from '../service.ts'

const IS_SHOWN = 'document.documentElement.dataset.address === location.pathname + location.search'
/** There is no graphics processor to use, and a process less that stands in for it. */
const BROWSER_ARGUMENTS = ['--no-sandbox', '--disable-gpu', '--in-process-gpu']
const LINK_IN_MAIL = /\/auth\/link\?token=[\w-]+/

/** With SLOW_ANSWERS=800 every answer comes up to so many milliseconds late: finds journeys that do not wait for what they read. */
const LATE_BY_MS = Number(process.env.SLOW_ANSWERS ?? 0)

export const DEMO_ORG = 'harbour-bank'

/** How people look at it: on a phone in the dark, at a desk by day. */
export const LOOKS = {
  phone: { viewport: { width: 360, height: 740 }, colorScheme: 'dark' },
  desk: { viewport: { width: 1280, height: 800 }, colorScheme: 'light' },
} as const
export type Look = keyof typeof LOOKS

/** Says on the console what the policy of the page refused. */
const TELL_REFUSALS = `addEventListener('securitypolicyviolation', event =>
  console.error('refused by ' + event.violatedDirective + ': ' + event.blockedURI + ' ' + event.sample))`

export interface Site {
  service: DemoService
  browser: Browser
  /** One more window of somebody at the company, or the first of nobody: a browser knows the app after the first visit. */
  newWindow(look: Look, person?: string): Promise<Watched>
  /** In a browser that has never seen the app. */
  firstWindow(look: Look, person: string): Promise<Watched>
}

export interface Watched {
  page: Page
  context: BrowserContext
  /** What went wrong so far: errors on the console, refusals of the policy, dialogs that nobody asked for. */
  complaints: string[]
}

export async function openSite(env: Record<string, string> = {}): Promise<Site> {
  const [browser, service] = await Promise.all([oneBrowser(), startDemoService(env)])
  const contexts = new Map<string, Promise<BrowserContext>>()
  const newContext = async (look: Look) => {
    // Whoever wants no motion gets the pages at once.
    const calm = { baseURL: service.url, reducedMotion: 'reduce' } as const
    const context = await browser.newContext({ ...calm, ...LOOKS[look] })
    addCleanUp(() => context.close())
    context.setDefaultTimeout(PATIENCE_MS)
    await context.addInitScript(TELL_REFUSALS)
    if (LATE_BY_MS > 0) await answerLate(context)
    return context
  }
  const contextOf = async (look: Look, person: string) => {
    const context = await newContext(look)
    await enterByMail(context, service, `${person}@harbour-bank.example`)
    return context
  }
  /** Once for each person, also when several windows are opened at the same moment. */
  const sharedContext = (look: Look, person: string) => {
    const key = `${person} at the ${look}`
    const context = contexts.get(key) ?? contextOf(look, person)
    contexts.set(key, context)
    return context
  }
  return {
    service,
    browser,
    newWindow: async (look, person) =>
      watch(await (person === undefined ? newContext(look) : sharedContext(look, person))),
    firstWindow: async (look, person) => watch(await contextOf(look, person)),
  }
}

/** Each by another time, so that what was asked first is not answered first. */
async function answerLate(context: BrowserContext): Promise<void> {
  await context.route('**/*', async route => {
    await setTimeout(Math.random() * LATE_BY_MS)
    // The page may be gone by now.
    await route.continue().catch(() => undefined)
  })
}

/** One for all files of a worker, which share no context; it ends with the worker. */
const oneBrowser = once(launch)

async function launch(): Promise<Browser> {
  const executablePath = await findChromium()
  if (executablePath === undefined) throw new Error(NO_CHROMIUM)
  return chromium.launch({ executablePath, args: BROWSER_ARGUMENTS, timeout: PATIENCE_MS })
}

/** One more page of a window. */
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

/** As the two forms would, without their pages. */
async function enterByMail(context: BrowserContext, service: DemoService, address: string): Promise<void> {
  const send = async (path: string, form: Record<string, string>) => {
    const answer = await context.request.post(path, { form, maxRedirects: 0 })
    if (answer.status() >= 400) throw new Error(`${path}: ${answer.status()} ${await answer.text()}`)
  }
  const link = await mailed(service, address, LINK_IN_MAIL, () => send('/auth/link', { email: address }))
  await send('/auth/link/redeem', { token: new URL(link, service.url).searchParams.get('token') ?? '' })
}

/** Asks for a link, reads the mail, presses the button. Ends on the page that was asked for at first. */
export async function signInByMail(page: Page, service: DemoService, address: string): Promise<void> {
  await page.goto(`/sign-in?next=/${DEMO_ORG}`)
  await page.getByLabel('Mail address').fill(address)
  const asking = () => page.getByLabel('Mail address').press('Enter')
  await page.goto(await mailed(service, address, LINK_IN_MAIL, asking))
  await page.getByRole('button', { name: 'Sign in to Waybill' }).click()
  await page.getByRole('navigation', { name: 'Pages' }).waitFor({ state: 'attached' })
}

/** Does what sends a mail to somebody, and answers what is looked for in it. Other mails may arrive meanwhile. */
export async function mailed(
  service: DemoService,
  address: string,
  wanted: RegExp,
  asking: () => Promise<unknown>,
): Promise<string> {
  const mails = join(service.data_dir, 'outbox-mail')
  const before = new Set(mailsIn(mails))
  await asking()
  const arrived = () =>
    mailsIn(mails)
      .filter(name => !before.has(name))
      .map(name => mailIn(mails, name))
      .filter(mail => mail.includes(address))
      .map(mail => wanted.exec(mail)?.[0])
      .find(found => found !== undefined)
  await until(() => arrived() !== undefined)
  return arrived() ?? ''
}

const mailsIn = (folder: string) =>
  existsSync(folder) ? readdirSync(folder).filter(name => name.endsWith('.eml')) : []

/** Without the line breaks that mail puts into long lines. */
const mailIn = (folder: string, name: string) =>
  readFileSync(join(folder, name), 'utf8')
    .replace(/=\r?\n/g, '')
    .replaceAll('=3D', '=')

/** By the address bar, and until nothing is loading any more. */
export async function visit(page: Page, address: string): Promise<void> {
  await page.goto(address)
  await settled(page)
}

/** As a link of the app would: without loading the app again. */
export async function goTo(page: Page, path: string): Promise<void> {
  await page.evaluate(`history.pushState({}, '', ${JSON.stringify(path)})`)
  await settled(page)
}

/** The page on the screen is the one of the address bar, and nothing of it is loading. */
export async function settled(page: Page): Promise<void> {
  await until(() => page.evaluate<boolean>(IS_SHOWN))
  await page.locator('h1').first().waitFor()
  await page.locator('[aria-busy="true"]').first().waitFor({ state: 'detached' })
}

/** Answers the serious ones only: what axe says of all the others is large, and nobody reads it. */
const FIND_PROBLEMS = `axe.run(document, { resultTypes: ['violations'] }).then(({ violations }) =>
  violations
    .filter(({ impact }) => impact === 'serious' || impact === 'critical')
    .flatMap(({ id, nodes }) => nodes.map(({ target, html }) => id + ' at ' + target + ': ' + html)))`

/** The serious ones, each with where it is. */
export async function accessibilityProblems(page: Page): Promise<string[]> {
  if (!(await page.evaluate<boolean>(`'axe' in globalThis`))) await page.evaluate(axe.source)
  const problems = await page.evaluate<string[]>(FIND_PROBLEMS)
  return problems.map(problem => `${new URL(page.url()).pathname}: ${problem}`)
}

/** How many pixels a page is wider than its window. */
export function overflow(page: Page): Promise<number> {
  return page.evaluate<number>('document.documentElement.scrollWidth - innerWidth')
}
