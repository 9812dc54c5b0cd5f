import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { BASE_URL, makeFile, startTestApp, type TestApp } from '../../../test/harness.ts'
import { readPdf } from '../../../test/pdf.ts'
import { makeBuild, makeFingerprint, makeFlow, nameTrail } from '../../../test/reports.ts'
import { recordWaits } from '../../../test/statement-log.ts'

let app: TestApp
beforeAll(async () => {
  app = await startTestApp()
  await makeFlow(app, 'ci')
  await app.member.post(
    '/artifacts/acme/ci',
    makeBuild(makeFingerprint('a'), { ...nameTrail('run'), filename: 'образ:1' }),
  )
  await app.member.put('/trails/acme/ci', { name: 'empty' })
  for (const [name, artifact_fingerprint] of [
    ['of-trail', undefined] as const,
    ['of-artifact', makeFingerprint('a')] as const,
  ]) {
    await app.member.form('POST', '/attestations/acme/ci/trail/run/generic', {
      data_json: JSON.stringify({ attestation_name: name, is_compliant: true, artifact_fingerprint }),
      attachment_file: makeFile('evidence'),
    })
  }
})
afterAll(() => app.stop())

const TRAIL = '/trails/acme/ci/run/audit_pdf'
const ARTIFACT = `/artifacts/acme/ci/fingerprint/${makeFingerprint('a')}/audit_pdf`

const download = (url: string) =>
  app.server.inject({
    method: 'GET',
    url: `/api/v2${url}`,
    headers: { authorization: `Bearer ${app.reader.key}` },
  })

describe('200', () => {
  it('is a PDF to save, with the same facts as the summary in the package of the trail', async () => {
    const { statusCode, headers, rawPayload } = await download(TRAIL)
    expect(statusCode).toBe(200)
    expect(headers['content-type']).toBe('application/pdf')
    expect(headers['content-disposition']).toContain('attachment; filename="ci-run.pdf"')
    const { pages, links } = readPdf(rawPayload)
    const lines = pages.join('\n').split('\n')
    for (const said of [
      'Trail run of flow ci',
      'acme',
      'COMPLIANT',
      'of-trail',
      'of-artifact',
      'max',
      'the trail',
    ]) {
      expect(lines).toContain(said)
    }
    expect(lines).toContain(app.clock.now().toISOString())
    expect(lines.slice(-2)).toEqual([BASE_URL, 'Page 1 of 1'])
    expect(links[0]).toBe(`${BASE_URL}/acme/flows/ci/trails/run`)
  })

  it.each([ARTIFACT, `/artifacts/acme/ci/${makeFingerprint('a').slice(0, 8)}/audit_pdf`])(
    'is a PDF of the artifact: %s',
    async path => {
      const { statusCode, rawPayload } = await download(path)
      expect(statusCode).toBe(200)
      const text = readPdf(rawPayload).pages.join('\n')
      expect(text).toContain('Artifact [U+043E][U+0431][U+0440][U+0430][U+0437]:1')
      expect(text).toContain('of-artifact')
      expect(text).not.toContain('of-trail')
    },
  )

  it('exists for a trail without attestations', async () => {
    const { pages } = readPdf((await download('/trails/acme/ci/empty/audit_pdf')).rawPayload)
    expect(pages[0]).toContain('none')
  })

  it('waits for the database equally often, whatever the content', async () => {
    await download(TRAIL)
    const full = await recordWaits(app, () => download(TRAIL))
    expect(await recordWaits(app, () => download('/trails/acme/ci/empty/audit_pdf'))).toHaveLength(
      full.length,
    )
  })
})

describe('the package of an artifact', () => {
  it('is also found without the word fingerprint', async () => {
    const { statusCode, headers } = await download(`/artifacts/acme/ci/${makeFingerprint('a')}/audit_package`)
    expect(statusCode).toBe(200)
    expect(headers['content-type']).toBe('application/gzip')
  })
})

describe('400', () => {
  it('requires a fingerprint', async () => {
    const { status, body } = await app.reader.get('/artifacts/acme/ci/xyz/audit_pdf')
    expect(status).toBe(400)
    expect(Object.keys(body.errors)).toEqual(['fingerprint'])
  })
})

describe('403', () => {
  it.each([TRAIL, ARTIFACT])('denies an org the caller does not belong to: %s', async path =>
    expect((await app.outsider.get(path)).status).toBe(403),
  )
})

describe('404', () => {
  it.each([
    [
      '/trails/acme/ci/nothing/audit_pdf',
      "Trail with name 'nothing' does not exist for Organization 'acme' and Flow 'ci'",
    ],
    ['/trails/acme/nowhere/run/audit_pdf', "Flow named 'nowhere' does not exist for organization 'acme'"],
    [
      '/artifacts/acme/ci/fingerprint/bbbbb/audit_pdf',
      "Fingerprint 'bbbbb' does not match exactly one artifact in flow 'ci'",
    ],
  ])('%s', async (path, message) => {
    const { status, body } = await app.reader.get(path)
    expect(status).toBe(404)
    expect(body).toEqual({ message })
  })
})
