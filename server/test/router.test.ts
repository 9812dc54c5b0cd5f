// The router and the OpenAPI document have the same operations. The exception is paths that only existing clients
// use: they are in http/compat.ts and not in the document.
import { afterAll, beforeAll, expect, it } from 'vitest'
import { operations } from '../src/api/operations.ts'
import { listPaths } from '../src/http/compat.ts'
import { startTestApp, type TestApp } from './harness.ts'
import { parseRoutes } from './routes.ts'

const DOCUMENTATION = /^GET \/api\/v2\/(openapi\.json|doc)/

let app: TestApp
let documented: string[]
let routed: string[]
beforeAll(async () => {
  app = await startTestApp()
  const { body } = await app.anonymous.get('/openapi.json')
  documented = Object.entries(body.paths).flatMap(([path, methods]) =>
    Object.keys(methods as object).map(method => `${method.toUpperCase()} /api/v2${path}`),
  )
  routed = parseRoutes(app.server.printRoutes({ includeHooks: false })).filter(
    route => route.includes(' /api/v2/') && !DOCUMENTATION.test(route),
  )
})
afterAll(() => app.stop())

/** The route of a documented path as the router prints it: a star matches the rest of the path. */
const toRoute = (route: string) => {
  const found = operations.find(
    ({ contract }) => `${contract.method} /api/v2${contract.path.replace('+}', '}')}` === route,
  )
  return found?.contract.path.endsWith('+}') ? route.replace(/\/\{\w+\}$/, '/*') : route
}

const aliases = operations.flatMap(({ contract }) =>
  listPaths(contract.path)
    .slice(1)
    .map(path => `${contract.method} /api/v2${path}`),
)

it('routes everything in the document', () => {
  expect(documented.map(toRoute).filter(route => !routed.includes(route))).toEqual([])
  expect(documented).toHaveLength(operations.length)
})

it('documents every route, except the paths of existing clients', () => {
  const known = new Set([...documented.map(toRoute), ...aliases])
  expect(routed.filter(route => !known.has(route))).toEqual([])
})

it('documents no path of existing clients, and routes each of them', () => {
  expect(aliases.length).toBeGreaterThan(0)
  expect(aliases.filter(route => documented.includes(route))).toEqual([])
  expect(aliases.filter(route => !routed.includes(route))).toEqual([])
})
