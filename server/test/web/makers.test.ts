// An admin who had a service account and a SCIM token is demoted and removed: the dialogs say before what will change,
// the pages say afterwards what did, and another admin adopts the token.
import { afterAll, beforeAll, expect, it } from 'vitest'
import type { TestApp } from '../harness.ts'
import { addPerson } from '../people.ts'
import { findAccessibilityProblems, measureOverflow, settled, show } from './browser.ts'
import { listenAt, openWindow, startWebApp } from './open-app.ts'

const DAY_S = 86_400

let app: TestApp
let port: number
let token_id: string
beforeAll(async () => {
  app = await startWebApp()
  port = await listenAt(app, 0)
  const maker = await addPerson(app, 'maker', 'admin')
  await maker.post('/service-accounts/acme', { name: 'deployer', privilege: 'admin' })
  const expires_at = app.clock.now().getTime() / 1000 + 9 * DAY_S
  const keys = '/service-accounts/acme/deployer/api-keys'
  await maker.post(keys, { description: 'nine days', expires_at })
  await maker.post(keys, { description: 'no expiry' })
  token_id = (await maker.post('/scim-tokens/acme', { description: 'directory' })).body.id
})
afterAll(() => app.stop())

it('the dialogs of a demotion and a removal say what will change, and the pages what has', async () => {
  const { page, complaints } = await openWindow(app, port, 'desk')
  await show(page, '/acme/settings/members')
  await page.getByLabel('Role of maker', { exact: true }).selectOption('member')
  await page.getByRole('button', { name: 'Change role of maker' }).click()
  const dialog = page.getByRole('dialog')
  await dialog.getByText('The service account deployer acts as member, at once.').waitFor()
  await dialog.getByText('The SCIM token “directory” stops working at once').waitFor()
  expect(await findAccessibilityProblems(page)).toEqual([])
  await dialog.getByRole('button', { name: 'Change role' }).click()
  await page.getByText('Changed the role of maker to member').waitFor()

  await page.getByRole('button', { name: 'Remove maker' }).click()
  await dialog
    .getByText('The keys of the service account deployer stop working in 7 days unless an admin')
    .waitFor()
  await dialog.getByRole('button', { name: 'Remove', exact: true }).click()
  await page.getByText('Removed maker from acme').waitFor()

  await show(page, '/acme/settings/service-accounts')
  await page.getByText('acts as member').waitFor()
  await show(page, '/acme/settings/service-accounts/deployer')
  await page.getByText('It acts as member, because its owner has left.').waitFor()
  for (const key of ['nine days', 'no expiry']) {
    const row = page.getByRole('row').filter({ hasText: key })
    await row.getByText('in 7 days').waitFor()
    await row.getByText('Its owner has left').waitFor()
  }
  await settled(page)
  expect(await findAccessibilityProblems(page)).toEqual([])
  expect(complaints).toEqual([])
})

it('an admin adopts the token of somebody who is none any more', async () => {
  const { page, complaints, name } = await openWindow(app, port, 'phone')
  await show(page, '/acme/settings/scim-tokens')
  await page.getByText('Stopped', { exact: true }).waitFor()
  expect(await measureOverflow(page)).toBeLessThanOrEqual(0)
  await page.getByRole('button', { name: /^Adopt directory/ }).click()
  const dialog = page.getByRole('dialog')
  await dialog.getByText('if maker may have kept it, create another token instead').waitFor()
  expect(await findAccessibilityProblems(page)).toEqual([])
  await dialog.getByRole('button', { name: 'Adopt', exact: true }).click()
  await page.getByText('Adopted the token').waitFor()
  await page.getByText('Stopped', { exact: true }).waitFor({ state: 'detached' })
  const [token] = (await app.admin.get('/scim-tokens/acme')).body
  expect(token).toMatchObject({ id: token_id, owner: name, is_in_force: true })
  expect(complaints).toEqual([])
})
