// Evidence that arrives while people look: a rebuilt artifact, several files of one attestation, and a new template.
import { createHash } from 'node:crypto'
import { readFile } from 'node:fs/promises'
import { beforeAll, describe, expect, it } from 'vitest'
import { makeBuild, makeFingerprint, makeFlow, nameTrail } from '../reports.ts'
import { measureOverflow, settled, show } from './browser.ts'
import { type Company, must, ORG, openCompany } from './company.ts'

const FLOW = 'statement-mailer'
const TEMPLATE = `version: 1
trail:
  artifacts:
    - name: image
      attestations:
        - name: unit-tests
          type: junit
`

let company: Company
beforeAll(async () => {
  company = await openCompany()
  await makeFlow(company.app, FLOW, TEMPLATE)
})

/** The right edge of each reason's text, in pixels. */
const RIGHT_EDGES = `[...document.querySelectorAll('[role="note"] li')].map(element => {
  const text = document.createRange()
  text.selectNodeContents(element)
  return text.getBoundingClientRect().right
})`

describe('a trail that is red because of an earlier build', () => {
  /** Reports two builds under one name, the first of them non-compliant. */
  async function rebuild(trail: string): Promise<string> {
    const [earlier, later] = ['5', '6'].map(makeFingerprint)
    const { member } = company.app
    must(await member.post(`/artifacts/${ORG}/${FLOW}`, makeBuild(String(earlier), nameTrail(trail))))
    must(
      await member.post(`/attestations/${ORG}/${FLOW}/trail/${trail}/generic`, {
        attestation_name: 'review',
        artifact_fingerprint: earlier,
        is_compliant: false,
      }),
    )
    must(await member.post(`/artifacts/${ORG}/${FLOW}`, makeBuild(String(later), nameTrail(trail))))
    return String(earlier)
  }

  it('explains it on a phone, in lines that fit the screen', async () => {
    const earlier = await rebuild('rebuilt')
    const { page, complaints } = await company.sameWindow('phone', 'ines')
    await show(page, `/${ORG}/flows/statement-mailer/trails/rebuilt`)
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
  it('lists each of its files with size and hash on a phone, and downloads the chosen one', async () => {
    const contents = ['<testsuites/>', 'x'.repeat(3_000_000), '{"runs":[]}']
    const names = ['junit.xml', `${'a-very-long-name-of-a-file-'.repeat(8)}.json`, 'junit.xml']
    const form = new FormData()
    form.append('data_json', JSON.stringify({ attestation_name: 'several-files', is_compliant: true }))
    for (const [i, content] of contents.entries())
      form.append('attachment_file', new Blob([content]), names[i])
    const headers = { authorization: `Bearer ${company.app.member.key}` }
    const address = `${company.url}/api/v2/attestations/${ORG}/${FLOW}/trail/files/generic`
    must(await company.app.member.put(`/trails/${ORG}/${FLOW}`, { name: 'files' }))
    const sent = await fetch(address, { method: 'POST', headers, body: form })
    expect(sent.status).toBe(201)
    const { page, complaints } = await company.sameWindow('phone', 'ines')
    await show(page, `/${ORG}/flows/${FLOW}/trails/files`)
    await page.getByRole('link', { name: 'several-files' }).first().click()
    const drawer = page.getByRole('dialog', { name: 'Attestation' })
    const list = drawer.getByRole('region', { name: 'Attached files' })
    await list.getByRole('listitem').first().waitFor()
    const texts = await list.getByRole('listitem').allInnerTexts()
    expect(texts).toHaveLength(3)
    for (const [i, content] of contents.entries()) {
      expect(texts[i]).toContain(names[i])
      expect(texts[i]).toContain(createHash('sha256').update(content).digest('hex'))
    }
    await list.scrollIntoViewIfNeeded()
    expect(await measureOverflow(page)).toBe(0)
    const [file] = await Promise.all([
      page.waitForEvent('download'),
      list.getByRole('link', { name: 'Download junit.xml' }).last().click(),
    ])
    const content = await readFile(await file.path(), 'utf8')
    expect([file.suggestedFilename(), content]).toEqual(['junit.xml', '{"runs":[]}'])
    expect(complaints).toEqual([])
  })
})

describe('an SBOM', () => {
  it('says what it is about, and that it should be about the artifact', async () => {
    const { member } = company.app
    const [artifact = '', other = ''] = ['7', '8'].map(makeFingerprint)
    must(await member.post(`/artifacts/${ORG}/${FLOW}`, makeBuild(artifact, nameTrail('bom'))))
    must(
      await member.post(`/attestations/${ORG}/${FLOW}/trail/bom/system`, {
        attestation_name: 'sbom',
        type_name: 'sbom',
        artifact_fingerprint: artifact,
        attestation_data: {
          format: 'cyclonedx-1.6',
          original_fingerprint: makeFingerprint('9'),
          document: { subject: { name: 'mailer', version: '1.4.0', sha256: other }, package_count: 311 },
        },
      }),
    )
    const { page, complaints } = await company.sameWindow('phone', 'ines')
    await show(page, `/${ORG}/flows/${FLOW}/trails/bom`)
    await page.getByRole('link', { name: 'sbom', exact: true }).first().click()
    const drawer = page.getByRole('dialog', { name: 'Attestation' })
    await drawer.getByText('mailer 1.4.0').waitFor()
    const text = await drawer.innerText()
    for (const part of ['cyclonedx-1.6', '311', `an SBOM of ${other}`, `an SBOM of the artifact ${artifact}`])
      expect(text).toContain(part)
    expect(await measureOverflow(page)).toBe(0)
    expect(complaints).toEqual([])
  })
})

describe('a flow', () => {
  it('gets a new template, once it is valid', async () => {
    const { page, complaints } = await company.sameWindow('desk', 'teo')
    await show(page, `/${ORG}/flows/statement-mailer?tab=template`)
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
})
