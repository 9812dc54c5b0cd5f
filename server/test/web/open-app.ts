// A real browser in front of an application whose clock the test moves, with an empty organization: for tests about time
// and about a server that comes and goes.
import { join } from 'node:path'
import type { BrowserContext, Page } from 'playwright-core'
import { root } from '../../../scripts/run/prepare.mjs'
import type { TimeLimits } from '../../src/app.ts'
import { readWebApp } from '../../src/http/web-app.ts'
import { systemClock } from '../../src/lib/clock.ts'
import { insertSession } from '../browser.ts'
import { startTestApp, type TestApp, type TestOptions } from '../harness.ts'
import { addPerson } from '../people.ts'
import {
  closeAfterTest,
  enter,
  keepWindows,
  type Look,
  launchOnce,
  openCalmContext,
  show,
  type Watched,
  watch,
} from './browser.ts'

/** Heartbeats cost every open page time. */
const TIMES = { poll_ms: 50, beat_ms: 5_000 }
/** Pages soon learn that the clock was moved. */
const TIMES_OF_MOVED_CLOCK = { poll_ms: 50, beat_ms: 200 }

export const startWebApp = (options: TestOptions = {}) => startApp(TIMES, options)

/** For tests that move the clock while pages are open. */
export const startTimedWebApp = (options: TestOptions = {}) => startApp(TIMES_OF_MOVED_CLOCK, options)

function startApp(streams: TimeLimits['streams'], options: TestOptions): Promise<TestApp> {
  const web_app = readWebApp(join(root, 'server', 'dist', 'web'))
  return startTestApp({ web_app, time_limits: { streams }, ...options })
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

type Role = 'admin' | 'member' | 'auditor' | 'reader'

export interface NamedWindow extends Watched {
  /** Name of the signed-in person. */
  name: string
}

const windows = new WeakMap<TestApp, ReturnType<typeof keepWindows>>()

/**
 * The window in which a member of acme, by default an admin, goes on from test to test: for tests that leave nothing
 * unsaved.
 */
export function openWindow(
  app: TestApp,
  port: number,
  look: Look,
  role: Role = 'admin',
): Promise<NamedWindow> {
  const reuse = windows.get(app) ?? keepWindows('/acme/search')
  windows.set(app, reuse)
  return reuse(`${role} ${look} ${port}`, () => openForVisitor(app, port, look, role))
}

/** A window of a new member, with an empty cache. It closes after the test. */
export const openNewWindow = async (
  app: TestApp,
  port: number,
  look: Look,
  role: Role = 'admin',
): Promise<NamedWindow> => closeAfterTest(await openForVisitor(app, port, look, role))

let people = 0

async function openForVisitor(app: TestApp, port: number, look: Look, role: Role): Promise<NamedWindow> {
  people += 1
  const name = `visitor-${people}`
  await addPerson(app, name, role)
  const context = await openCalmContext(await launchOnce(), `http://127.0.0.1:${port}`, look)
  await signIn(app, context, name)
  return { ...(await watch(context)), name }
}

/** Gives all windows of the context a new session. */
export async function signIn(app: TestApp, context: BrowserContext, name: string): Promise<void> {
  await enter(context, await insertSession(app, name))
}

/** Opens a page and marks it, so that `isSamePage` tells whether it was loaded again. */
export async function openOnce(page: Page, path: string): Promise<void> {
  await show(page, path)
  await page.evaluate('globalThis.isSamePage = true')
}

export const isSamePage = (page: Page) => page.evaluate<boolean>('globalThis.isSamePage === true')
