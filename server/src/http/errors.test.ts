import { connect } from 'node:net'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { startTestApp, type TestApp, type TestResponse } from '../../test/harness.ts'

const SECURITY_HEADERS = {
  'x-content-type-options': 'nosniff',
  'content-security-policy':
    "default-src 'none'; object-src 'none'; base-uri 'none'; form-action 'none'; frame-ancestors 'none'",
  'referrer-policy': 'no-referrer',
  'strict-transport-security': 'max-age=31536000; includeSubDomains',
  'cache-control': 'no-store',
}
const NOTHING_HERE = { message: 'There is nothing at this address' }
const JSON_TYPE = { 'content-type': 'application/json' }

let app: TestApp
let port: number
beforeAll(async () => {
  app = await startTestApp()
  await app.member.put('/flows/acme', { name: 'ci', description: '' })
  const address = await app.server.listen({ port: 0, host: '127.0.0.1' })
  port = Number(new URL(address).port)
})
afterAll(() => app.stop())

const buildInvalidBody = (errors: Record<string, string>) => ({
  message: 'Input payload validation failed',
  errors,
})

/** Also for paths outside /api, which the harness does not build. */
async function ask(method: string, url: string, payload?: string, headers: Record<string, string> = {}) {
  const authorization = `Bearer ${app.member.key}`
  const request = { method: method as 'GET', url, headers: { authorization, ...headers } }
  const answer = await app.server.inject(payload === undefined ? request : { ...request, payload })
  return { status: answer.statusCode, headers: answer.headers, text: answer.body }
}

/** Properties that all errors share, wherever they were found. */
function expectError(answer: Omit<TestResponse, 'body'>, status: number, body: unknown): void {
  expect({ status: answer.status, body: JSON.parse(answer.text) }).toEqual({ status, body })
  expect(answer.headers).toMatchObject(SECURITY_HEADERS)
  expect(answer.headers['content-type']).toBe('application/json; charset=utf-8')
  expect(answer.headers['x-request-id']).toMatch(/^[A-Za-z0-9._-]{8,64}$/)
}

describe('400', () => {
  it.each([
    ['malformed JSON', '{"name" 1}', { body: 'Text is not valid JSON at line 1, column 9' }],
    ['a key twice', '{"name":"a","name":"b"}', { body: 'An object has the same key twice' }],
    ['a body that is no object', '[]', { body: 'Input should be a valid dictionary [input: []]' }],
    ['an empty body', '', { body: 'Field required [input: None]' }],
  ])('%s', async (_, payload, errors) => {
    expectError(await ask('PUT', '/api/v2/flows/acme', payload, JSON_TYPE), 400, buildInvalidBody(errors))
  })

  it('a body shorter than announced', async () => {
    const headers = { ...JSON_TYPE, 'content-length': '100' }
    const answer = await ask('PUT', '/api/v2/flows/acme', '{"name":"x"}', headers)
    expectError(answer, 400, buildInvalidBody({ body: 'The body does not have the announced length' }))
  })

  it.each(['%', '%zz', '%c3', '%ED%A0%80'])('bad percent-encoding: %s', async text => {
    const answer = await ask('GET', `/api/v2/flows/acme/${text}`)
    expectError(answer, 400, { message: 'The URL is malformed' })
  })

  it('a NUL in the path', async () => {
    const answer = await ask('GET', '/api/v2/flows/acme/a%00b')
    expectError(answer, 400, buildInvalidBody({ flow_name: 'Text contains a NUL character' }))
  })
})

describe('404', () => {
  it.each([
    ['GET', '/api/v2/nothing'],
    ['GET', '/api/v2/flows/acme/ci/nothing'],
    ['GET', '/api/v3/flows/acme'],
    ['GET', '/api'],
    ['GET', '/nothing'],
    ['GET', '/favicon.ico'],
    ['DELETE', '/nothing'],
  ])('an unknown address: %s %s', async (method, url) => {
    expectError(await ask(method, url), 404, NOTHING_HERE)
  })

  it.each(['constructor', '__proto__', 'toString', '..%2f..%2fpackage.json', 'index.html'])(
    'a file the documentation does not have: %s',
    async name => {
      expectError(await ask('GET', `/api/v2/doc/${name}`), 404, NOTHING_HERE)
    },
  )

  it.each([
    ['malformed JSON', '{', JSON_TYPE],
    ['text', 'x', { 'content-type': 'text/plain' }],
    ['too much', 'x'.repeat(2_000_000), JSON_TYPE],
  ])('an unknown address, whatever the body: %s', async (_, payload, headers) => {
    expectError(await ask('POST', '/api/v2/nothing', payload, headers), 404, NOTHING_HERE)
  })

  it('an unknown address, without credentials', async () => {
    expectError(await app.anonymous.get('/nothing'), 404, NOTHING_HERE)
  })
})

describe('405', () => {
  it.each([
    ['DELETE', '/api/v2/flows/acme', 'PUT, GET, HEAD'],
    ['POST', '/api/v2/flows/acme/ci', 'GET, HEAD'],
    ['GET', '/api/v2/flows/acme/ci/archive', 'PUT'],
    ['POST', '/api/v2/user/default-org', 'GET, HEAD, PUT'],
    ['OPTIONS', '/api/v2/meta', 'GET, HEAD'],
    ['DELETE', '/api/v2/meta?x=1', 'GET, HEAD'],
    ['POST', '/ready', 'GET, HEAD'],
  ])('%s %s', async (method, url, allow) => {
    const answer = await ask(method, url)
    expectError(answer, 405, { message: 'The method is not allowed here' })
    expect(answer.headers.allow).toBe(allow)
  })

  it('whatever the body', async () => {
    const answer = await ask('POST', '/api/v2/flows/acme', '{', JSON_TYPE)
    expectError(answer, 405, { message: 'The method is not allowed here' })
  })
})

describe('413', () => {
  it('a body of one byte more than 1 MiB; exactly 1 MiB is read', async () => {
    const allowed = JSON.stringify('x'.repeat(1024 * 1024 - 2))
    const read = await ask('PUT', '/api/v2/flows/acme', allowed, JSON_TYPE)
    expect(read.status).toBe(400)
    const answer = await ask('PUT', '/api/v2/flows/acme', `${allowed} `, JSON_TYPE)
    expectError(answer, 413, { message: 'The request body is larger than allowed' })
    expect(answer.headers.connection).toBe('close')
  })
})

describe('414', () => {
  it.each([
    ['9 KiB in the query', `/api/v2/flows/acme?search_by_name=${'a'.repeat(9 * 1024)}`],
    ['9 KiB in a name', `/api/v2/flows/acme/${'a'.repeat(9 * 1024)}`],
    ['3 KiB in a name', `/api/v2/flows/acme/${'a'.repeat(3 * 1024)}`],
    ['9 KiB outside the API', `/${'a'.repeat(9 * 1024)}?${'b'.repeat(100)}`],
  ])('an address that is too long: %s', async (_, url) => {
    expectError(await ask('GET', url), 414, { message: 'The URL is longer than allowed' })
  })

  it('lets a name of 255 characters and a query of 7 KiB through', async () => {
    const name = 'n'.repeat(255)
    expect((await app.member.put('/trails/acme/ci', { name })).status).toBe(201)
    expect((await app.reader.get(`/trails/acme/ci/${name}`)).body.name).toBe(name)
    expect((await app.reader.get(`/flows/acme?search_by_name=${'a'.repeat(7 * 1024)}`)).status).toBe(200)
  })
})

describe('415', () => {
  it.each(['text/plain', 'application/x-www-form-urlencoded', 'application/xml', 'nonsense'])(
    '%s',
    async type => {
      const answer = await ask('PUT', '/api/v2/flows/acme', '{"name":"x","description":""}', {
        'content-type': type,
      })
      expectError(answer, 415, { message: 'The content type is not supported here; send application/json' })
    },
  )

  it('ignores the content type of a request without a body', async () => {
    expect((await ask('GET', '/api/v2/flows/acme', undefined, { 'content-type': 'text/plain' })).status).toBe(
      200,
    )
  })
})

describe('the rest', () => {
  it('401, 403 and 400 of an operation look the same', async () => {
    expectError(await app.anonymous.get('/flows/acme'), 401, { message: 'Authentication is required' })
    expectError(await app.outsider.get('/flows/acme'), 403, {
      message: 'Access denied to /api/v2/flows/acme',
    })
    const empty = { message: 'Empty string is not allowed for flow names.' }
    expectError(await app.reader.get('/flows/acme?search_by_name='), 400, empty)
  })

  it('500 reveals nothing about the cause', async () => {
    await app.sql('alter table flows rename to flows_away')
    const answer = await app.reader.get('/flows/acme/ci')
    await app.sql('alter table flows_away rename to flows')
    expectError(answer, 500, { message: 'Internal server error' })
  })

  it('accepts a request id that is safe to print, and no other', async () => {
    const readHeaders = async (id: string) =>
      (await ask('GET', '/nothing', undefined, { 'x-request-id': id })).headers
    expect(await readHeaders('build-4711')).toMatchObject({ 'x-request-id': 'build-4711' })
    for (const id of ['short', 'has a space in it', 'x'.repeat(65), '<script>alert(1)</script>']) {
      expect((await readHeaders(id))['x-request-id']).not.toBe(id)
    }
  })
})

describe('bytes that are not HTTP', () => {
  it.each([
    ['garbage', 'hello\r\n\r\n', 400, 'The request is not valid HTTP'],
    ['a bad header', 'GET / HTTP/1.1\r\nhost: x\r\nbad header\r\n\r\n', 400, 'The request is not valid HTTP'],
    [
      'headers of 20 KiB',
      `GET / HTTP/1.1\r\nhost: x\r\nx: ${'y'.repeat(20 * 1024)}\r\n\r\n`,
      431,
      'The request headers are larger than allowed',
    ],
  ])('%s', async (_, sent, status, message) => {
    expectError(await sendRaw(sent), status, { message })
  })

  /** Sends bytes and reads until the server closes the connection. */
  async function sendRaw(sent: string) {
    const socket = connect(port, '127.0.0.1')
    socket.end(sent)
    let received = ''
    for await (const chunk of socket) received += String(chunk)
    const [head = '', text = ''] = received.split('\r\n\r\n')
    const [statusLine = '', ...lines] = head.split('\r\n')
    const headers = Object.fromEntries(lines.map(line => line.split(': ', 2) as [string, string]))
    return { status: Number(statusLine.split(' ')[1]), headers, text }
  }
})
