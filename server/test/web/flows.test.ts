// Evidence in the web app: from an artifact to its failing attestation, every attestation type, and downloads.
import { createHash } from 'node:crypto'
import { readFile } from 'node:fs/promises'
import type { Download, Page } from 'playwright-core'
import { beforeAll, describe, expect, it } from 'vitest'
import { DEMO_ORG, goTo, measureOverflow, openSite, type Site, settled, visit } from './browser.ts'

let site: Site
beforeAll(async () => {
  site = await openSite()
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

/** The right edge of each reason's text, in pixels. */
const RIGHT_EDGES = `[...document.querySelectorAll('[role="note"] li')].map(element => {
  const text = document.createRange()
  text.selectNodeContents(element)
  return text.getBoundingClientRect().right
})`
const GZIP = Buffer.from([0x1f, 0x8b])

describe('a build that is red', () => {
  it('links through its lineage to the attestation that made it red', async () => {
    const { page, complaints } = await site.newWindow('desk', 'teo')
    const { flow_name, trail_name } = await findAttestation({ name: 'load-test', is_compliant: 'false' })
    await visit(page, `/${DEMO_ORG}/flows/${flow_name}/trails/${trail_name}`)
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
    const { page, complaints } = await site.newWindow('phone', 'ines')
    const { flow_name, trail_name } = await findAttestation({ name: 'load-test', is_compliant: 'false' })
    await visit(page, `/${DEMO_ORG}/flows/${flow_name}/trails/${trail_name}`)
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

describe('a trail that is red because of an earlier build', () => {
  /** Reports two builds under one name, the first of them non-compliant. */
  async function rebuild(flow: string, trail: string): Promise<string> {
    const [earlier, later] = ['5'.repeat(64), '6'.repeat(64)]
    const post = async (path: string, body: object) => {
      const answer = await fetch(`${site.service.url}/api/v2${path}`, {
        method: 'POST',
        headers: { authorization: `Bearer ${site.service.key}`, 'content-type': 'application/json' },
        body: JSON.stringify(body),
      })
      expect(answer.status, await answer.text()).toBe(201)
    }
    const makeBuild = (fingerprint: string) => ({
      fingerprint,
      filename: 'image:1',
      git_commit: 'a'.repeat(40),
      build_url: 'https://ci.example/1',
      commit_url: 'https://git.example/1',
      trail_name: trail,
      template_reference_name: 'image',
    })
    await post(`/artifacts/${DEMO_ORG}/${flow}`, makeBuild(earlier))
    await post(`/attestations/${DEMO_ORG}/${flow}/trail/${trail}/generic`, {
      attestation_name: 'review',
      artifact_fingerprint: earlier,
      is_compliant: false,
    })
    await post(`/artifacts/${DEMO_ORG}/${flow}`, makeBuild(later))
    return earlier
  }

  it('says so on a phone, in lines that fit the screen', async () => {
    const earlier = await rebuild('statement-mailer', 'rebuilt')
    const { page, complaints } = await site.newWindow('phone', 'ines')
    await visit(page, `/${DEMO_ORG}/flows/statement-mailer/trails/rebuilt`)
    await page.getByRole('heading', { name: 'Earlier build', exact: true }).waitFor()
    const why = page.getByRole('note').filter({ hasText: 'Why it is non-compliant' })
    const reasons = await why.getByRole('listitem').allInnerTexts()
    expect(reasons.join('\n')).toContain(`An earlier build of artifact 'image' (${earlier})`)
    // The note cuts off text that does not wrap, so the page would not get wider.
    const edges = await page.evaluate<number[]>(RIGHT_EDGES)
    const screen = await page.evaluate<number>('innerWidth')
    expect(screen).toBe(360)
    expect(edges).toHaveLength(reasons.length)
    expect(edges.filter(edge => edge > screen)).toEqual([])
    expect(await measureOverflow(page)).toBe(0)
    expect(complaints).toEqual([])
  })
})

describe('an attestation', () => {
  it('shows the important facts of every type', async () => {
    const { page, complaints } = await site.newWindow('phone', 'ines')
    await visit(page, `/${DEMO_ORG}/flows`)
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

  it('that waits for its artifact can be found, and says for which', async () => {
    const { page, complaints } = await site.newWindow('desk', 'teo')
    await visit(page, `/${DEMO_ORG}/attestations`)
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

  it('lists each of its files with size and hash on a phone, and downloads the one that is pressed', async () => {
    const { flow_name, trail_name } = await findAttestation({ name: 'rollback-plan' })
    const contents = ['<testsuites/>', 'x'.repeat(3_000_000), '{"runs":[]}']
    const names = ['junit.xml', `${'a-very-long-name-of-a-file-'.repeat(8)}.json`, 'junit.xml']
    const form = new FormData()
    form.append('data_json', JSON.stringify({ attestation_name: 'several-files', is_compliant: true }))
    for (const [i, content] of contents.entries())
      form.append('attachment_file', new Blob([content]), names[i])
    const path = `attestations/${DEMO_ORG}/${flow_name}/trail/${trail_name}/generic`
    const headers = { authorization: `Bearer ${site.service.key}` }
    const sent = await fetch(`${site.service.url}/api/v2/${path}`, { method: 'POST', headers, body: form })
    expect(sent.status).toBe(201)
    const { page, complaints } = await site.newWindow('phone', 'ines')
    await visit(page, `/${DEMO_ORG}/flows`)
    const drawer = await openDrawer(page, { name: 'several-files' })
    const list = drawer.getByRole('region', { name: 'Attached files' })
    const texts = await list.getByRole('listitem').allInnerTexts()
    expect(texts).toHaveLength(3)
    for (const [i, content] of contents.entries()) {
      expect(texts[i]).toContain(names[i])
      expect(texts[i]).toContain(createHash('sha256').update(content).digest('hex'))
    }
    await list.scrollIntoViewIfNeeded()
    expect(await measureOverflow(page)).toBe(0)
    const [file, content] = await download(page, () =>
      list.getByRole('link', { name: 'Download junit.xml' }).last().click(),
    )
    expect([file.suggestedFilename(), content.toString()]).toEqual(['junit.xml', '{"runs":[]}'])
    expect(complaints).toEqual([])
  })

  it('can be downloaded: its file as it was sent, and the trail as a package', async () => {
    const { page, complaints } = await site.newWindow('desk', 'ines')
    await visit(page, `/${DEMO_ORG}/flows`)
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
  it('gets a new template, once it is valid', async () => {
    const { page, complaints } = await site.newWindow('desk', 'teo')
    await visit(page, `/${DEMO_ORG}/flows/statement-mailer?tab=template`)
    const field = page.getByRole('textbox', { name: 'Template', exact: true })
    const before = await field.inputValue()
    const added = `${before}        - name: static-analysis\n          type: `
    await field.fill(`${added}sonnar\n`)
    await page.getByRole('button', { name: 'Save template' }).click()
    await page.getByText(/^Line \d+, column 17: .*Input should be .*'sonar'/).waitFor()
    expect(await field.getAttribute('aria-invalid')).toBe('true')
    expect(await field.inputValue()).toContain('sonnar')
    await field.fill(`${added}sonar\n`)
    await page.getByRole('button', { name: 'Save template' }).click()
    await page.getByText('Saved the template of statement-mailer').waitFor()
    await page.reload()
    await settled(page)
    expect(await field.inputValue()).toBe(`${added}sonar\n`)
    // The first attempt was rejected, and the browser logs that.
    expect(complaints).toEqual([expect.stringContaining('status of 400')])
  })

  it('can be changed only by people with the right role', async () => {
    const { page, complaints } = await site.newWindow('phone', 'ines')
    await visit(page, `/${DEMO_ORG}/flows/statement-mailer?tab=settings`)
    await page.getByRole('tab', { name: 'Template' }).click()
    await page.getByRole('heading', { name: 'YAML' }).waitFor()
    await expect.poll(() => page.getByRole('tab', { name: 'Settings' }).count()).toBe(0)
    await expect.poll(() => page.getByRole('button', { name: 'Save template' }).count()).toBe(0)
    expect(complaints).toEqual([])
  })
})

describe('a repository', () => {
  it('shows how often it is built, and how fast and how often it is released', async () => {
    const { page, complaints } = await site.newWindow('desk', 'ines')
    await visit(page, `/${DEMO_ORG}/repos`)
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
