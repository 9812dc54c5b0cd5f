// Evidence in the web app: from an artifact to its failing attestation, every attestation type, and downloads.
import { createHash } from 'node:crypto'
import { readFile } from 'node:fs/promises'
import type { Download, Page } from 'playwright-core'
import { beforeAll, describe, expect, it } from 'vitest'
import { DEMO_ORG, goTo, openSharedSite, type Site, settled, show } from './browser.ts'

let site: Site
beforeAll(async () => {
  site = await openSharedSite()
})

interface Attestation {
  attestation_id: string
  flow_name: string
  trail_name: string
}

/** The newest attestation that matches. */
async function findAttestation(filters: Record<string, string>): Promise<Attestation> {
  const query = new URLSearchParams({ per_page: '1', ...filters })
  const answer = await fetch(`${site.service.url}/api/v2/attestations/${DEMO_ORG}?${query}`, {
    headers: { authorization: `Bearer ${site.service.key}` },
  })
  const { data } = (await answer.json()) as { data: Attestation[] }
  const [found] = data
  if (!found) throw new Error(`the demo has no attestation with ${query}`)
  return found
}

/** Navigates within the app, so the person must be signed in and on a page already. */
async function openDrawer(page: Page, filters: Record<string, string>) {
  const { flow_name, trail_name, attestation_id } = await findAttestation(filters)
  await goTo(page, `/${DEMO_ORG}/flows/${flow_name}/trails/${trail_name}?attestation_id=${attestation_id}`)
  const drawer = page.getByRole('dialog', { name: 'Attestation' })
  await drawer.getByRole('link', { name: attestation_id }).waitFor()
  return drawer
}

async function download(page: Page, press: () => Promise<void>): Promise<[Download, Buffer]> {
  const [file] = await Promise.all([page.waitForEvent('download'), press()])
  return [file, await readFile(await file.path())]
}

const GZIP = Buffer.from([0x1f, 0x8b])

describe('a build that is red', () => {
  it('links through its lineage to the attestation that made it red', async () => {
    const { page, complaints } = await site.sameWindow('desk', 'teo')
    const { flow_name, trail_name } = await findAttestation({ name: 'load-test', is_compliant: 'false' })
    await show(page, `/${DEMO_ORG}/flows/${flow_name}/trails/${trail_name}`)
    await page.getByRole('main').locator('a[href*="/artifacts/"]').first().click()
    await page.waitForURL('**/artifacts/*')
    await settled(page)
    const lineage = page.getByRole('region', { name: 'Lineage' })
    const proven = lineage.getByRole('list', { name: 'Attestations' }).getByRole('listitem')
    await proven.filter({ hasText: 'Non-compliant' }).getByRole('link', { name: 'load-test' }).click()
    const drawer = page.getByRole('dialog', { name: 'Attestation' })
    await drawer.getByText('.p95_ms <= 250: failed').waitFor()
    await page.keyboard.press('Escape')
    await drawer.waitFor({ state: 'hidden' })
    expect(new URL(page.url()).search).toBe('')
    expect(complaints).toEqual([])
  })

  it('returns the focus to the link that opened the drawer', async () => {
    const { page, complaints } = await site.sameWindow('phone', 'ines')
    const { flow_name, trail_name } = await findAttestation({ name: 'load-test', is_compliant: 'false' })
    await show(page, `/${DEMO_ORG}/flows/${flow_name}/trails/${trail_name}`)
    const link = page.getByRole('row', { name: /load-test/ }).getByRole('link', { name: 'load-test' })
    await link.focus()
    await page.keyboard.press('Enter')
    const drawer = page.getByRole('dialog', { name: 'Attestation' })
    await drawer.getByText('Why it is non-compliant').waitFor()
    expect(page.url()).toContain('attestation_id=')
    await page.keyboard.press('Escape')
    await drawer.waitFor({ state: 'hidden' })
    await link.and(page.locator(':focus')).waitFor()
    expect(complaints).toEqual([])
  })
})

describe('an attestation', () => {
  it('shows the important facts of every type', async () => {
    const { page, complaints } = await site.sameWindow('phone', 'ines')
    await show(page, `/${DEMO_ORG}/flows`)
    const expected: [Record<string, string>, string[]][] = [
      [{ name: 'load-test', is_compliant: 'false' }, ['95th percentile', '311 ms', 'version 2 of the type']],
      [{ type: 'snyk', flow: 'fraud-scoring', is_compliant: 'false' }, ['SNYK-JS-AMOUNTPARSER', '2 high']],
      [{ type: 'override' }, ['mara overrode the verdict', 'the 2019 importer', 'the previous report']],
      [{ type: 'sonar', is_compliant: 'false' }, ['quality gate ERROR', 'new_coverage', 'less than 80']],
      [
        { name: 'rollback-plan' },
        ['Runbook', 'rehearsed_by', 'rollback-plan.md', 'reported it as compliant'],
      ],
      [{ type: 'junit', is_compliant: 'false' }, ['2 failures', 'unit (failed)']],
      [{ type: 'pull_request', flow: 'payments-api' }, ['jonas', 'teo', 'signature verified']],
      [{ type: 'pull_request', is_compliant: 'false' }, ['No pull requests found for the commit']],
      [{ type: 'jira' }, ['BANK-', '1 issue, all exist']],
      [{ name: 'release-decision' }, ['REL-01', 'decided by', '@harbour-bank.example']],
      [{ name: 'second-person' }, ['SDLC-01', 'without approval', 'Non-compliant']],
    ]
    for (const [filters, texts] of expected) {
      const text = await (await openDrawer(page, filters)).innerText()
      for (const each of texts) expect(text, JSON.stringify(filters)).toContain(each)
    }
    expect(complaints).toEqual([])
  })

  it('that waits for its artifact can be found, and names the artifact', async () => {
    const { page, complaints } = await site.sameWindow('desk', 'teo')
    await show(page, `/${DEMO_ORG}/attestations`)
    await page.getByLabel('Binding').selectOption({ label: 'Waiting for an artifact' })
    await page.waitForURL('**/attestations?is_waiting=true')
    const row = page.getByRole('row', { name: /unit-tests/ }).filter({ hasText: 'Waiting' })
    await row.getByRole('link', { name: 'unit-tests' }).click()
    const drawer = page.getByRole('dialog', { name: 'Attestation' })
    await drawer.getByText(/^It is waiting for artifact image at commit [0-9a-f]{40}/).waitFor()
    await page.keyboard.press('Escape')
    const slot = page.getByRole('row', { name: /unit-tests/ }).filter({ hasText: 'Missing' })
    await slot.getByText('waiting for the artifact').waitFor()
    expect(complaints).toEqual([])
  })

  it('can be downloaded: its file as it was sent, and the trail as a package', async () => {
    const { page, complaints } = await site.sameWindow('desk', 'ines')
    await show(page, `/${DEMO_ORG}/flows`)
    const drawer = await openDrawer(page, { name: 'rollback-plan' })
    const [file, content] = await download(page, () =>
      drawer.getByRole('link', { name: 'Download rollback-plan.md' }).click(),
    )
    expect(file.suggestedFilename()).toBe('rollback-plan.md')
    expect(content.toString()).toContain('Restart the run')
    expect(await drawer.innerText()).toContain(createHash('sha256').update(content).digest('hex'))
    await page.keyboard.press('Escape')
    await drawer.waitFor({ state: 'hidden' })
    const [archive, bytes] = await download(page, () =>
      page.getByRole('link', { name: 'Download audit package' }).click(),
    )
    expect(archive.suggestedFilename()).toMatch(/\.tgz$/)
    expect(bytes.subarray(0, GZIP.length)).toEqual(GZIP)
    expect(complaints).toEqual([])
  })
})

describe('a flow', () => {
  it('can be changed only by people with the right role', async () => {
    const { page, complaints } = await site.sameWindow('phone', 'ines')
    await show(page, `/${DEMO_ORG}/flows/statement-mailer?tab=settings`)
    await page.getByRole('tab', { name: 'Template' }).click()
    await page.getByRole('heading', { name: 'YAML' }).waitFor()
    await expect.poll(() => page.getByRole('tab', { name: 'Settings' }).count()).toBe(0)
    await expect.poll(() => page.getByRole('button', { name: 'Save template' }).count()).toBe(0)
    expect(complaints).toEqual([])
  })
})

describe('a repository', () => {
  it('shows how often it is built, and how fast and how often it is released', async () => {
    const { page, complaints } = await site.sameWindow('desk', 'ines')
    await show(page, `/${DEMO_ORG}/repos`)
    await page.getByRole('link', { name: 'harbour-bank/ledger', exact: true }).click()
    await page.getByText('90 days', { exact: true }).click()
    await page.waitForURL(/days=90/)
    await page.getByRole('img', { name: /^Builds of ledger per day: \d+ in \d+ days$/ }).waitFor()
    expect(await page.getByRole('main').innerText()).toMatch(/[1-9]\d* builds?, median [\d.]+ a day/)
    await page.getByRole('tab', { name: 'Release' }).click()
    await page.waitForURL(/view=release.*days=90/)
    await page.getByRole('heading', { name: 'ledger to production' }).waitFor()
    const chart = page.getByRole('img', { name: /^Deployments per day: \d+ in \d+ days$/ })
    await chart.first().waitFor()
    const text = await page.getByRole('main').innerText()
    expect(text).toMatch(/Lead time p50\s+\d+ (h|min|days?|d)\b/)
    expect(text).toMatch(/\d+ deployments, median [\d.]+ a day/)
    expect(complaints).toEqual([])
  })
})
