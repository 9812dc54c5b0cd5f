// An admin off-boards a person: the member is removed, their key and their open page stop working at once, and the
// membership log names the admin.
import { afterAll, beforeAll, expect, it } from 'vitest'
import type { TestApp } from '../harness.ts'
import { addPerson } from '../people.ts'
import { findAccessibilityProblems, settled, show } from './browser.ts'
import { listenAt, openNewWindow, openOnce, openWindow, startWebApp } from './open-app.ts'

let app: TestApp
let port: number
beforeAll(async () => {
  app = await startWebApp()
  port = await listenAt(app, 0)
  await app.admin.put('/flows/acme', { name: 'payments-api', description: '' })
})
afterAll(() => app.stop())

it('an admin removes a person, who is out at once, and the log shows it', async () => {
  const leaver = await openNewWindow(app, port, 'phone', 'member')
  const key = await addPerson(app, leaver.name, 'member')
  expect((await key.get('/flows/acme')).status).toBe(200)
  await openOnce(leaver.page, '/acme/flows')
  await leaver.page.getByRole('link', { name: 'payments-api' }).waitFor()

  const admin = await openWindow(app, port, 'desk')
  const { page } = admin
  await openOnce(page, '/acme')
  await page.getByRole('navigation', { name: 'Pages' }).getByRole('link', { name: 'Members' }).click()
  await page.waitForURL('**/acme/settings/members')
  await page.getByRole('button', { name: `Remove ${leaver.name}` }).click()
  const dialog = page.getByRole('dialog')
  await dialog.getByText(`${leaver.name} loses access to acme`).waitFor()
  expect(await findAccessibilityProblems(page)).toEqual([])
  await dialog.getByRole('button', { name: 'Remove', exact: true }).click()
  await page.getByText(`Removed ${leaver.name} from acme`).waitFor()
  await page.getByRole('button', { name: `Remove ${leaver.name}` }).waitFor({ state: 'detached' })

  // At once: neither the key nor the session may wait for a cache.
  expect((await key.get('/flows/acme')).status).toBe(403)
  expect((await key.put('/flows/acme', { name: 'sabotage', description: '' })).status).toBe(403)
  const cookie = await leaver.page.request.get('/api/v2/flows/acme')
  expect([401, 403]).toContain(cookie.status())
  // The open page learns it by itself, and shows nothing of the organization any more.
  await leaver.page.getByRole('link', { name: 'payments-api' }).waitFor({ state: 'detached' })

  await show(page, '/acme/settings/members/audit-log')
  const row = page.getByRole('row').filter({ hasText: leaver.name }).first()
  await row.getByText('removed', { exact: true }).waitFor()
  await row.getByText(admin.name).waitFor()
  await settled(page)
  expect(await findAccessibilityProblems(page)).toEqual([])
  expect(admin.complaints).toEqual([])
})
