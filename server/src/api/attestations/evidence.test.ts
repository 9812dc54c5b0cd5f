// Downloading the attachment of an attestation.
import { createHash, randomBytes } from 'node:crypto'
import { readdirSync, rmSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { startTestApp, type TestApp } from '../../../test/harness.ts'

const TRAIL = '/attestations/acme/ci/trail/run'

let app: TestApp
beforeAll(async () => {
  app = await startTestApp()
  await app.member.put('/flows/acme', { name: 'ci', description: '' })
  await app.member.put('/trails/acme/ci', { name: 'run' })
})
afterAll(() => app.stop())

/** Attests with the content as an attachment, and returns its URL. */
async function attach(attestation_name: string, content: Buffer): Promise<string> {
  const data_json = JSON.stringify({ attestation_name, is_compliant: true })
  const attachment_file = new Blob([new Uint8Array(content)], { type: 'text/html' })
  const { status } = await app.member.form('POST', `${TRAIL}/generic`, { data_json, attachment_file })
  expect(status).toBe(201)
  return getEvidenceUrl(attestation_name)
}

/** Like `attach`, with a file name. */
async function attachNamed(attestation_name: string, name: string): Promise<string> {
  const formatPart = (disposition: string, value: string) =>
    `--B\r\nContent-Disposition: form-data; ${disposition}\r\n\r\n${value}\r\n`
  const form =
    formatPart('name="data_json"', JSON.stringify({ attestation_name, is_compliant: true })) +
    formatPart(`name="attachment_file"; filename="${name.replaceAll('"', '\\"')}"`, 'x')
  const { status } = await app.member.call('POST', `${TRAIL}/generic`, `${form}--B--\r\n`, {
    'content-type': 'multipart/form-data; boundary=B',
  })
  expect(status).toBe(201)
  return getEvidenceUrl(attestation_name)
}

async function getEvidenceUrl(attestation_name: string): Promise<string> {
  const { body } = await app.member.get(`${TRAIL}/${attestation_name}`)
  return `/api/v2${TRAIL}/attestation/${body[0].attestation_id}/evidence`
}

const download = (url: string) =>
  app.server.inject({ method: 'GET', url, headers: { authorization: `Bearer ${app.reader.key}` } })

async function getFilePath(content: Buffer): Promise<string> {
  const [org] = await app.sql("select org_id from orgs where name = 'acme'")
  const sha256 = createHash('sha256').update(content).digest('hex')
  return join(app.evidence_dir, String(org?.org_id), sha256.slice(0, 2), sha256)
}

describe('200', () => {
  it('is the attachment byte for byte, as a file to save', async () => {
    const content = Buffer.concat([randomBytes(300_000), Buffer.from('\r\n\0<script>alert(1)</script>\r\n')])
    const { statusCode, headers, rawPayload } = await download(await attach('bytes', content))
    expect(statusCode).toBe(200)
    expect(rawPayload.equals(content)).toBe(true)
    expect(headers).toMatchObject({
      'content-type': 'application/octet-stream',
      'content-length': String(content.length),
      'content-disposition': expect.stringMatching(/^attachment;/),
      'x-content-type-options': 'nosniff',
      'content-security-policy': expect.stringContaining('sandbox'),
    })
  })

  it.each([
    ['report.pdf', 'report.pdf', 'report.pdf'],
    ['r"; filename="run.html', 'r___filename__run.html', 'r%22%3B%20filename%3D%22run.html'],
    ['Prüfung\u2028.pdf', 'Pr_fung_.pdf', 'Pr%C3%BCfung%E2%80%A8.pdf'],
  ])('keeps the name %j, however it would affect a header', async (name, plain, encoded) => {
    const attestation_name = `named-${plain.length}`
    const { headers } = await download(await attachNamed(attestation_name, name))
    expect(headers['content-disposition']).toBe(
      `attachment; filename="${plain}"; filename*=UTF-8''${encoded}`,
    )
  })
})

describe('the same content twice', () => {
  it('is one object per organization', async () => {
    const content = Buffer.from('shared by two')
    const paths = [await attach('first', content), await attach('second', content)]
    for (const path of paths) expect((await download(path)).rawPayload.equals(content)).toBe(true)
    const sha256 = createHash('sha256').update(content).digest('hex')
    const listFiles = () =>
      readdirSync(app.evidence_dir, { recursive: true }).filter(path => String(path).endsWith(sha256))
    expect(listFiles()).toHaveLength(1)
    await app.outsider.put('/flows/other-corp', { name: 'ci', description: '' })
    await app.outsider.put('/trails/other-corp/ci', { name: 'run' })
    const parts = {
      data_json: JSON.stringify({ attestation_name: 'theirs', is_compliant: true }),
      attachment_file: new Blob([new Uint8Array(content)]),
    }
    await app.outsider.form('POST', '/attestations/other-corp/ci/trail/run/generic', parts)
    expect(listFiles()).toHaveLength(2)
  })
})

describe('404', () => {
  it('is returned for an attestation without an attachment, and for one of another trail', async () => {
    await app.member.post(`${TRAIL}/generic`, { attestation_name: 'bare', is_compliant: true })
    const { body } = await app.member.get(`${TRAIL}/bare`)
    const path = `/api/v2${TRAIL}/attestation/${body[0].attestation_id}/evidence`
    expect((await download(path)).statusCode).toBe(404)
    const attached = await attach('elsewhere', Buffer.from('x'))
    expect((await download(attached.replace('/run/', '/other/'))).statusCode).toBe(404)
  })

  it('is returned for an attachment that is missing from the store', async () => {
    const content = Buffer.from('to be lost')
    const path = await attach('lost', content)
    rmSync(await getFilePath(content))
    const { statusCode, body } = await download(path)
    expect([statusCode, JSON.parse(body).message]).toEqual([
      404,
      expect.stringMatching(/is missing from the evidence store$/),
    ])
  })
})

describe('a damaged object', () => {
  it('ends the download before its last bytes', async () => {
    const content = randomBytes(300_000)
    const path = await attach('damaged', content)
    content[0] = (content[0] ?? 0) ^ 1
    writeFileSync(
      await getFilePath(Buffer.concat([Buffer.from([(content[0] ?? 0) ^ 1]), content.subarray(1)])),
      content,
    )
    const received = await download(path).then(
      ({ rawPayload }) => rawPayload.length,
      () => 0,
    )
    expect(received).toBeLessThan(content.length)
  })
})
