// From a message to green: an on-call engineer signs in, and the overview, the environment and the trail say why production is
// red and which evidence is missing. It arrives through the API, and the page turns green by itself.
import type { Page } from 'playwright-core'
import { beforeAll, expect, it } from 'vitest'
import { buildEnvironmentPageUrl } from '../../src/domain/notification/addresses.ts'
import { attach, buildPolicyRequiring, makeEnvironment, putPolicy, report } from '../environments.ts'
import { BASE_URL } from '../harness.ts'
import { MAIL, makeNotification, takeMessages } from '../notifications.ts'
import { tokenFor } from '../people.ts'
import { makeBuild, makeFingerprint, makeFlow, nameTrail } from '../reports.ts'
import { findAccessibilityProblems, LOOKS, measureOverflow, settled } from './browser.ts'
import { type Company, must, ORG, openCompany } from './company.ts'
import { isSamePage, openOnce } from './open-app.ts'

const TEMPLATE = `version: 1
trail:
  artifacts:
    - name: image
      attestations:
        - name: tests
          type: generic
`

let company: Company
beforeAll(async () => {
  company = await openCompany()
  const { app } = company
  await makeFlow(app, 'web', TEMPLATE)
  must(await app.member.put(`/trails/${ORG}/web`, { name: 'release-1' }))
  must(
    await app.member.post(`/artifacts/${ORG}/web`, makeBuild(makeFingerprint('a1'), nameTrail('release-1'))),
  )
  must(await makeEnvironment(app, 'production'))
  must(await putPolicy(app, 'strict', buildPolicyRequiring('tests')))
  must(await attach(app, 'production', 'strict'))
  await makeNotification(app, {
    environments: ['production'],
    triggers: ['ON_NON_COMPLIANT_ENV'],
    targets: [MAIL],
  })
  must(await report(app, 'production', 'a1'))
  await app.evaluate()
})

/** Checks both looks. */
async function expectSound(page: Page): Promise<void> {
  for (const { viewport, colorScheme } of [LOOKS.phone, LOOKS.desk]) {
    await page.setViewportSize(viewport)
    await page.emulateMedia({ colorScheme })
    await settled(page)
    expect(await measureOverflow(page)).toBeLessThanOrEqual(0)
    expect(await findAccessibilityProblems(page, 'whole')).toEqual([])
  }
}

const getMain = (page: Page) => page.getByRole('main')
const getReasons = (page: Page) => page.getByRole('group', { name: 'Why it is not compliant' })

it('on-call signs in, finds the reason and the missing evidence, and sees production turn green', async () => {
  const { app } = company
  const [message] = await takeMessages(app)
  expect(message).toMatchObject({ type: 'EMAIL', event_type: 'NON_COMPLIANT_ENV' })
  const link = message ? buildEnvironmentPageUrl(message.notice, BASE_URL).slice(BASE_URL.length) : ''

  const { page, complaints } = await company.newWindow('desk')
  await signIn(page, link)
  await getReasons(page).getByText("has no 'tests' attestation").first().waitFor()
  await openOnce(page, `/${ORG}`)
  const card = page.getByRole('article', { name: 'production' })
  expect(await card.innerText()).toContain('Non-compliant')
  await expectSound(page)

  await card.getByRole('link', { name: 'production' }).click()
  await page.waitForURL('**/environments/production')
  await getReasons(page).getByText("has no 'tests' attestation").first().waitFor()
  await settled(page)
  await expectSound(page)

  await getReasons(page).getByRole('link', { name: 'release-1' }).first().click()
  await page.waitForURL('**/flows/web/trails/release-1**')
  await settled(page)
  await page.getByRole('row', { name: /tests/ }).getByText('Missing').waitFor()
  const offer = page.getByRole('group').filter({ hasText: 'Command that reports tests' })
  await offer.getByText('Command that reports').click()
  const [command = ''] = await offer.locator('pre').allInnerTexts()
  expect(command).toContain('waybill attest generic')
  expect(command).toContain('release-1')
  await expectSound(page)

  await page.getByRole('navigation', { name: 'Pages' }).getByRole('link', { name: 'Environments' }).click()
  await getMain(page).getByRole('link', { name: 'production', exact: true }).click()
  await page.waitForURL('**/environments/production')
  await settled(page)
  await getReasons(page).first().waitFor()
  // The same request as the command's, once the tool has run.
  const evidence = {
    attestation_name: 'tests',
    artifact_fingerprint: makeFingerprint('a1'),
    is_compliant: true,
  }
  must(await app.member.post(`/attestations/${ORG}/web/trail/release-1/generic`, evidence))
  await app.evaluate()
  await getReasons(page).waitFor({ state: 'detached' })
  await getMain(page).getByText('Compliant', { exact: true }).first().waitFor()
  expect(await isSamePage(page)).toBe(true)
  // Nobody was signed in at first.
  expect(complaints.filter(text => !text.includes('401'))).toEqual([])
})

/** With a mailed link, which leads to the page that was asked for first. */
async function signIn(page: Page, link: string): Promise<void> {
  const address = 'teo@example.com'
  await page.goto(link)
  await page.waitForURL('**/sign-in?**')
  expect(new URL(page.url()).searchParams.get('next')).toBe(link)
  await page.getByLabel('Mail address').fill(address)
  await page.getByLabel('Mail address').press('Enter')
  await expect.poll(() => tokenFor(company.app, address)).not.toBe('')
  await page.goto(`/auth/link?token=${await tokenFor(company.app, address)}`)
  await page.getByRole('button', { name: 'Sign in to Waybill' }).click()
  await page.waitForURL(`**${link}`)
  await settled(page)
}
