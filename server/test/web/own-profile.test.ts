// What belongs to a person and to no organization: the list of their organizations with states, their name, and their mail
// address with its proof. Also the list of repositories with state and activity.
import type { Page } from 'playwright-core'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import type { TestApp } from '../harness.ts'
import { addPerson, listQueuedMails, tokenFor } from '../people.ts'
import { makeBuild, makeFingerprint, makeFlow, nameTrail } from '../reports.ts'
import { findAccessibilityProblems, LOOKS, type Look, measureOverflow, settled, show } from './browser.ts'
import { isSamePage, listenAt, openNewWindow, openOnce, startTimedWebApp } from './open-app.ts'

const REPO = { id: '311', name: 'acme/backend', url: 'https://git.example/acme/backend' }
const looks = Object.keys(LOOKS) as Look[]

let app: TestApp
let port: number
beforeAll(async () => {
  app = await startTimedWebApp()
  port = await listenAt(app, 0)
})

afterAll(() => app.stop())

const setState = (name: string, state: boolean | null) =>
  app.sql('update environments set state = $2, last_reported_at = $3 where name = $1', [
    name,
    state,
    app.clock.now(),
  ])
const findCard = (page: Page, org: string) => page.getByRole('article', { name: org, exact: true })

async function expectGoodPage(page: Page): Promise<void> {
  expect(await findAccessibilityProblems(page)).toEqual([])
  expect(await measureOverflow(page)).toBe(0)
}

describe('what belongs to a person', () => {
  it('the list of organizations shows the state of each, and follows it without a reload', async () => {
    const { page, complaints, name } = await openNewWindow(app, port, 'desk')
    const client = await addPerson(app, name, 'admin')
    const second = `second-${name}`
    expect((await client.post('/organizations', { name: second })).status).toBe(201)
    for (const env of ['prod', 'stage', 'test']) {
      await client.put('/environments/acme', { name: `${env}-${name}`, type: 'server' })
      await setState(`${env}-${name}`, env !== 'prod')
    }
    await openOnce(page, '/')
    const acme = findCard(page, 'acme')
    await acme.getByText('1 non-compliant').waitFor()
    await acme.getByText('2 compliant').waitFor()
    await acme.getByText('Last activity').waitFor()
    await findCard(page, second).getByText('No environments yet').waitFor()
    await findCard(page, name).getByText('personal', { exact: true }).waitFor()
    expect(await page.getByRole('article').count()).toBe(3)
    await expectGoodPage(page)
    await setState(`prod-${name}`, true)
    await acme.getByText('3 compliant').waitFor()
    expect(await isSamePage(page)).toBe(true)
    for (const env of ['prod', 'stage', 'test']) await client.put(`/environments/acme/${env}-${name}/archive`)
    expect(complaints).toEqual([])
  })

  it('people set their name, and an address that they prove by its link', async () => {
    const { page, context, complaints, name } = await openNewWindow(app, port, 'phone', 'reader')
    const to = `${name}@new.example`
    await show(page, '/acme/profile')
    await page.getByLabel('Name that others see').fill('Ada Lovelace')
    await page.getByRole('button', { name: 'Save name' }).click()
    await page.getByRole('heading', { name: 'Ada Lovelace', level: 1 }).waitFor()
    await page.getByLabel('New mail address').fill('no address')
    await page.getByRole('button', { name: 'Send link' }).click()
    await page.locator('[aria-invalid="true"]').waitFor()
    await page.getByLabel('New mail address').fill(to)
    await page.getByRole('button', { name: 'Send link' }).click()
    await page.getByText(`We have sent a link to ${to}.`).waitFor()
    expect(await page.getByLabel('New mail address').inputValue()).toBe('')
    await expectGoodPage(page)
    const proof = await context.newPage()
    await proof.goto(`/auth/address?token=${await tokenFor(app, to)}`)
    await proof.getByText(name).waitFor()
    await proof.getByRole('button', { name: 'Use this address' }).click()
    await proof.getByRole('heading', { name: 'Your mail address has changed' }).waitFor()
    await proof.close()
    // The open page asks again by itself; the clock of this server stands still unless a test moves it.
    app.clock.advance(10_000)
    await page.getByText(to, { exact: true }).waitFor()
    await page.getByText('We have sent a link').waitFor({ state: 'detached' })
    expect((await listQueuedMails(app)).at(-1)).toMatchObject({ to: `${name}@example.com` })
    expect(complaints).toEqual([expect.stringContaining('400')])
  })
})

it('an address from single sign-on is marked, and cannot be changed', async () => {
  const { page, complaints, name } = await openNewWindow(app, port, 'desk', 'reader')
  await app.sql(
    `insert into identities (issuer, subject, user_id, created_at, last_seen_at)
     select 'https://idp.example', name, user_id, now(), now() from users where name = $1`,
    [name],
  )
  await show(page, '/acme/profile')
  await page.getByText('It comes with single sign-on.').waitFor()
  expect(await page.getByLabel('New mail address').count()).toBe(0)
  expect(complaints).toEqual([])
})

it.each(looks)('repositories show the newest trail and what runs, at the %s', async look => {
  const fingerprint = makeFingerprint('a')
  await makeFlow(app, 'built')
  await app.member.put('/trails/acme/built', { name: 'release-7', repo_info: REPO })
  await app.member.post(
    '/artifacts/acme/built',
    makeBuild(fingerprint, { ...nameTrail('release-7'), repo_info: REPO }),
  )
  await app.member.put('/environments/acme', { name: 'runs-it', type: 'server' })
  await app.member.put('/environments/acme/runs-it/report/server', {
    artifacts: [{ creationTimestamp: 1, digests: { 'app:1': fingerprint } }],
  })
  await app.sql('update running_artifacts set compliant = false')
  const { page, complaints } = await openNewWindow(app, port, look, 'reader')
  await show(page, '/acme/repos')
  const row = page.getByRole('row').filter({ hasText: 'acme/backend' })
  await row.getByText('Compliant by template').waitFor()
  await row.getByText('1 non-compliant').waitFor()
  await row.getByText('by policies, in 1 environment').waitFor()
  await expectGoodPage(page)
  await row.getByRole('link', { name: 'release-7' }).click()
  await page.waitForURL('**/acme/flows/built/trails/release-7*')
  await settled(page)
  expect(complaints).toEqual([])
})
