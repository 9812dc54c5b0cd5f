// The package that `npx waybill` installs: what is in it, and that it runs outside of the repository.
import { spawnSync } from 'node:child_process'
import { mkdtempSync, readdirSync, readFileSync, rmSync, statSync, writeFileSync } from 'node:fs'
import { isBuiltin } from 'node:module'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { root } from '../../scripts/build.mjs'
import { EXTERNAL_PACKAGES } from '../../scripts/bundle-options.mjs'
import { packProgram } from '../../scripts/pack.mjs'
import manifest from '../package.json' with { type: 'json' }

let folder: string
let files: string[]
const unpacked = () => join(folder, 'package')
const read = (name: string) => readFileSync(join(unpacked(), name), 'utf8')

beforeAll(() => {
  folder = mkdtempSync(join(tmpdir(), 'waybill-packed-'))
  const { status } = spawnSync('tar', ['-xzf', packProgram(folder), '-C', folder])
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
  it('has the program, and nothing else', () => {
    const others = files.filter(name => !/^dist\/(main|part-\w+)\.js$/.test(name))
    expect(others.sort()).toEqual(['LICENSE', 'README.md', 'dist/package.json', 'package.json'])
  })

  it('has no source maps, and no paths of the machine that built it', () => {
    for (const name of files) {
      expect(read(name), name).not.toContain('sourceMappingURL')
      expect(read(name), name).not.toContain(root)
      expect(read(name), name).not.toMatch(/["'`](\/home|\/root|\/Users)\//)
    }
  })

  it('depends only on packages that are not in the build', () => {
    const { dependencies, private: isPrivate } = JSON.parse(read('package.json'))
    const { dependencies: all } = manifest
    expect(isPrivate).toBeUndefined()
    expect(dependencies).toEqual({ 'jq-wasm': all['jq-wasm'] })
    const loaded = files
      .filter(name => name.endsWith('.js'))
      .flatMap(name => [...read(name).matchAll(/(?<!['"`])\b(?:require|import)\("([^."][^"]*)"\)/g)])
      .map(([, name = '']) => name)
    expect(loaded).toContain('jq-wasm')
    const imported = loaded.filter(name => !isBuiltin(name) && !name.startsWith('@waybill/server'))
    expect(imported.filter(name => !EXTERNAL_PACKAGES.includes(name))).toEqual([])
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

  it.each(['serve', 'admin', 'verify'])('says that "%s" belongs to the server', command => {
    const { code, stderr } = run(command)
    expect([code, stderr]).toEqual([
      2,
      expect.stringContaining('belongs to the server, which is not installed here'),
    ])
  })
})
