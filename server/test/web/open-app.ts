// A real browser in front of an application whose clock the test moves, with an empty organization: for tests about time
// and about a server that comes and goes.
import { join } from 'node:path'
import type { BrowserContext, Page } from 'playwright-core'
import { root } from '../../../scripts/run/prepare.mjs'
import { readWebApp } from '../../src/http/web-app.ts'
import { systemClock } from '../../src/lib/clock.ts'
import { SESSION_COOKIE } from '../../src/lib/session-token.ts'
import { insertSession } from '../browser.ts'
import { startTestApp, type TestApp, type TestOptions } from '../harness.ts'
import { PATIENCE_MS } from '../patience.ts'
import { addPerson } from '../people.ts'
import { addCleanUp } from '../service.ts'
import { LOOKS, type Look, launchOnce, settled, type Watched, watch } from './browser.ts'

/** Heartbeats are frequent, so that pages soon learn that the clock was moved. */
const TIMES = { poll_ms: 20, beat_ms: 50 }

export function startWebApp(options: TestOptions = {}): Promise<TestApp> {
  const web_app = readWebApp(join(root, 'server', 'dist', 'web'))
  return startTestApp({ web_app, time_limits: { streams: TIMES }, ...options })
}

export async function listenAt(app: TestApp, port: number): Promise<number> {
  const address = await app.server.listen({ host: '127.0.0.1', port })
  return Number(new URL(address).port)
}

const AHEAD_MS = 60 * 60 * 1000

/** For commands of the command line, which say when they ran: the time of the service is after that, however slow a test is. */
export function passTimeOfMachine(app: TestApp): void {
  app.clock.advance(systemClock.now().getTime() + AHEAD_MS - app.clock.now().getTime())
}

let people = 0

/** A window of a new member of acme, by default an admin. */
export async function openWindow(
  app: TestApp,
  port: number,
  look: Look,
  role: 'admin' | 'member' | 'auditor' | 'reader' = 'admin',
): Promise<Watched & { name: string }> {
  people += 1
  const name = `visitor-${people}`
  await addPerson(app, name, role)
  const browser = await launchOnce()
  const baseURL = `http://127.0.0.1:${port}`
  const context = await browser.newContext({ baseURL, reducedMotion: 'reduce', ...LOOKS[look] })
  addCleanUp(() => context.close())
  await signIn(app, context, name)
  context.setDefaultTimeout(PATIENCE_MS)
  return { ...(await watch(context)), name }
}

/** Gives all windows of the context a new session. */
export async function signIn(app: TestApp, context: BrowserContext, name: string): Promise<void> {
  const value = await insertSession(app, name)
  // Browsers accept such a cookie from an https address only, and send it to this machine without.
  const url = 'https://127.0.0.1'
  await context.addCookies([
    { name: SESSION_COOKIE, value, url, secure: true, httpOnly: true, sameSite: 'Lax' },
  ])
}

/** Opens a page and marks it, so that `isSamePage` tells whether it was loaded again. */
export async function openOnce(page: Page, path: string): Promise<void> {
  await page.goto(path)
  await settled(page)
  await page.evaluate('globalThis.isSamePage = true')
}

export const isSamePage = (page: Page) => page.evaluate<boolean>('globalThis.isSamePage === true')
