// Working with an environment: its history, comparisons, the log, the allow-list and its policies.
import { readFileSync } from 'node:fs'
import type { Page } from 'playwright-core'
import { beforeAll, describe, expect, it } from 'vitest'
import {
  attach,
  buildImageName,
  buildPolicyRequiring,
  makeEnvironment,
  putPolicy,
  report,
} from '../environments.ts'
import { DEMO_ORG, findAccessibilityProblems, openSharedSite, type Site, settled, show } from './browser.ts'
import { type Company, must, ORG, openCompany } from './company.ts'

const PRODUCTION = `/${DEMO_ORG}/environments/production`
const RED = 'registry.harbour-bank.example/payments-api:2.9.0'
/** The previous release depends on the day on which the demo is seeded. */
const BEFORE = /payments-api:2\.[0-8]\.\d$/m
const STEPS = 10
const MAX_BYTES = 200 * 1024

let site: Site
beforeAll(async () => {
  site = await openSharedSite()
})

const getHeading = (page: Page) => page.getByRole('heading', { name: /^Snapshot \d+/ })
const readIndex = async (page: Page) => Number(/\d+/.exec(await getHeading(page).innerText())?.[0])
const getCard = (page: Page, artifact: string | RegExp) =>
  page.getByRole('article', { name: artifact, exact: true })

async function waitForSnapshot(page: Page, index: number): Promise<void> {
  await page.waitForURL(`**/snapshots/${index}`)
  await page.getByRole('heading', { name: new RegExp(`^Snapshot ${index}\\b`) }).waitFor()
}

describe('the history of an environment', () => {
  it('is browsed with the arrow keys, with a small response for each step', async () => {
    const { page, complaints } = await site.sameWindow('desk', 'teo')
    await show(page, PRODUCTION)
    const latest = await readIndex(page)
    await getCard(page, RED).waitFor()
    const readAnswers = recordAnswers(page)
    const slider = page.getByRole('slider', { name: 'Snapshot', exact: true })
    await slider.focus()
    for (let step = 1; step <= STEPS; step++) {
      await page.keyboard.press('ArrowLeft')
      await waitForSnapshot(page, latest - step)
      if (step === 1) await getCard(page, BEFORE).waitFor()
      await expect.poll(() => getCard(page, RED).count()).toBe(0)
    }
    await settled(page)
    const { largest, of_artifacts } = await readAnswers()
    expect(largest).toBeLessThan(MAX_BYTES)
    expect(of_artifacts).toBeLessThanOrEqual(STEPS + 1)
    await page.keyboard.press('Home')
    await waitForSnapshot(page, 1)
    await page.keyboard.press('End')
    await waitForSnapshot(page, latest)
    await getCard(page, RED).waitFor()
    expect(await slider.evaluate(`document.activeElement?.getAttribute('aria-label')`)).toBe('Snapshot')
    expect(complaints).toEqual([])
  })

  it('is one band, in which a click or a key selects a time', async () => {
    const { page, complaints } = await site.sameWindow('phone', 'teo')
    await show(page, PRODUCTION)
    const latest = await readIndex(page)
    const whole = page.getByRole('slider', { name: 'Whole history' })
    const box = await whole.boundingBox()
    await whole.click({ position: { x: (box?.width ?? 0) / 2, y: (box?.height ?? 0) / 2 } })
    await page.waitForURL('**/snapshots/*')
    const middle = Number(page.url().split('/').at(-1))
    await waitForSnapshot(page, middle)
    expect(middle).toBeGreaterThan(1)
    expect(middle).toBeLessThan(latest - STEPS)
    await page.keyboard.press('ArrowRight')
    await expect.poll(() => readIndex(page)).toBeGreaterThan(middle)
    await settled(page)
    await expect.poll(() => getCard(page, RED).count()).toBe(0)
    expect(
      await page.getByRole('slider', { name: 'Snapshot', exact: true }).getAttribute('aria-valuenow'),
    ).toBe(String(await readIndex(page)))
    expect(complaints).toEqual([])
  })

  it('lets people choose a range of the history, by keyboard and by dragging', async () => {
    const { page, complaints } = await site.sameWindow('desk', 'ines')
    await show(page, PRODUCTION)
    const history = page.getByRole('slider', { name: 'Whole history' })
    await history.focus()
    for (const _ of [1, 2, 3, 4, 5]) await page.keyboard.press('Shift+ArrowLeft')
    const range = page.getByRole('group', { name: 'Chosen range' })
    await range.getByRole('link', { name: 'Log of these days' }).waitFor()
    expect(await findAccessibilityProblems(page)).toEqual([])
    await page.keyboard.press('Escape')
    await range.waitFor({ state: 'detached' })
    const box = await history.boundingBox()
    if (!box) throw new Error('the band is not shown')
    const middle = box.y + box.height / 2
    await page.keyboard.down('Shift')
    await page.mouse.move(box.x + box.width * 0.2, middle)
    await page.mouse.down()
    await page.mouse.move(box.x + box.width * 0.8, middle)
    await page.mouse.up()
    await page.keyboard.up('Shift')
    await range.getByRole('link', { name: 'Compare its ends' }).click()
    await page.waitForURL('**tab=compare**')
    await page.getByRole('region', { name: /^Other version/ }).waitFor()
    expect(complaints).toEqual([])
  })

  it('can be compared with the previous snapshot', async () => {
    const { page, complaints } = await site.sameWindow('desk', 'teo')
    await show(page, PRODUCTION)
    const latest = await readIndex(page)
    await page.getByRole('link', { name: 'Compare with previous' }).click()
    const versions = page.getByRole('region', { name: 'Other version (1)' })
    await versions.getByRole('columnheader', { name: `production#${latest - 1}` }).waitFor()
    const [, before, after, code] = await versions.getByRole('cell').allInnerTexts()
    expect(before).toMatch(/^2\.\d+\.\d+\s+Compliant by policies$/)
    expect(after).toMatch(/^2\.9\.0\s+Non-compliant by policies$/)
    expect(code).toBe('code changes')
    expect(await versions.getByRole('link', { name: 'code changes' }).getAttribute('href')).toContain(
      '/compare/',
    )
    expect(complaints).toEqual([])
  })

  it('is a log that can be searched and downloaded', async () => {
    const { page, complaints } = await site.sameWindow('desk', 'ines')
    await show(page, `${PRODUCTION}?tab=log`)
    await page.getByLabel('Repository').fill('harbour-bank/payments-api')
    await page.waitForURL('**repo=harbour-bank%2Fpayments-api**')
    await page.getByRole('row', { name: new RegExp(RED) }).waitFor()
    await settled(page)
    await page
      .getByRole('row', { name: /ledger/ })
      .first()
      .waitFor({ state: 'detached' })
    const [file] = await Promise.all([
      page.waitForEvent('download'),
      page.getByRole('link', { name: 'Download as CSV' }).click(),
    ])
    expect(file.suggestedFilename()).toBe('production-audit-log.csv')
    const [first, ...rows] = readFileSync(await file.path(), 'utf8').split('\n')
    expect(first).toMatch(/^timestamp,epoch_seconds,environment,snapshot_index,event,type,description/)
    expect(rows.some(row => row.includes(RED))).toBe(true)
    expect(rows.some(row => row.includes('ledger'))).toBe(false)
    expect(complaints).toEqual([])
  })
})

describe('the policies of an environment', () => {
  it('are attached and detached by people with the right role, and only shown to the others', async () => {
    const { app, sameWindow } = await openRedCompany()
    must(await makeEnvironment(app, 'archive-host'))
    must(await putPolicy(app, 'staging-rules', buildPolicyRequiring('tests')))
    const { page, complaints } = await sameWindow('desk', 'mara')
    const address = `/${ORG}/environments/archive-host?tab=policies`
    await show(page, address)
    await page.getByRole('combobox', { name: 'Policy' }).click()
    await page.getByRole('option', { name: 'staging-rules' }).click()
    await page.getByRole('button', { name: 'Attach' }).click()
    const attached = page.getByRole('row', { name: /staging-rules/ })
    await attached.waitFor()
    const reader = await sameWindow('desk', 'ines')
    await show(reader.page, address)
    await reader.page.getByRole('row', { name: /staging-rules/ }).waitFor()
    await expect.poll(() => reader.page.getByRole('button', { name: /Attach|Detach/ }).count()).toBe(0)
    await attached.getByRole('button', { name: 'Detach' }).click()
    await page.getByRole('dialog').getByRole('button', { name: 'Detach' }).click()
    await page.getByText('No policies attached').waitFor()
    expect([...complaints, ...reader.complaints]).toEqual([])
  })

  it('can be overruled for an artifact, with a reason that everybody can read', async () => {
    const { app, sameWindow } = await openRedCompany()
    const { page, complaints } = await sameWindow('desk', 'jonas')
    const red = buildImageName('a1')
    await show(page, `/${ORG}/environments/production`)
    await getCard(page, red).getByRole('link', { name: 'Allow anyway' }).click()
    expect(await page.getByLabel('Artifact').inputValue()).toBe(red)
    await page.getByLabel('Reason').fill('The scanner is down; checked by hand')
    await page.getByRole('button', { name: 'Allow', exact: true }).click()
    await page.getByRole('row', { name: /The scanner is down/ }).waitFor()
    await app.evaluate()
    await show(page, `/${ORG}/environments/production`)
    await expect
      .poll(() => getCard(page, red).innerText())
      .toMatch(/Compliant[\s\S]*by jonas: The scanner is down; checked by hand/)
    await expect.poll(() => page.getByText('Why it is not compliant').count()).toBe(0)
    expect(complaints).toEqual([])
  })
})

/** Something runs in production that has no provenance. */
async function openRedCompany(): Promise<Company> {
  const company = await openCompany()
  const { app } = company
  must(await makeEnvironment(app, 'production'))
  must(await putPolicy(app, 'live-rules', buildPolicyRequiring()))
  must(await attach(app, 'production', 'live-rules'))
  must(await report(app, 'production', 'a1'))
  await app.evaluate()
  return company
}

describe('the list of environments', () => {
  it('is paged and filtered by the server, and a page past the end leads back', async () => {
    const { page, complaints } = await site.sameWindow('phone', 'ines')
    const list = `/${DEMO_ORG}/environments?name=staging`
    await show(page, `${list}&state=compliant&page=9`)
    await page.getByRole('heading', { name: 'There is no such page' }).waitFor()
    await page.getByRole('button', { name: 'Back to the first page' }).click()
    await page.waitForURL('**name=staging&state=compliant')
    await page.getByRole('row', { name: /staging/ }).waitFor()
    await show(page, `${list}&state=non-compliant`)
    await page.getByRole('heading', { name: 'No environments match your filters' }).waitFor()
    expect(complaints).toEqual([])
  })
})

/** Records the decompressed size of every response from now on. */
function recordAnswers(page: Page): () => Promise<{ largest: number; of_artifacts: number }> {
  const answers: Promise<{ bytes: number; path: string }>[] = []
  page.on('response', response => {
    const { pathname } = new URL(response.url())
    if (!pathname.startsWith('/api/')) return
    answers.push(
      response.body().then(
        body => ({ bytes: body.length, path: pathname }),
        // The page aborted the request, because it moved on.
        () => ({ bytes: 0, path: pathname }),
      ),
    )
  })
  return async () => {
    const all = await Promise.all(answers)
    return {
      largest: Math.max(...all.map(({ bytes }) => bytes)),
      of_artifacts: all.filter(({ path }) => path.endsWith('/artifacts')).length,
    }
  }
}
