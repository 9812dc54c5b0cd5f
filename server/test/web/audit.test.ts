// The auditor's day: events as sentences, filters that suggest, permanent addresses and files.
import { readFile, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { gunzipSync, gzipSync } from 'node:zlib'
import type { Page } from 'playwright-core'
import { beforeAll, describe, expect, it } from 'vitest'
import { makeEnvironment } from '../environments.ts'
import { makeScratchFolder, runProgram } from '../service.ts'
import {
  DEMO_ORG,
  findAccessibilityProblems,
  measureOverflow,
  openSharedSite,
  type Site,
  settled,
  show,
} from './browser.ts'
import { must, ORG, openCompany } from './company.ts'
import { passTimeOfMachine } from './open-app.ts'

const EVENTS = `/${DEMO_ORG}/settings/audit-events`

let site: Site
beforeAll(async () => {
  site = await openSharedSite()
})

async function download(page: Page, name: string): Promise<string> {
  const waiting = page.waitForEvent('download')
  await page.getByRole('link', { name, exact: true }).click()
  return readFile(await (await waiting).path(), 'utf8')
}

describe('an auditor', () => {
  it('reads events as sentences whose names lead to their pages', async () => {
    const { page, complaints } = await site.sameWindow('desk', 'odile')
    await show(page, `${EVENTS}?kind=policy_attached`)
    const row = page.getByRole('row', { name: /mara attached policy live-rules to environment production/ })
    await row.first().getByRole('link', { name: 'production', exact: true }).click()
    await page.getByRole('heading', { name: 'production', level: 1 }).waitFor()
    await page.goBack()
    await row.first().getByRole('link', { name: 'live-rules', exact: true }).click()
    await page.getByRole('heading', { name: 'live-rules', level: 1 }).waitFor()
    expect(complaints).toEqual([])
  })

  it('sees on the overview what was changed, in the same words', async () => {
    const { app, newWindow } = await openCompany()
    // The page asks for the last day of this machine's calendar.
    passTimeOfMachine(app)
    must(await makeEnvironment(app, 'audited'))
    const { page, complaints } = await newWindow('desk', 'odile')
    await show(page, `/${ORG}`)
    const changes = page.locator('section').filter({ hasText: 'Changes in the last day' })
    const change = changes.getByRole('listitem').filter({ hasText: 'created environment audited' })
    await change.getByRole('link', { name: 'audited', exact: true }).click()
    await page.getByRole('heading', { name: 'audited', level: 1 }).waitFor()
    await page.goBack()
    await changes.getByRole('link', { name: 'View all events' }).click()
    await page.waitForURL(`**/${ORG}/settings/audit-events`)
    expect(complaints).toEqual([])
  })

  it('chooses filters from suggestions, by keyboard alone', async () => {
    const { page, complaints } = await site.sameWindow('desk', 'odile')
    await show(page, EVENTS)
    await page.getByRole('combobox', { name: 'Environment', exact: true }).focus()
    await page.keyboard.type('produc')
    await page.getByRole('option', { name: 'production', exact: true }).waitFor()
    await page.keyboard.press('ArrowDown')
    await page.keyboard.press('Enter')
    await page.waitForURL(/environment_name=production/)
    await page.getByRole('combobox', { name: 'Event', exact: true }).focus()
    await page.keyboard.type('policy att')
    await page.getByRole('option', { name: 'policy attached' }).waitFor()
    await page.keyboard.press('ArrowDown')
    await page.keyboard.press('Enter')
    await page.waitForURL(/kind=.*policy_attached/)
    await page.keyboard.press('Escape')
    await expect.poll(() => page.getByRole('row').count()).toBe(2)
    await settled(page)
    expect(await findAccessibilityProblems(page)).toEqual([])
    expect(complaints).toEqual([])
  })

  it('opens an event at its own address, which somebody else can open too', async () => {
    const { page, complaints } = await site.sameWindow('desk', 'odile')
    await show(page, `${EVENTS}?kind=environment_created`)
    await page.getByRole('link', { name: /^Open: mara created environment production/ }).click()
    await page.waitForURL(/audit-events\/[0-9a-f-]{32}$/)
    await page.getByText('mara created environment production').waitFor()
    expect(await findAccessibilityProblems(page)).toEqual([])
    const { pathname } = new URL(page.url())
    const mara = await site.sameWindow('phone', 'mara')
    await show(mara.page, pathname)
    await mara.page.getByText('mara created environment production').waitFor()
    expect(await measureOverflow(mara.page)).toBeLessThanOrEqual(0)
    await show(mara.page, `${EVENTS}/no-such-event`)
    await mara.page.getByText("Event 'no-such-event' does not exist").waitFor()
    expect(complaints).toEqual([])
  })

  it('gets everything that matches as CSV and as JSON, not one page', async () => {
    const { page } = await site.sameWindow('desk', 'odile')
    await show(page, `${EVENTS}?kind=snapshot_taken&per_page=15`)
    const csv = (await download(page, 'Download as CSV')).trim().split('\n')
    expect(csv.length).toBeGreaterThan(16)
    expect(csv[1]).toMatch(/^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d\.\d{3}Z,/)
    const { events } = JSON.parse(await download(page, 'Download as JSON'))
    expect(events).toHaveLength(csv.length - 1)
    await show(page, `/${DEMO_ORG}/settings/members/audit-log`)
    const members = JSON.parse(await download(page, 'Download as JSON'))
    expect(members.events.length).toBeGreaterThan(3)
  })
})

describe('a reader', () => {
  it('sees neither the list nor an event', async () => {
    const { page } = await site.sameWindow('desk', 'ines')
    await show(page, `${EVENTS}/anything`)
    await page.getByText(/Only .*admins.* can see events/).waitFor()
  })
})

describe('an auditor with a package', () => {
  it('downloads it from the page of an environment, and verifies it offline; one altered byte is refused', async () => {
    const { page, complaints } = await site.sameWindow('desk', 'odile')
    const folder = makeScratchFolder()
    const vkey = (await (await page.request.get(`/api/v2/log/${DEMO_ORG}/keys`)).json()).keys[0].vkey
    // No server, no database and no settings: a folder that does not exist.
    const verify = (path: string) =>
      runProgram(['verify', path, '--vkey', vkey], { data_dir: join(folder, 'no-data') })
    const save = async (place: string, name: string) => {
      await show(page, `/${DEMO_ORG}/environments/${place}`)
      const waiting = page.waitForEvent('download')
      await page.getByRole('link', { name: 'Download audit package' }).click()
      await (await waiting).saveAs(join(folder, name))
      return join(folder, name)
    }
    for (const path of [
      await save('production?tab=log', 'environment.tgz'),
      await save('production/snapshots/1', 'snapshot.tgz'),
    ]) {
      const good = await verify(path)
      expect([good.code, good.stdout]).toEqual([0, expect.stringContaining('every event is in the log')])
    }
    const content = gunzipSync(await readFile(join(folder, 'environment.tgz')))
    const at = content.indexOf('Made by Waybill')
    content.writeUInt8(content.readUInt8(at) ^ 1, at)
    await writeFile(join(folder, 'altered.tgz'), gzipSync(content))
    const bad = await verify(join(folder, 'altered.tgz'))
    expect([bad.code, bad.stdout]).toEqual([1, expect.stringContaining('V1 README.txt differs')])
    expect(complaints).toEqual([])
  })
})
