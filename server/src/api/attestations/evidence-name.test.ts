// The name of a downloaded attachment: always a file to save, whatever its name.
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { startTestApp, type TestApp } from '../../../test/harness.ts'
import { makeFlow, readStoredRows } from '../../../test/reports.ts'

const CONTENT = '<script>alert(1)</script>\r\n\0'

let app: TestApp
let attached = 0
beforeAll(async () => {
  app = await startTestApp()
  await makeFlow(app, 'ci')
  await app.member.put('/trails/acme/ci', { name: 'run' })
})
afterAll(() => app.stop())

const formatPart = (head: string, value: string) =>
  `--B\r\nContent-Disposition: form-data; ${head}\r\n\r\n${value}\r\n`

/** Sent as raw bytes, because an HTTP client would sanitize the name itself. */
async function download(file_name: string) {
  const attestation_name = `file-${++attached}`
  const data_json = JSON.stringify({ attestation_name, is_compliant: true })
  const quoted = file_name.replaceAll(/["\\]/g, character => `\\${character}`)
  const body = [
    formatPart('name="data_json"', data_json),
    formatPart(`name="attachment_file"; filename="${quoted}"`, CONTENT),
    '--B--\r\n',
  ].join('')
  const type = { 'content-type': 'multipart/form-data; boundary=B' }
  const sent = await app.member.call('POST', '/attestations/acme/ci/trail/run/generic', body, type)
  expect([sent.status, sent.body]).toEqual([201, 'OK'])
  const [{ attestation_id }] = (await app.reader.get(`/attestations/acme/ci/trail/run/${attestation_name}`))
    .body
  return app.reader.get(`/attestations/acme/ci/trail/run/attestation/${attestation_id}/evidence`)
}

describe('400', () => {
  it('refuses an attestation with an unreadable file, and keeps nothing of it', async () => {
    const before = await readStoredRows(app)
    const body = [
      formatPart('name="data_json"', JSON.stringify({ attestation_name: 'lost', is_compliant: true })),
      formatPart('name="attachment_file"; filename*=UTF-8\'\'a%0db', CONTENT),
      '--B--\r\n',
    ].join('')
    const type = { 'content-type': 'multipart/form-data; boundary=B' }
    const sent = await app.member.call('POST', '/attestations/acme/ci/trail/run/generic', body, type)
    expect(sent.status).toBe(400)
    expect(sent.body.errors.attachment_file).toMatch(/^The part cannot be read/)
    expect(await readStoredRows(app)).toEqual(before)
  })
})

describe('200', () => {
  it.each([
    ['results.xml', 'results.xml'],
    ['Größe 1.xml', 'Gr__e_1.xml'],
    ['a".html', 'a_.html'],
    ['a"; filename="page.html', 'a___filename__page.html'],
    ['per%22cent.txt', 'per_22cent.txt'],
    ["it's; x=y.txt", 'it_s__x_y.txt'],
  ])('downloads %j as %j, in a header that the name cannot break', async (sent, plain) => {
    const { status, headers, text } = await download(sent)
    expect(status).toBe(200)
    expect(text).toBe(CONTENT)
    const [, shown, encoded] =
      /^attachment; filename="([^"]*)"; filename\*=UTF-8''([^;"]*)$/.exec(
        String(headers['content-disposition']),
      ) ?? []
    expect(shown).toBe(plain)
    expect(decodeURIComponent(encoded ?? '')).toBe(sent)
    expect(headers['content-type']).toBe('application/octet-stream')
    expect(headers['x-content-type-options']).toBe('nosniff')
  })
})
