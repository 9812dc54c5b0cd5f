// Odd forms: whatever the header of an attachment looks like, either nothing is stored or the evidence is.
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { type Answered, type TestApp, testApp } from '../../../test/harness.ts'

const TRAIL = '/attestations/acme/ci/trail/run'
const CONTENT = Buffer.from([0, 255, 13, 10, 45, 45, 65, 13, 10, 13, 10, 1, 2])

let app: TestApp
let forms = 0
beforeAll(async () => {
  app = await testApp()
  await app.member.put('/flows/acme', { name: 'ci', description: '' })
  await app.member.put('/trails/acme/ci', { name: 'run' })
})
afterAll(() => app.stop())

const NAMED = 'form-data; name="attachment_file"'
const disposition = (value: string) => `Content-Disposition: ${value}`
const named = (file_name: string) => disposition(`${NAMED}; ${file_name}`)

interface Sent {
  name: string
  answer: Answered
}

/** The JSON first, then a part with these headers; the last part when the boundary is another. */
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

async function storedAs(name: string) {
  const { body } = await app.reader.get(`${TRAIL}/${name}`)
  return body[0] as { attestation_id: string; evidence_archive_path: string | null } | undefined
}

async function contentOf(attestation_id: string): Promise<Buffer> {
  const url = `/api/v2${TRAIL}/attestation/${attestation_id}/evidence`
  const headers = { authorization: `Bearer ${app.reader.key}` }
  return (await app.server.inject({ method: 'GET', url, headers })).rawPayload
}

describe('201 with the evidence, byte for byte', () => {
  it.each([
    ['a plain name', named('filename="report.xml"')],
    ['no file name', disposition(NAMED)],
    ['an empty file name', named('filename=""')],
    ['an empty encoded file name', named("filename*=UTF-8''")],
    ['a path', named('filename="../../etc/passwd"')],
    ['a path of Windows', named('filename="C:\\\\reports\\\\junit.xml"')],
    ['only a path', named('filename="../"')],
    ['dots', named('filename=".."')],
    ['control characters, encoded', named("filename*=UTF-8''a%01%07b")],
    ['control characters, plain', named('filename="a\x01\x7fb"')],
    ['a NUL', named("filename*=UTF-8''a%00b")],
    ['a tab', named('filename="a\tb"')],
    ['bytes that are not UTF-8', named('filename="\xff\xfe"')],
    ['encoded bytes that are not UTF-8', named("filename*=UTF-8''%ff%fe")],
    ['a half of a surrogate pair', named("filename*=UTF-8''%ed%a0%80")],
    ['a character set nobody knows', named("filename*=KLINGON''a")],
    ['a character set with odd characters', named("filename*=../x%00''a")],
    ['no character set', named("filename*=''a")],
    ['an encoded name without quotes marks', named('filename*=a')],
    ['an escaped quote', named('filename="a\\"b"')],
    ['a quote that never ends', named('filename="a')],
    ['a semicolon', named('filename="a;b"')],
    ['two file names', named('filename="a"; filename="b"')],
    ['both kinds of file name', named('filename="a"; filename*=UTF-8\'\'b%20c')],
    ['an unknown parameter', named('size=3; filename="a"')],
    ['a thousand characters', named(`filename="${'n'.repeat(1000)}"`)],
    ['capitals', 'CONTENT-DISPOSITION: FORM-DATA; NAME="attachment_file"; FILENAME="a"'],
    ['no blanks', 'Content-Disposition:form-data;name="attachment_file";filename="a"'],
    ['names without quotes', disposition('form-data; name=attachment_file; filename=a')],
    ['a folded header', 'Content-Disposition: form-data;\r\n name="attachment_file"; filename="a"'],
    ['the disposition last', `Content-Type: text/xml\r\nX-Other: 1\r\n${named('filename="a"')}`],
    [
      'a content type of its own',
      `${named('filename="a"')}\r\nContent-Type: application/json; charset=klingon`,
    ],
    ['a content type that is none', `${named('filename="a"')}\r\nContent-Type: ;;;`],
  ])('%s', async (_, headers) => {
    const { name, answer } = await send(headers)
    expect([answer.status, answer.body]).toEqual([201, 'OK'])
    const stored = await storedAs(name)
    expect((await contentOf(stored?.attestation_id ?? '')).equals(CONTENT)).toBe(true)
    expect(stored?.evidence_archive_path).toMatch(/^[^\p{Cc}]+$/u)
  })
})

describe('400 and nothing stored', () => {
  const UNREADABLE = 'The part cannot be read: a part needs `Content-Disposition: form-data; name="..."`'
  it.each([
    ['a line break in the file name', named("filename*=UTF-8''a%0db"), 'attachment_file'],
    ['a new line in the file name', named("filename*=UTF-8''a%0Ab"), 'attachment_file'],
    ['a bare line break in the header', named('filename="a\rb"'), 'attachment_file'],
    ['another kind of part', disposition('attachment; name="attachment_file"'), 'attachment_file'],
    ['no kind of part', disposition('name="attachment_file"'), 'attachment_file'],
    ['two colons and no name', 'Content-Disposition:: form-data', 'body'],
    ['a line that is no header in front', `nonsense\r\n${named('filename="a"')}`, 'attachment_file'],
    ['no headers at all', 'X-Other: 1', 'body'],
    ['more headers than are read', `${'X-A: 1\r\n'.repeat(60)}${named('filename="a"')}`, 'attachment_file'],
    ['a line break in the name', disposition("form-data; name*=UTF-8''attach%0dment"), 'attach%0dment'],
    [
      'headers that never end',
      'Content-Disposition: form-data; name="attachment_file"\r\n--B',
      'attachment_file',
    ],
  ])('%s', async (_, headers, part) => {
    const { name, answer } = await send(headers)
    expect(answer.status).toBe(400)
    expect(answer.body.errors[part]).toContain(UNREADABLE)
    expect(await storedAs(name)).toBeUndefined()
  })

  it.each([
    ['no name', disposition('form-data; filename="a"'), 'body', 'A part has no name'],
    ['an empty name', disposition('form-data; name=""; filename="a"'), 'body', 'A part has no name'],
    ['another name', disposition('form-data; name="other"; filename="a"'), 'other', 'Extra inputs'],
    ['nearly the name', disposition('form-data; name="Attachment_File"'), 'Attachment_File', 'Extra inputs'],
    ['the name of the JSON', disposition('form-data; name="data_json"'), 'data_json', 'sent twice'],
  ])('%s', async (_, headers, part, sentence) => {
    const { name, answer } = await send(headers)
    expect(answer.status).toBe(400)
    expect(answer.body.errors[part]).toContain(sentence)
    expect(await storedAs(name)).toBeUndefined()
  })

  it.each([
    ['hidden in another parameter', 'multipart/form-data; x="; boundary=Z"; boundary=B'],
    ['named twice', 'multipart/form-data; boundary=B; boundary=Z'],
    ['named in another way', "multipart/form-data; boundary*=UTF-8''B"],
  ])('a part that cannot be read, behind a boundary that is %s', async (_, content_type) => {
    const { name, answer } = await send(named("filename*=UTF-8''a%0db"), content_type)
    expect(answer.status).toBe(400)
    expect(await storedAs(name)).toBeUndefined()
  })
})
