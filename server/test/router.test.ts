// The running router and the document it serves: the same operations, both ways. The paths that only existing clients
// call are the exception; they are in http/compat.ts and in no document.
import { afterAll, beforeAll, expect, it } from 'vitest'
import { operations } from '../src/api/operations.ts'
import { listPaths } from '../src/http/compat.ts'
import { type TestApp, testApp } from './harness.ts'
import { routesOf } from './routes.ts'

const DOCUMENTATION = /^GET \/api\/v2\/(openapi\.json|doc)/

let app: TestApp
let documented: string[]
let routed: string[]
beforeAll(async () => {
  app = await testApp()
  const { body } = await app.anonymous.get('/openapi.json')
  documented = Object.entries(body.paths).flatMap(([path, methods]) =>
    Object.keys(methods as object).map(method => `${method.toUpperCase()} /api/v2${path}`),
  )
  routed = routesOf(app.server.printRoutes({ includeHooks: false })).filter(
    route => route.includes(' /api/v2/') && !DOCUMENTATION.test(route),
  )
})
afterAll(() => app.stop())

/** As the router draws a path of the document: a star takes the rest of it. */
const drawn = (route: string) => {
  const whole = operations.find(
    ({ contract }) => `${contract.method} /api/v2${contract.path.replace('+}', '}')}` === route,
  )
  return whole?.contract.path.endsWith('+}') ? route.replace(/\/\{\w+\}$/, '/*') : route
}

const aliases = operations.flatMap(({ contract }) =>
  listPaths(contract.path)
    .slice(1)
    .map(path => `${contract.method} /api/v2${path}`),
)

it('routes everything that is documented', () => {
  expect(documented.map(drawn).filter(route => !routed.includes(route))).toEqual([])
  expect(documented).toHaveLength(operations.length)
})

it('documents everything that is routed, but for the paths of existing clients', () => {
  const known = new Set([...documented.map(drawn), ...aliases])
  expect(routed.filter(route => !known.has(route))).toEqual([])
})

it('documents no path of existing clients, and routes each', () => {
  expect(aliases.length).toBeGreaterThan(0)
  expect(aliases.filter(route => documented.includes(route))).toEqual([])
  expect(aliases.filter(route => !routed.includes(route))).toEqual([])
})
