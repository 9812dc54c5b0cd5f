// What the program loads at startup: a help text or a version must not pay for what only other commands need.
import { spawnSync } from 'node:child_process'
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { root } from '../../scripts/run/prepare.mjs'

const PROGRAM = join(root, 'cli', 'dist', 'main.js')

/** Prints the loaded modules: our files, and Node's own modules that are slow to load. */
const HOOK = `process.on('exit', () => {
  const files = Object.keys(require.cache).filter(path => path.includes('dist'))
  const slow = ['crypto', 'child_process', 'http', 'https', 'tls', 'zlib', 'readline']
  const used = slow.filter(name => process.moduleLoadList.includes('NativeModule ' + name))
  process.stderr.write('\\n' + JSON.stringify({ files: files.length, used }))
})`

let folder: string
beforeAll(() => {
  folder = mkdtempSync(join(tmpdir(), 'waybill-start-'))
  writeFileSync(join(folder, 'hook.cjs'), HOOK)
})
afterAll(() => rmSync(folder, { recursive: true }))

function listLoaded(...args: string[]): { files: number; used: string[] } {
  const { stderr, status } = spawnSync(
    process.execPath,
    ['--require', join(folder, 'hook.cjs'), PROGRAM, ...args],
    { cwd: folder, encoding: 'utf8', env: { HOME: folder, PATH: process.env.PATH } },
  )
  expect([status, stderr]).toEqual([0, expect.stringMatching(/^\n\{/)])
  return JSON.parse(stderr)
}

describe('the built program', () => {
  it.each([['--help'], ['help'], ['--version']])('answers %s from its index, with one part', (...args) => {
    expect(listLoaded(...args)).toEqual({ files: 2, used: [] })
  })

  it('loads for a command only the common modules and its group', () => {
    const { files, used } = listLoaded('version')
    expect(used).toEqual([])
    expect(files).toBeLessThanOrEqual(5)
  })

  it('loads a Node module on first use', () => {
    expect(listLoaded('fingerprint', 'hook.cjs').used).toContain('crypto')
  })
})
