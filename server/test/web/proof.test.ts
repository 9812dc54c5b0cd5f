// The log in the web app: the page of an organization, and the marks on what was recorded.
import { readFile } from 'node:fs/promises'
import {
  parseCheckpoint,
  parseNote,
  parseProofFile,
  parseVerifierKey,
  verifyNote,
} from '@waybill/transparency-log'
import type { Page } from 'playwright-core'
import { beforeAll, describe, expect, it } from 'vitest'
import { makeEnvironment, report } from '../environments.ts'
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

const PROOF = `/${DEMO_ORG}/proof`
const MARK = /^Leaf ([\d,]+), in checkpoint ([\d,]+)\. Download proof$/

let site: Site
beforeAll(async () => {
  site = await openSharedSite()
})

const toNumber = (text: string | undefined) => Number(text?.replaceAll(',', ''))

const call = async (path: string) =>
  JSON.parse((await site.service.call('GET', `/api/v2/${path}`, { key: site.service.key })).text)

const readKeys = async () => {
  const { keys } = await call(`log/${DEMO_ORG}/keys`)
  return keys.map(({ vkey }: { vkey: string }) => parseVerifierKey(vkey))
}

/** The log requests of the page. A set, because a page repeats them after every change that it follows. */
function watchLogRequests(page: Page): Set<string> {
  const paths = new Set<string>()
  page.on('request', request => {
    const { pathname, search } = new URL(request.url())
    if (pathname.startsWith('/api/v2/log/')) paths.add(pathname + search)
  })
  return paths
}

async function download(page: Page, name: string): Promise<string> {
  const link = page.getByRole('main').getByRole('link', { name, exact: true })
  const [file] = await Promise.all([page.waitForEvent('download'), link.click()])
  return await readFile(await file.path(), 'utf8')
}

describe('the page of the log', () => {
  it('has its size, its keys and files that can be verified, with one request', async () => {
    const { page, complaints } = await site.sameWindow('desk', 'teo')
    const requested = watchLogRequests(page)
    await show(page, `/${DEMO_ORG}`)
    await page.getByRole('navigation', { name: 'Pages' }).getByRole('link', { name: 'Proof' }).click()
    const log = page.getByRole('region', { name: 'The log' })
    await log.getByText('Signed').waitFor()
    expect([...requested]).toHaveLength(1)
    const { size, keys } = await call(`log/${DEMO_ORG}/status`)
    await log.getByRole('row', { name: `Size ${size.toLocaleString('en')} records` }).waitFor()
    await page.getByText(keys[0].vkey).waitFor()
    const note = parseNote(await download(page, 'Checkpoint'))
    expect(verifyNote(note, await readKeys())).toHaveLength(1)
    expect(parseCheckpoint(note.text).size).toBeGreaterThanOrEqual(size)
    expect(JSON.parse(await download(page, 'Keys')).keys[0].vkey).toBe(keys[0].vkey)
    const { leaves } = JSON.parse(await download(page, 'Newest 1,000 leaves'))
    expect(leaves.at(-1).index).toBeGreaterThanOrEqual(size - 1)
    expect(complaints).toEqual([])
  })

  it('is used by keyboard', async () => {
    const { page, context, complaints } = await site.sameWindow('desk', 'mara')
    await context.grantPermissions(['clipboard-read', 'clipboard-write'])
    await show(page, PROOF)
    await page.getByRole('button', { name: 'Copy key 1' }).focus()
    await page.keyboard.press('Enter')
    const { keys } = await call(`log/${DEMO_ORG}/keys`)
    await expect.poll(() => page.evaluate('navigator.clipboard.readText()')).toBe(keys[0].vkey)
    await page.keyboard.press('Tab')
    expect(await page.evaluate('document.activeElement.textContent')).toBe('Checkpoint')
    expect(complaints).toEqual([])
  })
})

describe('a mark', () => {
  it('is on trails, attestations, artifacts and snapshots, and its proof can be verified', async () => {
    const { page, complaints } = await site.sameWindow('desk', 'teo')
    const { data } = await call(`attestations/${DEMO_ORG}?per_page=1`)
    const [{ flow_name, trail_name, attestation_id }] = data
    const [built] = await call(`artifacts/${DEMO_ORG}?page=1&per_page=1&repo_name=harbour-bank/payments-api`)
    const artifact = new URL(built.html_url).pathname
    const trail = `/${DEMO_ORG}/flows/${flow_name}/trails/${trail_name}`
    for (const [path, requests] of [
      [trail, 1],
      [`${trail}?attestation_id=${attestation_id}`, 2],
      [artifact, 1],
      [`/${DEMO_ORG}/environments/production/snapshots/10`, 1],
    ] as const) {
      const requested = watchLogRequests(page)
      await show(page, path)
      await settled(page)
      const place = path.includes('attestation_id') ? page.getByRole('dialog') : page.getByRole('main')
      const link = place.getByRole('link', { name: 'Download proof' })
      await link.waitFor()
      const [file] = await Promise.all([page.waitForEvent('download'), link.click()])
      const proof = parseProofFile(await readFile(await file.path(), 'utf8'))
      const shown = (await link.locator('xpath=..').innerText()).replace(/^Log: /, '')
      const [, index, size] = MARK.exec(shown) ?? []
      expect([proof.index, parseCheckpoint(proof.checkpoint.text).size], path).toEqual([
        toNumber(index),
        toNumber(size),
      ])
      expect(verifyNote(proof.checkpoint, await readKeys())).toHaveLength(1)
      expect(requested.size, path).toBeLessThanOrEqual(requests + 1)
    }
    expect(complaints).toEqual([])
  })
})

describe('an admin', () => {
  it('opens the log to everybody, and the page shows it', async () => {
    const { url, sameWindow } = await openCompany()
    const { page, complaints } = await sameWindow('desk', 'mara')
    await show(page, `/${ORG}/proof`)
    const log = page.getByRole('region', { name: 'The log' })
    await log.getByText('Members of this organization').waitFor()
    await log.getByRole('link', { name: 'Change' }).click()
    await page.getByRole('switch', { name: 'Public log' }).check()
    await page.getByRole('button', { name: 'Save', exact: true }).click()
    await page.getByText('Saved the settings').waitFor()
    await show(page, `/${ORG}/proof`)
    await log.getByText('Anyone, without the contents of the records').waitFor()
    const anonymous = await fetch(`${url}/api/v2/log/${ORG}/checkpoint`)
    expect(anonymous.status).toBe(200)
    expect(complaints).toEqual([])
  })
})

describe('a log that has lost records', () => {
  it('is shown as frozen, with what would help, and fits a phone', async () => {
    const { app, sameWindow } = await openCompany()
    must(await makeEnvironment(app, 'production'))
    must(await report(app, 'production', 'a1'))
    for (const name of ['one', 'two', 'three'])
      must(await app.member.put(`/flows/${ORG}`, { name, description: '' }))
    // The running process has signed more than what is left.
    must(await app.reader.get(`/log/${ORG}/checkpoint`))
    await app.sql(
      `create temporary table lost as
       select l.* from log_leaves l join log_heads h using (org_id) join orgs o using (org_id)
       where o.name = $1 and l.seq >= h.size - 3`,
      [ORG],
    )
    await app.sql(
      'delete from log_leaves using lost where log_leaves.org_id = lost.org_id and log_leaves.seq = lost.seq',
    )
    await app.sql('update log_heads set size = size - 3 where org_id = (select org_id from lost limit 1)')
    // What was signed is valid for a while.
    app.clock.advance(5 * 60_000)
    const { page } = await sameWindow('phone', 'teo')
    await show(page, `/${ORG}/proof`)
    const alert = page.getByRole('alert')
    await alert.getByText('The log is frozen').waitFor()
    await alert.getByText(`waybill admin log reopen ${ORG}`).waitFor()
    expect(await page.getByRole('link', { name: 'Checkpoint' }).count()).toBe(0)
    const command = await alert.locator('pre').boundingBox()
    expect((command?.x ?? 0) + (command?.width ?? 0)).toBeLessThan(360)
    expect(await measureOverflow(page)).toBeLessThanOrEqual(0)
    expect(await findAccessibilityProblems(page)).toEqual([])
    await show(page, `/${ORG}/environments/production/snapshots/1`)
    await page.getByRole('link', { name: 'not signed now' }).waitFor()
    // Every application of the tests ends with a whole log.
    await app.sql('insert into log_leaves select * from lost')
    await app.sql('update log_heads set size = size + 3 where org_id = (select org_id from lost limit 1)')
  })
})
