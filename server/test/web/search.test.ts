// The search: by part of a name, by a fingerprint from a log, and by a commit from a chat.
import type { Page } from 'playwright-core'
import { beforeAll, describe, expect, it } from 'vitest'
import { DEMO_ORG, findAccessibilityProblems, openSharedSite, type Site, settled, show } from './browser.ts'

const FIELD = 'Commit, fingerprint or name'

let site: Site
let artifact: { fingerprint: string; filename: string; git_commit: string; trail_name: string }
beforeAll(async () => {
  site = await openSharedSite()
  const path = `/api/v2/artifacts/${DEMO_ORG}?flow_name=payments-api&page=1&per_page=1`
  artifact = JSON.parse((await site.service.call('GET', path, { key: site.service.key })).text)[0]
})

describe('the search by keyboard', () => {
  it('opens an environment from any page by part of its name', async () => {
    const { page, complaints } = await site.sameWindow('desk', 'teo')
    await show(page, `/${DEMO_ORG}/settings/members`)
    await page.keyboard.press('/')
    const field = page.getByRole('combobox', { name: FIELD })
    await field.waitFor()
    await page.keyboard.type('product')
    const option = page.getByRole('group', { name: 'Environments' }).getByRole('option').first()
    await page.getByRole('listbox', { name: 'Results' }).and(page.locator('[aria-busy="false"]')).waitFor()
    await page.keyboard.press('ArrowDown')
    expect(await field.getAttribute('aria-activedescendant')).toBe(await option.getAttribute('id'))
    expect(await findAccessibilityProblems(page)).toEqual([])
    await page.keyboard.press('Enter')
    await page.waitForURL(`**/${DEMO_ORG}/environments/production`)
    await settled(page)
    await field.waitFor({ state: 'detached' })
    expect(complaints).toEqual([])
  })

  it('opens an artifact when its reference is pasted, without waiting for the results', async () => {
    const { page, complaints } = await site.sameWindow('desk', 'teo')
    await show(page, `/${DEMO_ORG}/policies`)
    await paste(page, `${artifact.filename}@sha256:${artifact.fingerprint}`)
    await page.keyboard.press('Enter')
    await page.waitForURL(`**/flows/payments-api/artifacts/${artifact.fingerprint}`)
    await settled(page)
    expect(await page.getByRole('main').innerText()).toContain(artifact.fingerprint)
    expect(complaints).toEqual([])
  })
})

describe('the results', () => {
  it('for the beginning of a commit link to its trail and its artifact', async () => {
    const { page, complaints } = await site.sameWindow('phone', 'teo')
    await show(page, `/${DEMO_ORG}/search`)
    await page.getByRole('searchbox', { name: FIELD }).fill(artifact.git_commit.slice(0, 8))
    const found = (kind: string) => page.getByRole('region', { name: kind }).getByRole('link')
    await found('Artifacts').first().waitFor()
    expect(await found('Artifacts').allInnerTexts()).toEqual([artifact.filename])
    expect(await found('Trails').allInnerTexts()).toEqual([artifact.trail_name])
    await found('Trails').click()
    await page.waitForURL(`**/flows/payments-api/trails/${artifact.trail_name}`)
    expect(complaints).toEqual([])
  })

  it('for part of a name include old trails, each once', async () => {
    const { page, complaints } = await site.sameWindow('desk', 'teo')
    const oldest = await readOldestTrail('payments-api')
    await show(page, `/${DEMO_ORG}/search`)
    await page.getByRole('searchbox', { name: FIELD }).fill(oldest.replace('release-', ''))
    const trails = page.getByRole('region', { name: 'Trails' }).getByRole('row', { name: 'in payments-api' })
    await trails.getByRole('link', { name: oldest, exact: true }).click()
    await page.waitForURL(`**/flows/payments-api/trails/${oldest}`)
    expect(complaints).toEqual([])
  })

  it('explain what can be found if there are none', async () => {
    const { page, complaints } = await site.sameWindow('desk', 'teo')
    await show(page, `/${DEMO_ORG}`)
    await paste(page, 'nothing of that name')
    await page.keyboard.press('Enter')
    await page.waitForURL(/\/search\?q=/)
    const main = page.getByRole('main')
    await main.getByRole('heading', { name: 'No results' }).waitFor()
    for (const kind of ['fingerprint', 'commit', 'environments', 'flows', 'repos', 'policies', 'controls'])
      expect(await main.innerText()).toContain(kind)
    expect(complaints).toEqual([])
  })
})

async function readOldestTrail(flow: string): Promise<string> {
  const path = `/api/v2/trails/${DEMO_ORG}?flow=${flow}&per_page=1`
  const read = async (page: number) =>
    JSON.parse((await site.service.call('GET', `${path}&page=${page}`, { key: site.service.key })).text)
  const { total } = (await read(1)).pagination
  // More trails than one page of results has.
  expect(total).toBeGreaterThan(50)
  return (await read(total)).data[0].name
}

/** Opens the dialog with Ctrl-K and pastes the text. */
async function paste(page: Page, text: string): Promise<void> {
  await page.keyboard.press('Control+k')
  await page.getByRole('combobox', { name: FIELD }).waitFor()
  await page.keyboard.insertText(text)
}
