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
import {
  DEMO_ORG,
  findAccessibilityProblems,
  measureOverflow,
  openSite,
  type Site,
  settled,
  visit,
} from './browser.ts'

const PROOF = `/${DEMO_ORG}/proof`
const MARK = /^Leaf ([\d,]+), in checkpoint ([\d,]+)\. Download proof$/

let site: Site
beforeAll(async () => {
  site = await openSite()
})

const toNumber = (text: string | undefined) => Number(text?.replaceAll(',', ''))

const call = async (path: string) =>
  JSON.parse((await site.service.call('GET', `/api/v2/${path}`, { key: site.service.key })).text)

const readKeys = async () => {
  const { keys } = await call(`log/${DEMO_ORG}/keys`)
  return keys.map(({ vkey }: { vkey: string }) => parseVerifierKey(vkey))
}

/** What the page has requested of the log. A set, because a page requests it again after every change that it follows. */
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
    const { page, complaints } = await site.newWindow('desk', 'teo')
    const requested = watchLogRequests(page)
    await visit(page, `/${DEMO_ORG}`)
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

  it.each(['phone', 'desk'] as const)(
    'at the %s fits, is accessible, and is used by keyboard',
    async look => {
      const { page, context, complaints } = await site.newWindow(look, 'mara')
      await context.grantPermissions(['clipboard-read', 'clipboard-write'])
      await visit(page, PROOF)
      await page.getByRole('region', { name: 'Keys' }).waitFor()
      expect(await measureOverflow(page)).toBeLessThanOrEqual(0)
      expect(await findAccessibilityProblems(page)).toEqual([])
      await page.getByRole('button', { name: 'Copy key 1' }).focus()
      await page.keyboard.press('Enter')
      const { keys } = await call(`log/${DEMO_ORG}/keys`)
      await expect.poll(() => page.evaluate('navigator.clipboard.readText()')).toBe(keys[0].vkey)
      await page.keyboard.press('Tab')
      const focused = await page.evaluate('document.activeElement.textContent')
      expect(focused).toBe('Checkpoint')
      expect(complaints).toEqual([])
    },
  )
})

describe('a mark', () => {
  it('is on trails, attestations, artifacts and snapshots, and its proof can be verified', async () => {
    const { page, complaints } = await site.newWindow('desk', 'teo')
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
      await visit(page, path)
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
  it('opens the log to everybody, and the page says so', async () => {
    const { page, complaints } = await site.newWindow('desk', 'mara')
    await visit(page, PROOF)
    const log = page.getByRole('region', { name: 'The log' })
    await log.getByText('Members of this organization').waitFor()
    await log.getByRole('link', { name: 'Change' }).click()
    await page.getByRole('switch', { name: 'Public log' }).check()
    await page.getByRole('button', { name: 'Save', exact: true }).click()
    await page.getByText('Saved the settings').waitFor()
    await visit(page, PROOF)
    await log.getByText('Anyone, without the contents of the records').waitFor()
    const anonymous = await fetch(`${site.service.url}/api/v2/log/${DEMO_ORG}/checkpoint`)
    expect(anonymous.status).toBe(200)
    expect(complaints).toEqual([])
  })
})

// Last, because it breaks the log.
describe('a log that has lost records', () => {
  it('is shown as frozen, with what would help, and fits a phone', async () => {
    const { owner } = site.service
    const { origin } = await call(`log/${DEMO_ORG}/status`)
    // The running process has signed more than this.
    await owner.query('update log_heads set size = size - 3 where origin = $1', [origin])
    await owner.query(
      'delete from log_leaves l using log_heads h where h.origin = $1 and l.org_id = h.org_id and l.seq >= h.size',
      [origin],
    )
    const { page } = await site.newWindow('phone', 'teo')
    await visit(page, PROOF)
    const alert = page.getByRole('alert')
    await alert.getByText('The log is frozen').waitFor()
    await alert.getByText(`waybill admin log reopen ${DEMO_ORG}`).waitFor()
    expect(await page.getByRole('link', { name: 'Checkpoint' }).count()).toBe(0)
    const command = await alert.locator('pre').boundingBox()
    expect((command?.x ?? 0) + (command?.width ?? 0)).toBeLessThan(360)
    expect(await measureOverflow(page)).toBeLessThanOrEqual(0)
    expect(await findAccessibilityProblems(page)).toEqual([])
    await visit(page, `/${DEMO_ORG}/environments/production/snapshots/10`)
    await page.getByRole('link', { name: 'not signed now' }).waitFor()
  })
})
