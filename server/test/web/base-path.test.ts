// The web app below a path, in a real browser: signing in, a page, a reload, a change that appears, and the way out.
import { afterAll, beforeAll, expect, it } from 'vitest'
import { readQueuedMails } from '../browser.ts'
import type { TestApp } from '../harness.ts'
import { PATIENCE_MS } from '../patience.ts'
import { addPerson } from '../people.ts'
import { addCleanUp } from '../service.ts'
import { LOOKS, launchOnce, settled, watch } from './browser.ts'
import { isSamePage, listenAt, openOnce, startWebApp } from './open-app.ts'

const PAGE = '/waybill/acme/environments/prod'

let app: TestApp
let port: number
beforeAll(async () => {
  app = await startWebApp({ settings: { WAYBILL_BASE_URL: 'https://tools.example/waybill' } })
  port = await listenAt(app, 0)
  await app.admin.put('/environments/acme', { name: 'prod', type: 'server', description: '' })
  await report('1')
  await addPerson(app, 'mia', 'admin')
})
afterAll(() => app.stop())

const report = (digit: string) =>
  app.admin.put('/environments/acme/prod/report/server', {
    artifacts: [{ digests: { [`app-${digit}`]: digit.repeat(64) }, creationTimestamp: 1_772_539_200 }],
  })

async function readMailedPath(): Promise<string> {
  await expect.poll(async () => (await readQueuedMails(app)).length, { timeout: PATIENCE_MS }).toBe(1)
  const [mail] = await readQueuedMails(app)
  const link = /https:\/\/tools\.example(\/waybill\/auth\/link\?token=[\w-]+)/.exec(mail?.text ?? '')
  return link?.[1] ?? ''
}

it('signs in, opens a page, reloads it, follows changes and signs out, below the path', async () => {
  const browser = await launchOnce()
  const context = await browser.newContext({
    baseURL: `http://127.0.0.1:${port}`,
    reducedMotion: 'reduce',
    ...LOOKS.desk,
  })
  addCleanUp(() => context.close())
  context.setDefaultTimeout(PATIENCE_MS)
  const { page, complaints } = await watch(context)
  const outside: string[] = []
  page.on('request', request => {
    const { pathname } = new URL(request.url())
    if (!pathname.startsWith('/waybill/')) outside.push(pathname)
  })

  await page.goto(PAGE)
  await page.waitForURL(/\/waybill\/sign-in\?/)
  expect(new URL(page.url()).searchParams.get('next')).toBe('/acme/environments/prod')
  // The page has learned that nobody is signed in.
  expect(complaints.splice(0)).toEqual([expect.stringContaining('401')])
  await page.getByLabel('Mail address').fill('mia@example.com')
  await page.getByLabel('Mail address').press('Enter')
  await page.goto(await readMailedPath())
  await page.getByRole('button', { name: 'Sign in to Waybill' }).click()
  await page.getByText('app-1').first().waitFor()
  expect(new URL(page.url()).pathname).toBe(PAGE)

  await page.reload()
  await settled(page)
  await page.getByText('app-1').first().waitFor()
  await openOnce(page, PAGE)
  await report('2')
  await page.getByText('app-2').first().waitFor()
  expect(await isSamePage(page)).toBe(true)

  await page.getByRole('link', { name: 'Flows', exact: true }).click()
  await page.waitForURL(/\/waybill\/acme\/flows/)
  await settled(page)
  expect(await isSamePage(page)).toBe(true)
  await page.getByRole('button', { name: 'mia' }).click()
  await page.getByRole('menuitem', { name: 'Sign out' }).click()
  await page.waitForURL(/\/waybill\/sign-in\?signed_out=1/)
  expect(complaints).toEqual([])
  expect(outside).toEqual([])
  await page.close()
})
