// When `npm start` and `npm test` install: when node_modules is not what the lock file wants, and only then.
import { readdirSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { describe, expect, it } from 'vitest'
import { hasAllPackages, root } from '../../scripts/prepare.mjs'

const locked = (path: string) => JSON.parse(readFileSync(join(root, path), 'utf8')).packages
const fastify = { 'node_modules/fastify': { version: '5.0.0', integrity: 'sha512-a' } }

describe('what is installed', () => {
  it('is enough after npm ci, by hand or not', () => {
    expect(hasAllPackages(locked('node_modules/.package-lock.json'), locked('package-lock.json'))).toBe(true)
  })

  it.each([
    ['a package is missing', {}],
    ['a version is another', { 'node_modules/fastify': { version: '4.9.9', integrity: 'sha512-a' } }],
    ['a content is another', { 'node_modules/fastify': { version: '5.0.0', integrity: 'sha512-b' } }],
  ])('is not enough when %s', (_why, installed) => {
    expect(hasAllPackages(installed, fastify)).toBe(false)
  })

  it('is enough without the packages of other platforms, and with more than is wanted', () => {
    const wanted = {
      '': {},
      ...fastify,
      'node_modules/@esbuild/aix-ppc64': { version: '1.0.0', optional: true },
    }
    expect(hasAllPackages({ ...fastify, 'node_modules/extra': { version: '1.0.0' } }, wanted)).toBe(true)
  })
})

describe('a build', () => {
  it('is loaded by scripts/build.mjs alone, so that the serving process never holds a bundler', () => {
    const scripts = readdirSync(join(root, 'scripts')).filter(name => name.endsWith('.mjs'))
    const loading = scripts.filter(name =>
      /(from|import\() ?'(esbuild|vite)'/.test(readFileSync(join(root, 'scripts', name), 'utf8')),
    )
    // bench.mjs bundles the benchmarks, and ends.
    expect(loading).toEqual(['bench.mjs', 'build.mjs'])
    expect(readFileSync(join(root, 'scripts', 'prepare.mjs'), 'utf8')).not.toContain('import(')
  })
})
