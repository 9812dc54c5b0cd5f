import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { makeFile, startTestApp, type TestApp } from '../../test/harness.ts'

const MIB = 1024 * 1024
const FLOW = '/flows/acme/template_file'
const TRAIL = '/trails/acme/ci'

let app: TestApp
beforeAll(async () => {
  app = await startTestApp()
  await app.member.put('/flows/acme', { name: 'ci', description: '' })
})
afterAll(() => app.stop())

async function countRows() {
  const [row] = await app.sql(`select (select count(*)::int from flows) as flows,
    (select count(*)::int from trails) as trails, (select count(*)::int from templates) as templates,
    (select count(*)::int from events) as events`)
  return row
}

const buildInvalidBody = (errors: Record<string, string>) => ({
  message: 'Input payload validation failed',
  errors,
})

/** A form written by hand, for input that a well-behaved encoder never sends. */
const putRaw = (body: string | Buffer, type = 'multipart/form-data; boundary=B') =>
  app.member.call('PUT', FLOW, body, { 'content-type': type })
const buildPart = (name: string, value: string, headers = '') =>
  `--B\r\nContent-Disposition: form-data; name="${name}"\r\n${headers}\r\n${value}\r\n`
const END = '--B--\r\n'

/** A trail whose JSON has exactly this length. */
function buildTrail(bytes: number, name: string): string {
  const [head, tail] = [`{"name":"${name}","user_data":["`, '"]}']
  return head + 'x'.repeat(bytes - head.length - tail.length) + tail
}

describe('accepted', () => {
  it('a JSON part of exactly 1 MiB', async () => {
    const { status } = await app.member.form('PUT', TRAIL, { data_json: buildTrail(MIB, 'whole') })
    expect(status).toBe(201)
    const { user_data } = (await app.reader.get('/trails/acme/ci/whole')).body
    expect(user_data[0].length).toBe(MIB - buildTrail(MIB, 'whole').indexOf('["') - 5)
  })

  it('JSON where a form is expected, as a body', async () => {
    expect((await app.member.put(TRAIL, { name: 'plain' })).status).toBe(201)
  })

  it.each([
    ['its own content type', 'Content-Type: application/json\r\n'],
    ['a character set', 'Content-Type: text/plain; charset=utf-8\r\n'],
  ])('a JSON part with %s', async (_, headers) => {
    const name = `typed-${headers.length}`
    const { status } = await putRaw(
      buildPart('data_json', `{"name":"${name}","description":"é"}`, headers) + END,
    )
    expect(status).toBe(201)
    expect((await app.reader.get(`/flows/acme/${name}`)).body.description).toBe('é')
  })

  it('a JSON part with a file name, and the parts in any order', async () => {
    const parts = { template_file: makeFile('version: 1'), data_json: makeFile('{"name":"any-order"}') }
    expect((await app.member.form('PUT', FLOW, parts)).status).toBe(201)
  })

  it('a template as a plain field', async () => {
    const { status } = await putRaw(
      buildPart('data_json', '{"name":"field"}') + buildPart('template_file', 'version: 1') + END,
    )
    expect(status).toBe(201)
  })
})

describe('400', () => {
  it.each([
    ['a form without parts', {}],
    ['a form with a file alone', { template_file: makeFile('version: 1') }],
  ])('%s requires the JSON part', async (_, parts) => {
    const before = await countRows()
    const { status, body } = await app.member.form('PUT', FLOW, parts)
    expect(status).toBe(400)
    expect(body).toEqual(buildInvalidBody({ data_json: 'Field required [input: None]' }))
    expect(await countRows()).toEqual(before)
  })

  it.each([
    ['a field', 'x'],
    ['a file', makeFile('x'.repeat(3 * MIB))],
  ])('an unknown part: %s', async (_, other) => {
    const before = await countRows()
    const { status, body } = await app.member.form('PUT', FLOW, { data_json: '{"name":"x"}', other })
    expect(status).toBe(400)
    expect(body).toEqual(buildInvalidBody({ other: 'Extra inputs are not permitted' }))
    expect(await countRows()).toEqual(before)
  })

  it.each([
    ['data_json', buildPart('data_json', '{"name":"x"}')],
    ['template_file', buildPart('template_file', 'version: 1')],
  ])('%s twice', async (name, second) => {
    const first = buildPart('data_json', '{"name":"x"}') + buildPart('template_file', 'version: 1')
    const { status, body } = await putRaw(first + second + END)
    expect(status).toBe(400)
    expect(body).toEqual(buildInvalidBody({ [name]: 'The part was sent twice' }))
  })

  it.each([
    ['an end that never comes', buildPart('data_json', '{"name":"x"}')],
    ['a part that is cut', buildPart('data_json', '{"name":"x"}').slice(0, -8)],
    ['no boundary in the body', 'hello'],
    ['no boundary in the header', buildPart('data_json', '{"name":"x"}') + END, 'multipart/form-data'],
    ['another boundary', buildPart('data_json', '{"name":"x"}') + END, 'multipart/form-data; boundary=C'],
    ['a part called __proto__', buildPart('data_json', '{"name":"x"}') + buildPart('__proto__', 'x') + END],
  ])('%s', async (_, body, type?: string) => {
    const before = await countRows()
    const answer = await putRaw(body, type)
    expect(answer.status).toBe(400)
    expect(answer.body).toEqual(buildInvalidBody({ body: 'The multipart body cannot be read' }))
    expect(await countRows()).toEqual(before)
  })

  it.each([
    ['without a name', 'X-Nothing: 1', 'body'],
    ['of another kind', 'Content-Disposition: attachment; name="template_file"', 'template_file'],
    [
      'with a line break in its file name',
      'Content-Disposition: form-data; name="template_file"; filename*=UTF-8\'\'a%0db',
      'template_file',
    ],
  ])('a part %s, which may be the evidence', async (_, header, name) => {
    const before = await countRows()
    const unread = `--B\r\n${header}\r\n\r\nversion: 1\r\n`
    for (const body of [
      buildPart('data_json', '{"name":"x"}') + unread,
      unread + buildPart('data_json', '{"name":"x"}'),
    ]) {
      const answer = await putRaw(body + END)
      expect(answer.status).toBe(400)
      expect(answer.body.errors[name]).toMatch(/^The part cannot be read: a part needs/)
    }
    expect(await countRows()).toEqual(before)
  })

  it('a thousand parts', async () => {
    const before = await countRows()
    const parts = Array.from({ length: 1000 }, (_, i) => buildPart(`part-${i}`, 'x'))
    const { status } = await putRaw(buildPart('data_json', '{"name":"x"}') + parts.join('') + END)
    expect(status).toBe(400)
    expect(await countRows()).toEqual(before)
  })

  it('a JSON part that is not UTF-8, instead of repairing it', async () => {
    const [head = '', tail = ''] = buildPart('data_json', '{"name":"x","description":"?"}').split('?')
    const { status, body } = await putRaw(
      Buffer.concat([Buffer.from(head), Buffer.from([0xff]), Buffer.from(tail + END)]),
    )
    expect(status).toBe(400)
    expect(body).toEqual(buildInvalidBody({ data_json: 'Text is not valid UTF-8' }))
  })

  it.each([
    ['is not JSON', '{"name"', 'data_json', 'Text is not valid JSON at line 1, column 8'],
    ['has a key twice', '{"name":"x","name":"y"}', 'data_json', 'An object has the same key twice'],
    [
      'holds a NUL',
      '{"name":"x","description":"\\u0000"}',
      'data_json.description',
      'Text contains a NUL character',
    ],
    ['is null', 'null', 'data_json', 'Input should be a valid dictionary [input: None]'],
    ['is empty', '', 'data_json', 'Text is not valid JSON'],
  ])('a JSON part that %s', async (_, text, path, sentence) => {
    const { status, body } = await app.member.form('PUT', FLOW, { data_json: text })
    expect(status).toBe(400)
    expect(body).toEqual(buildInvalidBody({ [path]: sentence }))
  })
})

describe('a mistake that only the handler finds', () => {
  const type = {
    name: 'x',
    evaluator: { content_type: 'jq', rules: ['.a |'] },
    summary: [{ name: 'a', expression: '.[' }],
  }
  const FIELDS = ['evaluator.rules[0]', 'summary[0].expression']

  it('is named as a field of the part when it came in one', async () => {
    const { status, body } = await app.member.form('POST', '/custom-attestation-types/acme', {
      data_json: JSON.stringify(type),
    })
    expect([status, Object.keys(body.errors)]).toEqual([400, FIELDS.map(field => `data_json.${field}`)])
  })

  it('is named as a field of the body when that was JSON', async () => {
    const { status, body } = await app.member.post('/custom-attestation-types/acme', type)
    expect([status, Object.keys(body.errors)]).toEqual([400, FIELDS])
  })
})

describe('413', () => {
  it('a JSON part of one byte too many', async () => {
    const before = await countRows()
    const { status, body } = await app.member.form('PUT', TRAIL, { data_json: buildTrail(MIB + 1, 'more') })
    expect(status).toBe(413)
    const sentence = 'The part is larger than 1048576 bytes'
    expect(body).toEqual({ message: sentence, errors: { data_json: sentence } })
    expect(await countRows()).toEqual(before)
  })

  it.each(['template_file', 'data_json'])('%s of one byte more than 10 MiB', async name => {
    const before = await countRows()
    const parts = { data_json: '{"name":"x"}', [name]: makeFile('x'.repeat(10 * MIB + 1)) }
    const { status, body } = await app.member.form('PUT', FLOW, parts)
    expect(status).toBe(413)
    expect(body).toEqual({ message: 'A file part is larger than 10485760 bytes' })
    expect(await countRows()).toEqual(before)
  })

  // The files of an attestation may be larger; the parts read into memory may not.
  it('the JSON of an attestation as a file of one byte more than 10 MiB', async () => {
    await app.member.put(TRAIL, { name: 'attested' })
    const before = await countRows()
    const parts = { data_json: makeFile('x'.repeat(10 * MIB + 1)) }
    const { status, body } = await app.member.form(
      'POST',
      '/attestations/acme/ci/trail/attested/generic',
      parts,
    )
    expect(status).toBe(413)
    expect(body).toEqual({ message: 'A file part is larger than 10485760 bytes' })
    expect(await countRows()).toEqual(before)
  })

  it('a request announced with more than 32 MiB, before it is read', async () => {
    const headers = {
      'content-type': 'multipart/form-data; boundary=B',
      'content-length': String(32 * MIB + 1),
    }
    const { status, body } = await app.member.call('PUT', FLOW, 'x', headers)
    expect(status).toBe(413)
    expect(body).toEqual({ message: 'The request is larger than allowed' })
  })
})

describe('415', () => {
  it('a form where none is accepted', async () => {
    const { status, body } = await app.member.form('PUT', '/flows/acme', { data_json: '{"name":"x"}' })
    expect(status).toBe(415)
    expect(body).toEqual({
      message: 'This operation does not accept a multipart body; send application/json',
    })
  })
})
