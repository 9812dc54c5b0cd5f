// The common options of all server and command line bundles.

/**
 * Packages that locate files beside their own code: workers, WebAssembly, pages. All others are bundled, because
 * finding their files would take as long as the rest of a start.
 */
export const EXTERNAL_PACKAGES = ['@fastify/swagger-ui', 'jq-wasm', 'pdfkit', 'pino', 'piscina', 'pg-native']

/** For modules: CommonJS packages load Node's own modules with `require`. */
export const REQUIRE = `import { createRequire as nodeRequire } from 'node:module'
const require = nodeRequire(import.meta.url)`

/** Node modules that take milliseconds to load and that many commands never use. */
const LATE = [
  'child_process',
  'crypto',
  'fs/promises',
  'http',
  'https',
  'os',
  'readline',
  'stream',
  'stream/consumers',
  'stream/promises',
  'timers/promises',
  'tls',
  'v8',
  'zlib',
]

/**
 * For CommonJS: loads those modules when one of their members is first used, and parts of the program on demand. The
 * bundler reads a member where it is used, and only `import * as` lists all of them.
 */
export const REQUIRE_LATE = `'use strict'
const requireNow = require
const late = new Set(${JSON.stringify(LATE.map(name => `node:${name}`))})
const getLate = name => new Proxy({}, {
  get: (_, member) => requireNow(name)[member],
  ownKeys: () => Reflect.ownKeys(requireNow(name)),
  getOwnPropertyDescriptor: (_, member) => ({ ...Reflect.getOwnPropertyDescriptor(requireNow(name), member), configurable: true }),
})
require = name => late.has(name) ? getLate(name) : requireNow(name)
const requireLate = async name => requireNow(name)`
