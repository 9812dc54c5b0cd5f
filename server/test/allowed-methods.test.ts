// The methods of every address: unsupported ones get 405, and `Allow` lists exactly the supported ones.
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { ORG, startTestApp, type TestApp } from './harness.ts'
import { parseRoutes } from './routes.ts'

const METHODS = ['GET', 'HEAD', 'POST', 'PUT', 'PATCH', 'DELETE', 'OPTIONS'] as const

let app: TestApp
let paths: string[]
beforeAll(async () => {
  // Nothing listens there, so signing in responds that the provider is unavailable.
  const settings = { WAYBILL_OIDC_ISSUER: 'http://127.0.0.1:9', WAYBILL_OIDC_CLIENT_ID: 'waybill' }
  app = await startTestApp({ settings })
  const routes = parseRoutes(app.server.printRoutes({ includeHooks: false }))
  paths = [...new Set(routes.map(route => route.split(' ')[1] ?? ''))]
})
afterAll(() => app.stop())

const fill = (path: string) => path.replaceAll('{org}', ORG).replaceAll(/\{\w+\}|\*/g, 'x')

const ask = (method: (typeof METHODS)[number], url: string) => app.server.inject({ method, url })

async function askAll(url: string) {
  const answers = []
  for (const method of METHODS) answers.push({ method, answer: await ask(method, url) })
  return answers
}

describe('every route', () => {
  it('answers other methods with 405, and names the supported ones', async () => {
    const wrong: string[] = []
    for (const path of paths) {
      const answers = await askAll(fill(path))
      const answered = answers.filter(({ answer }) => answer.statusCode !== 405).map(({ method }) => method)
      for (const { method, answer } of answers.filter(({ answer }) => answer.statusCode === 405)) {
        const allowed = String(answer.headers.allow ?? '').split(', ')
        if ([...allowed].sort().join() !== [...answered].sort().join())
          wrong.push(`${method} ${path}: allowed ${allowed}, answered ${answered}`)
      }
      if (answers.length === answered.length) wrong.push(`${path} answers every method`)
    }
    expect(wrong).toEqual([])
    expect(paths.length).toBeGreaterThan(150)
  })

  it('answers HEAD like GET', async () => {
    for (const path of paths) {
      const [get, head] = [await ask('GET', fill(path)), await ask('HEAD', fill(path))]
      expect([path, head.statusCode]).toEqual([path, get.statusCode])
      expect(head.headers['content-type'], path).toBe(get.headers['content-type'])
    }
  })
})

it.each([
  ['POST', '/healthz', 'GET, HEAD'],
  ['PUT', '/ready', 'GET, HEAD'],
  ['DELETE', '/metrics', 'GET, HEAD'],
  ['POST', '/sign-in', 'GET, HEAD'],
  ['PUT', '/auth/link', 'GET, HEAD, POST'],
  ['GET', '/auth/sign-out', 'POST'],
  ['OPTIONS', '/api/v2/openapi.json', 'GET, HEAD'],
  ['DELETE', `/scim/v2/${ORG}/Users`, 'GET, HEAD, POST'],
  ['POST', `/scim/v2/${ORG}/Users/x`, 'GET, HEAD, PUT, PATCH, DELETE'],
] as const)('%s %s allows %s', async (method, url, allow) => {
  const { statusCode, headers } = await ask(method, url)
  expect(statusCode).toBe(405)
  expect(String(headers.allow).split(', ').sort()).toEqual(allow.split(', ').sort())
})

it('describes a refused method of SCIM in the format of SCIM', async () => {
  const answer = await ask('DELETE', `/scim/v2/${ORG}/Users`)
  expect(answer.headers['content-type']).toBe('application/scim+json; charset=utf-8')
  expect(answer.json()).toMatchObject({ status: '405', detail: 'The method is not allowed here' })
})

it('answers no method at unknown addresses', async () => {
  for (const { method, answer } of await askAll('/api/v2/nothing')) {
    expect([method, answer.statusCode, answer.headers.allow]).toEqual([method, 404, undefined])
  }
})
