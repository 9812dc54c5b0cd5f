// Which responses are compressed, for which clients, and which never are.
import { gunzipSync } from 'node:zlib'
import Fastify from 'fastify'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { makeEnvironment, report } from '../../test/environments.ts'
import { startTestApp, type TestApp } from '../../test/harness.ts'
import { acceptsCoding, compressAnswers } from './compression.ts'

let app: TestApp
beforeAll(async () => {
  app = await startTestApp()
  for (let i = 0; i < 8; i++) await makeEnvironment(app, `environment-${i}`)
  await report(app, 'environment-1', 'a', 'b', 'c')
})
afterAll(() => app.stop())

const ask = (url: string, headers: Record<string, string> = {}, method: 'GET' | 'HEAD' | 'POST' = 'GET') =>
  app.server.inject({
    method,
    url,
    headers: { authorization: `Bearer ${app.admin.key}`, ...headers },
    ...(method === 'POST' ? { payload: { policy_names: ['p'] } } : {}),
  })

const LONG = '/api/v2/environments/acme'
const GZIP = { 'accept-encoding': 'gzip, deflate, br' }

describe('a long response', () => {
  it('is compressed for clients that accept it, with the same content', async () => {
    const [packed, plain] = [await ask(LONG, GZIP), await ask(LONG)]
    expect(packed.headers).toMatchObject({
      'content-encoding': 'gzip',
      'content-type': 'application/json; charset=utf-8',
      'content-length': String(packed.rawPayload.length),
      vary: 'accept-encoding',
      'cache-control': 'no-store',
    })
    expect(gunzipSync(packed.rawPayload).toString()).toBe(plain.payload)
    expect(packed.rawPayload.length).toBeLessThan(plain.rawPayload.length / 3)
  })

  it('is sent uncompressed to other clients, with a Vary header', async () => {
    for (const headers of [{}, { 'accept-encoding': 'br' }, { 'accept-encoding': 'gzip;q=0' }]) {
      const answer = await ask(LONG, headers)
      expect(answer.headers['content-encoding']).toBeUndefined()
      expect(answer.headers.vary).toBe('accept-encoding')
      expect(answer.json()).toHaveLength(8)
    }
  })

  it('is compressed even if it is an error', async () => {
    const answer = await ask(`/api/v2/environments/acme/${'x'.repeat(1_200)}`, GZIP)
    expect(answer.statusCode).toBe(404)
    expect(answer.headers['content-encoding']).toBe('gzip')
    expect(JSON.parse(gunzipSync(answer.rawPayload).toString()).message).toContain('xxx')
  })

  it('reaches a client over a real connection', async () => {
    const address = await app.server.listen({ port: 0, host: '127.0.0.1' })
    const answer = await fetch(address + LONG, { headers: { authorization: `Bearer ${app.admin.key}` } })
    expect(answer.headers.get('content-encoding')).toBe('gzip')
    expect(await answer.json()).toHaveLength(8)
  })
})

describe('never compressed is', () => {
  const expectUntouched = async (answer: Awaited<ReturnType<typeof ask>>) => {
    expect(answer.headers['content-encoding']).toBeUndefined()
    expect(answer.headers.vary).toBeUndefined()
  }

  it('a short response', async () => {
    const answer = await ask('/api/v2/environments/acme/environment-0', GZIP)
    expect(answer.rawPayload.length).toBeLessThanOrEqual(1024)
    await expectUntouched(answer)
  })

  it('a streamed response', async () => {
    const answer = await ask('/api/v2/snapshots/acme/environment-1/-1', GZIP)
    expect(answer.rawPayload.length).toBeGreaterThan(1024)
    await expectUntouched(answer)
  })

  it('the response to anything but GET', async () => {
    const refused = await ask(`${LONG}/${'x'.repeat(1_200)}/policies`, GZIP, 'POST')
    expect(refused.statusCode).toBe(404)
    expect(refused.rawPayload.length).toBeGreaterThan(1024)
    await expectUntouched(refused)
    const head = await ask(LONG, GZIP, 'HEAD')
    expect(head.headers['content-encoding']).toBeUndefined()
  })

  it('a response outside the prefix, and one that is not JSON', async () => {
    const server = Fastify()
    compressAnswers(server, '/api/v2')
    const long = JSON.stringify({ text: 'x'.repeat(2_000) })
    const types = {
      '/api/v2/json': 'application/json',
      '/auth/session': 'application/json',
      '/api/v2/csv': 'text/csv',
    }
    for (const [path, type] of Object.entries(types)) {
      server.get(path, (_request, reply) => reply.type(type).send(long))
    }
    const readEncoding = async (url: string) =>
      (await server.inject({ url, headers: GZIP })).headers['content-encoding']
    expect(await readEncoding('/api/v2/json')).toBe('gzip')
    expect(await readEncoding('/auth/session')).toBeUndefined()
    expect(await readEncoding('/api/v2/csv')).toBeUndefined()
    await server.close()
  })
})

describe('acceptance of gzip', () => {
  it.each([
    [undefined, false],
    ['', false],
    ['gzip', true],
    ['GZIP', true],
    ['deflate, gzip;q=0.5', true],
    ['br;q=1.0, gzip ; q=0.001', true],
    ['gzip;q=0', false],
    ['gzip; q=0.0, *', false],
    ['*', true],
    ['*;q=0', false],
    ['identity', false],
    ['x-gzip', false],
    ['gzip;q=much', false],
  ])('%j: %s', (accepted, takes) => {
    expect(acceptsCoding(accepted, 'gzip')).toBe(takes)
  })
})
