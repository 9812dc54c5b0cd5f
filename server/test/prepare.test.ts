// When `npm start` and `npm test` install packages: only if node_modules does not match the lock file.
import { readdirSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { describe, expect, it } from 'vitest'
import { hasAllPackages, root } from '../../scripts/run/prepare.mjs'

const locked = (path: string) => JSON.parse(readFileSync(join(root, path), 'utf8')).packages
const fastify = { 'node_modules/fastify': { version: '5.0.0', integrity: 'sha512-a' } }

describe('the installed packages', () => {
  it('are complete after npm ci', () => {
    expect(hasAllPackages(locked('node_modules/.package-lock.json'), locked('package-lock.json'))).toBe(true)
  })

  it.each([
    ['a package is missing', {}],
    ['a version differs', { 'node_modules/fastify': { version: '4.9.9', integrity: 'sha512-a' } }],
    [
      'the content of a package differs',
      { 'node_modules/fastify': { version: '5.0.0', integrity: 'sha512-b' } },
    ],
  ])('are incomplete when %s', (_why, installed) => {
    expect(hasAllPackages(installed, fastify)).toBe(false)
  })

  it('are complete without the packages of other platforms, and with extra packages', () => {
    const wanted = {
      '': {},
      ...fastify,
      'node_modules/@esbuild/aix-ppc64': { version: '1.0.0', optional: true },
    }
    expect(hasAllPackages({ ...fastify, 'node_modules/extra': { version: '1.0.0' } }, wanted)).toBe(true)
  })
})

describe('a build', () => {
  it('loads the bundler in scripts/run/build.mjs only, so the serving process never does', () => {
    const folder = join(root, 'scripts')
    const scripts = readdirSync(folder, { recursive: true, encoding: 'utf8' })
    const loading = scripts
      .filter(name => name.endsWith('.mjs'))
      .filter(name => /(from|import\() ?'(esbuild|vite)'/.test(readFileSync(join(folder, name), 'utf8')))
    // bundle.mjs (for benches) and texts.mjs bundle programs to run, and exit.
    expect(loading.sort()).toEqual(['docs/texts.mjs', 'run/build.mjs', 'run/bundle.mjs'])
    expect(readFileSync(join(folder, 'run', 'prepare.mjs'), 'utf8')).not.toContain('import(')
  })
})
