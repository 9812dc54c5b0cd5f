// An on-call engineer gets a message that production is red, opens its link, finds why and what fixes it. The evidence
// arrives through the API, and the page turns green by itself.
import { afterAll, beforeAll, expect, it } from 'vitest'
import { buildEnvironmentPageUrl } from '../../src/domain/notification/addresses.ts'
import { attach, buildPolicyRequiring, makeEnvironment, putPolicy, report } from '../environments.ts'
import { BASE_URL, type TestApp } from '../harness.ts'
import { MAIL, makeNotification, takeMessages } from '../notifications.ts'
import { makeBuild, makeFingerprint, makeFlow, nameTrail } from '../reports.ts'
import { findAccessibilityProblems, settled } from './browser.ts'
import { isSamePage, listenAt, openOnce, openWindow, startWebApp } from './open-app.ts'

const TEMPLATE = `version: 1
trail:
  artifacts:
    - name: image
      attestations:
        - name: tests
          type: generic
`

let app: TestApp
let port: number
beforeAll(async () => {
  app = await startWebApp()
  port = await listenAt(app, 0)
  await makeFlow(app, 'web', TEMPLATE)
  await app.member.put('/trails/acme/web', { name: 'release-1' })
  await app.member.post('/artifacts/acme/web', makeBuild(makeFingerprint('a1'), nameTrail('release-1')))
  await makeEnvironment(app, 'production')
  await putPolicy(app, 'strict', buildPolicyRequiring('tests'))
  await attach(app, 'production', 'strict')
  await makeNotification(app, {
    environments: ['production'],
    triggers: ['ON_NON_COMPLIANT_ENV'],
    targets: [MAIL],
  })
})
afterAll(() => app.stop())

it('on-call follows the link of a message to the reason and the command, and the page turns green by itself', async () => {
  await report(app, 'production', 'a1')
  await app.evaluate()
  const [message] = await takeMessages(app)
  expect(message).toMatchObject({ type: 'EMAIL', event_type: 'NON_COMPLIANT_ENV' })
  const link = message ? buildEnvironmentPageUrl(message.notice, BASE_URL) : ''

  const { page, complaints } = await openWindow(app, port, 'desk', 'member')
  await openOnce(page, link.slice(BASE_URL.length))
  const reasons = page.getByRole('group', { name: 'Why it is not compliant' })
  await reasons.getByText("has no 'tests' attestation").first().waitFor()
  expect(await findAccessibilityProblems(page)).toEqual([])
  await reasons.getByRole('link', { name: 'release-1' }).first().click()
  await page.waitForURL('**/flows/web/trails/release-1**')
  await settled(page)
  const offer = page.getByRole('group').filter({ hasText: 'Command that reports tests' })
  await offer.getByText('Command that reports').click()
  const [command = ''] = await offer.locator('pre').allInnerTexts()
  expect(command).toContain('waybill attest generic')
  expect(command).toContain('release-1')

  await page.getByRole('navigation', { name: 'Pages' }).getByRole('link', { name: 'Environments' }).click()
  await page.getByRole('main').getByRole('link', { name: 'production', exact: true }).click()
  await page.waitForURL('**/environments/production')
  await settled(page)
  await reasons.first().waitFor()
  // What the command sends once the tool has run.
  const sent = await app.member.post('/attestations/acme/web/trail/release-1/generic', {
    attestation_name: 'tests',
    artifact_fingerprint: makeFingerprint('a1'),
    is_compliant: true,
  })
  expect(sent.status).toBe(201)
  await app.evaluate()
  await reasons.waitFor({ state: 'detached' })
  await page.getByRole('main').getByText('Compliant', { exact: true }).first().waitFor()
  expect(await isSamePage(page)).toBe(true)
  expect(complaints).toEqual([])
  await page.close()
})
