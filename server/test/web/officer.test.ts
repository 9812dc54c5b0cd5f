// A compliance officer decides: finds a control without a decision, decides with a reason, and sees the environment change.
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { attach, makeEnvironment, putPolicy, report } from '../environments.ts'
import type { TestApp } from '../harness.ts'
import { makeBuild, makeFingerprint, makeFlow } from '../reports.ts'
import { findAccessibilityProblems, measureOverflow, settled } from './browser.ts'
import { isSamePage, listenAt, openOnce, openWindow, startWebApp } from './open-app.ts'

const POLICY = `_schema: https://waybill.example/schemas/policy/environment/v1
artifacts:
  attestations:
    - type: decision
      for_control: REL-1
`

let app: TestApp
let port: number
beforeAll(async () => {
  app = await startWebApp()
  port = await listenAt(app, 0)
  await makeFlow(app, 'build')
  const build = makeBuild(makeFingerprint('a'), { trail_name: 'one', template_reference_name: 'app' })
  await app.member.post('/artifacts/acme/build', build)
  await app.admin.post('/controls/acme', { identifier: 'REL-1', name: 'A person releases' })
  await makeEnvironment(app, 'production')
  await putPolicy(app, 'release-rules', POLICY)
  await attach(app, 'production', 'release-rules')
  await report(app, 'production', 'a')
  await app.evaluate()
})
afterAll(() => app.stop())

describe('a compliance officer', () => {
  it('decides on the control that makes an environment red, and sees it turn green', async () => {
    const { page, complaints } = await openWindow(app, port, 'desk', 'member')
    await openOnce(page, '/acme/environments/production')
    await page
      .getByRole('group', { name: 'Why it is not compliant' })
      .getByRole('link', { name: 'Decide on REL-1' })
      .click()
    await page.waitForURL('**/controls/REL-1/decide**')
    await settled(page)
    await page.getByRole('button', { name: 'Record decision' }).click()
    await page.getByText('Enter a reason').waitFor()
    await page.getByText('Choose one').waitFor()
    await page.getByRole('radio', { name: 'Met', exact: true }).press('Space')
    await page.getByRole('textbox', { name: 'Reason' }).fill('Reviewed with the release team')
    const command = page.getByRole('region', { name: 'The same as a command' })
    expect(await command.innerText()).toContain('--control REL-1')
    expect(await findAccessibilityProblems(page)).toEqual([])
    await page.getByRole('button', { name: 'Record decision' }).click()
    await page.waitForURL('**/controls/REL-1')
    await page.getByText('Recorded the decision on REL-1').waitFor()
    await page.getByRole('row', { name: /Compliant.*build \/ one/ }).waitFor()
    await page.getByRole('navigation', { name: 'Pages' }).getByRole('link', { name: 'Environments' }).click()
    await page.getByRole('main').getByRole('link', { name: 'production', exact: true }).click()
    await page.waitForURL('**/environments/production')
    await app.evaluate()
    await page.getByRole('group', { name: 'Why it is not compliant' }).waitFor({ state: 'detached' })
    await page.getByRole('main').getByText('Compliant', { exact: true }).first().waitFor()
    expect(await isSamePage(page)).toBe(true)
    expect(complaints).toEqual([])
  })

  it('finds a control without a decision, and chooses what the decision is about', async () => {
    await app.admin.post('/controls/acme', { identifier: 'REL-2', name: 'Two people review' })
    const { page, complaints } = await openWindow(app, port, 'phone', 'member')
    await openOnce(page, '/acme/controls/REL-2')
    await page.getByText('No decisions found').waitFor()
    await page.getByRole('link', { name: 'Record a decision' }).click()
    await page.waitForURL('**/decide')
    await page.getByRole('combobox', { name: 'Flow' }).click()
    await page.getByRole('option', { name: 'build' }).click()
    await page.getByRole('combobox', { name: 'Trail' }).click()
    await page.getByRole('option', { name: 'one' }).click()
    await page.getByRole('radio', { name: 'Not met' }).check()
    await page.getByRole('textbox', { name: 'Reason' }).fill('Only one person looked at it')
    expect(await measureOverflow(page)).toBeLessThanOrEqual(0)
    expect(await findAccessibilityProblems(page)).toEqual([])
    await page.getByRole('button', { name: 'Record decision' }).click()
    await page.waitForURL('**/controls/REL-2')
    await page.getByRole('row', { name: /Non-compliant.*the trail/ }).waitFor()
    expect(complaints).toEqual([])
  })
})
