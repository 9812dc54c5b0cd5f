// Decisions that expire: a person sets the last day, and open pages change by themselves when the time comes.
import type { Page } from 'playwright-core'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { addControl, buildControlPolicy, buildDecision } from '../controls.ts'
import { attach, makeEnvironment, putPolicy, report } from '../environments.ts'
import type { TestApp } from '../harness.ts'
import { makeBuild, makeFingerprint, makeFlow } from '../reports.ts'
import { findAccessibilityProblems, type Look, measureOverflow } from './browser.ts'
import { isSamePage, listenAt, openNewWindow, openOnce, openWindow, startTimedWebApp } from './open-app.ts'

const HOUR_MS = 3_600_000

let app: TestApp
let port: number
beforeAll(async () => {
  app = await startTimedWebApp()
  port = await listenAt(app, 0)
  await makeFlow(app, 'build')
  await addControl(app, 'RISK-1')
  await putPolicy(app, 'risk-rules', buildControlPolicy('RISK-1'))
})
afterAll(() => app.stop())

/** Runs with a decision that expires in two hours. */
async function runDecided(name: string, start: string): Promise<void> {
  const build = makeBuild(makeFingerprint(start), { trail_name: name, template_reference_name: 'app' })
  await app.member.post('/artifacts/acme/build', build)
  await makeEnvironment(app, name)
  await attach(app, name, 'risk-rules')
  const expires_at = (app.clock.now().getTime() + 2 * HOUR_MS) / 1000
  const decision = buildDecision('RISK-1', true, { expires_at })
  expect((await app.member.post(`/attestations/acme/build/trail/${name}/system`, decision)).status).toBe(201)
  await report(app, name, start)
  await app.evaluate()
}

async function open(look: Look, path: string): Promise<Page> {
  const { page } = await openNewWindow(app, port, look, 'member')
  await openOnce(page, path)
  return page
}

describe('a decision with a last day', () => {
  it('is recorded in the form, which shows the same as a command', async () => {
    const build = makeBuild(makeFingerprint('c'), { trail_name: 'by-hand', template_reference_name: 'app' })
    await app.member.post('/artifacts/acme/build', build)
    const page = await open('desk', '/acme/controls/RISK-1/decide?flow=build&trail=by-hand')
    await page.getByRole('radio', { name: 'Met', exact: true }).check()
    await page.getByLabel('Last day').fill('2099-12-31')
    await page.getByRole('textbox', { name: 'Reason' }).fill('Accepted until the migration')
    const command = page.getByRole('region', { name: 'The same as a command' })
    expect(await command.innerText()).toMatch(/--expires-at \d{10}/)
    expect(await findAccessibilityProblems(page)).toEqual([])
    await page.getByRole('button', { name: 'Record decision' }).click()
    await page.waitForURL('**/controls/RISK-1')
    const row = page.getByRole('row', { name: /build \/ by-hand/ })
    await row.getByText(/^Expires /).waitFor()
    await row.getByText('Compliant', { exact: true }).waitFor()
  })
})

describe('an open page', () => {
  it.each(['phone', 'desk'] as const)('of a control shows that a decision has expired (%s)', async look => {
    const name = `list-${look}`
    await runDecided(name, look === 'phone' ? 'a1' : 'a2')
    const page = await open(look, '/acme/controls/RISK-1')
    const row = page.getByRole('row', { name: new RegExp(`build / ${name}`) })
    await row.getByText('Expires in 2 hours').waitFor()
    await row.getByText('Compliant', { exact: true }).waitFor()
    // Nothing is evaluated here, so no event announces it.
    app.clock.advance(2 * HOUR_MS)
    await row.getByText('Expired', { exact: true }).waitFor()
    await row.getByText(/^Expired .*(ago|now)$/).waitFor()
    expect(await row.innerText()).not.toMatch(/\bCompliant/)
    expect(await findAccessibilityProblems(page)).toEqual([])
    expect(await measureOverflow(page)).toBeLessThanOrEqual(0)
    await row.getByRole('link').first().click()
    const decision = page.getByRole('dialog', { name: 'Decision' })
    await decision.getByText('Expired', { exact: true }).waitFor()
    expect(await decision.innerText()).toMatch(/Decision\s+Compliant\s+Expiry\s+Expired/)
    await app.evaluate()
  })

  it('of the environment, of the cell and of all cells change when the expiry is handled', async () => {
    await runDecided('watched', 'b')
    const environment = await open('desk', '/acme/environments/watched')
    const cell = await open('desk', '/acme/controls/RISK-1/environments/watched')
    const matrix = await open('desk', '/acme/control-coverage?environment=watched')
    await environment.getByRole('main').getByText('Compliant', { exact: true }).first().waitFor()
    await cell.getByText('1 artifact here meets it.').waitFor()
    await cell.getByText('Expires in 2 hours').waitFor()
    await matrix.getByRole('link', { name: 'Met: RISK-1 in watched' }).waitFor()
    app.clock.advance(2 * HOUR_MS)
    await app.evaluate()
    const why = environment.getByRole('group', { name: 'Why it is not compliant' })
    await why
      .getByText(/decision 'on-RISK-1' for control 'RISK-1' that expired at/)
      .first()
      .waitFor()
    await why.getByRole('link', { name: 'Decide on RISK-1' }).waitFor()
    await environment.getByText(/^Taken .*, after a decision expired$/).waitFor()
    await environment.getByText(/^Decision on-RISK-1 on control RISK-1 expired /).waitFor()
    await cell.getByText('The decision on 1 of 1 artifact here has expired.', { exact: false }).waitFor()
    await matrix.getByRole('link', { name: 'Expired: RISK-1 in watched' }).waitFor()
    for (const page of [environment, cell, matrix]) {
      expect(await isSamePage(page)).toBe(true)
      expect(await findAccessibilityProblems(page)).toEqual([])
    }
  })
})

describe('the overview', () => {
  it.each([
    ['phone', 'member'],
    ['desk', 'reader'],
  ] as const)('lists what expires soon, until somebody decides again (%s, %s)', async (look, role) => {
    const name = `soon-${look}`
    await runDecided(name, look === 'phone' ? 'd1' : 'd2')
    const { page } = await openWindow(app, port, look, role)
    await openOnce(page, '/acme')
    const listed = page.getByRole('region', { name: 'Expiring decisions' }).getByRole('listitem')
    const own = listed.filter({ hasText: name })
    await own
      .getByText(/RISK-1 on build \/ .*, decided by max\. Runs in .* Expires in 2 hours \(.*\)\./)
      .waitFor()
    const again = own.getByRole('link', { name: 'Decide again on RISK-1' })
    expect(await again.count()).toBe(role === 'member' ? 1 : 0)
    if (role === 'member') {
      const href = await again.getAttribute('href')
      expect(href).toContain(`/acme/controls/RISK-1/decide?flow=build&trail=${name}`)
    }
    expect(await findAccessibilityProblems(page)).toEqual([])
    expect(await measureOverflow(page)).toBeLessThanOrEqual(0)
    await app.member.post(`/attestations/acme/build/trail/${name}/system`, buildDecision('RISK-1', true))
    await own.waitFor({ state: 'detached' })
    expect(await isSamePage(page)).toBe(true)
  })
})
