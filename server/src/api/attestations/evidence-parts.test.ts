// Unusual multipart forms: whatever the headers of an attachment, either nothing is stored or the evidence is.
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { startTestApp, type TestApp, type TestResponse } from '../../../test/harness.ts'

const TRAIL = '/attestations/acme/ci/trail/run'
const CONTENT = Buffer.from([0, 255, 13, 10, 45, 45, 65, 13, 10, 13, 10, 1, 2])

let app: TestApp
let forms = 0
beforeAll(async () => {
  app = await startTestApp()
  await app.member.put('/flows/acme', { name: 'ci', description: '' })
  await app.member.put('/trails/acme/ci', { name: 'run' })
})
afterAll(() => app.stop())

const NAMED = 'form-data; name="attachment_file"'
const formatDisposition = (value: string) => `Content-Disposition: ${value}`
const formatNamed = (file_name: string) => formatDisposition(`${NAMED}; ${file_name}`)

interface Sent {
  name: string
  answer: TestResponse
}

/** Sends the JSON first, then a part with these headers. */
async function send(headers: string, content_type = 'multipart/form-data; boundary=B'): Promise<Sent> {
  const name = `odd-${forms++}`
  const json = JSON.stringify({ attestation_name: name, is_compliant: true })
  const body = Buffer.concat([
    Buffer.from(`--B\r\nContent-Disposition: form-data; name="data_json"\r\n\r\n${json}\r\n`),
    Buffer.from(`--B\r\n${headers}\r\n\r\n`, 'latin1'),
    CONTENT,
    Buffer.from('\r\n--B--\r\n'),
  ])
  const answer = await app.member.call('POST', `${TRAIL}/generic`, body, { 'content-type': content_type })
  return { name, answer }
}

async function findStored(name: string) {
  const { body } = await app.reader.get(`${TRAIL}/${name}`)
  return body[0] as { attestation_id: string; evidence_archive_path: string | null } | undefined
}

async function readContent(attestation_id: string): Promise<Buffer> {
  const url = `/api/v2${TRAIL}/attestation/${attestation_id}/evidence`
  const headers = { authorization: `Bearer ${app.reader.key}` }
  return (await app.server.inject({ method: 'GET', url, headers })).rawPayload
}

describe('201 with the evidence, byte for byte', () => {
  it.each([
    ['a plain name', formatNamed('filename="report.xml"')],
    ['no file name', formatDisposition(NAMED)],
    ['an empty file name', formatNamed('filename=""')],
    ['an empty encoded file name', formatNamed("filename*=UTF-8''")],
    ['a path', formatNamed('filename="../../etc/passwd"')],
    ['a Windows path', formatNamed('filename="C:\\\\reports\\\\junit.xml"')],
    ['only a path', formatNamed('filename="../"')],
    ['dots', formatNamed('filename=".."')],
    ['control characters, encoded', formatNamed("filename*=UTF-8''a%01%07b")],
    ['control characters, plain', formatNamed('filename="a\x01\x7fb"')],
    ['a NUL', formatNamed("filename*=UTF-8''a%00b")],
    ['a tab', formatNamed('filename="a\tb"')],
    ['bytes that are not UTF-8', formatNamed('filename="\xff\xfe"')],
    ['encoded bytes that are not UTF-8', formatNamed("filename*=UTF-8''%ff%fe")],
    ['half of a surrogate pair', formatNamed("filename*=UTF-8''%ed%a0%80")],
    ['an unknown character set', formatNamed("filename*=KLINGON''a")],
    ['a character set with odd characters', formatNamed("filename*=../x%00''a")],
    ['no character set', formatNamed("filename*=''a")],
    ['an encoded name without quote marks', formatNamed('filename*=a')],
    ['an escaped quote', formatNamed('filename="a\\"b"')],
    ['a quote that never ends', formatNamed('filename="a')],
    ['a semicolon', formatNamed('filename="a;b"')],
    ['two file names', formatNamed('filename="a"; filename="b"')],
    ['both kinds of file name', formatNamed('filename="a"; filename*=UTF-8\'\'b%20c')],
    ['an unknown parameter', formatNamed('size=3; filename="a"')],
    ['a thousand characters', formatNamed(`filename="${'n'.repeat(1000)}"`)],
    ['capitals', 'CONTENT-DISPOSITION: FORM-DATA; NAME="attachment_file"; FILENAME="a"'],
    ['no blanks', 'Content-Disposition:form-data;name="attachment_file";filename="a"'],
    ['names without quotes', formatDisposition('form-data; name=attachment_file; filename=a')],
    ['a folded header', 'Content-Disposition: form-data;\r\n name="attachment_file"; filename="a"'],
    ['the disposition last', `Content-Type: text/xml\r\nX-Other: 1\r\n${formatNamed('filename="a"')}`],
    [
      'a content type of its own',
      `${formatNamed('filename="a"')}\r\nContent-Type: application/json; charset=klingon`,
    ],
    ['an invalid content type', `${formatNamed('filename="a"')}\r\nContent-Type: ;;;`],
  ])('%s', async (_, headers) => {
    const { name, answer } = await send(headers)
    expect([answer.status, answer.body]).toEqual([201, 'OK'])
    const stored = await findStored(name)
    expect((await readContent(stored?.attestation_id ?? '')).equals(CONTENT)).toBe(true)
    expect(stored?.evidence_archive_path).toMatch(/^[^\p{Cc}]+$/u)
  })
})

describe('400 and nothing stored', () => {
  const UNREADABLE = 'The part cannot be read: a part needs `Content-Disposition: form-data; name="..."`'
  it.each([
    ['a line break in the file name', formatNamed("filename*=UTF-8''a%0db"), 'attachment_file'],
    ['a new line in the file name', formatNamed("filename*=UTF-8''a%0Ab"), 'attachment_file'],
    ['a bare line break in the header', formatNamed('filename="a\rb"'), 'attachment_file'],
    ['another kind of part', formatDisposition('attachment; name="attachment_file"'), 'attachment_file'],
    ['no kind of part', formatDisposition('name="attachment_file"'), 'attachment_file'],
    ['two colons and no name', 'Content-Disposition:: form-data', 'body'],
    [
      'a line before the headers that is not a header',
      `nonsense\r\n${formatNamed('filename="a"')}`,
      'attachment_file',
    ],
    ['no headers at all', 'X-Other: 1', 'body'],
    [
      'more headers than are read',
      `${'X-A: 1\r\n'.repeat(60)}${formatNamed('filename="a"')}`,
      'attachment_file',
    ],
    ['a line break in the name', formatDisposition("form-data; name*=UTF-8''attach%0dment"), 'attach%0dment'],
    [
      'headers that do not end',
      'Content-Disposition: form-data; name="attachment_file"\r\n--B',
      'attachment_file',
    ],
  ])('%s', async (_, headers, part) => {
    const { name, answer } = await send(headers)
    expect(answer.status).toBe(400)
    expect(answer.body.errors[part]).toContain(UNREADABLE)
    expect(await findStored(name)).toBeUndefined()
  })

  it.each([
    ['no name', formatDisposition('form-data; filename="a"'), 'body', 'A part has no name'],
    ['an empty name', formatDisposition('form-data; name=""; filename="a"'), 'body', 'A part has no name'],
    ['another name', formatDisposition('form-data; name="other"; filename="a"'), 'other', 'Extra inputs'],
    [
      'nearly the name',
      formatDisposition('form-data; name="Attachment_File"'),
      'Attachment_File',
      'Extra inputs',
    ],
    ['the name of the JSON', formatDisposition('form-data; name="data_json"'), 'data_json', 'sent twice'],
  ])('%s', async (_, headers, part, sentence) => {
    const { name, answer } = await send(headers)
    expect(answer.status).toBe(400)
    expect(answer.body.errors[part]).toContain(sentence)
    expect(await findStored(name)).toBeUndefined()
  })

  it.each([
    ['hidden in another parameter', 'multipart/form-data; x="; boundary=Z"; boundary=B'],
    ['named twice', 'multipart/form-data; boundary=B; boundary=Z'],
    ['encoded', "multipart/form-data; boundary*=UTF-8''B"],
  ])('an unreadable part, behind a boundary that is %s', async (_, content_type) => {
    const { name, answer } = await send(formatNamed("filename*=UTF-8''a%0db"), content_type)
    expect(answer.status).toBe(400)
    expect(await findStored(name)).toBeUndefined()
  })
})
