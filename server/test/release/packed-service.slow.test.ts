// The service from the packed files: the README's first five minutes, the threads in separate files, and the version.
// Its npm dependencies are those of the clone; `npm run check -- release` installs them into an empty folder.
import { spawnSync } from 'node:child_process'
import { symlinkSync } from 'node:fs'
import { join } from 'node:path'
import { beforeAll, expect, it } from 'vitest'
import { packProgram } from '../../../scripts/release/pack.mjs'
import { root } from '../../../scripts/run/prepare.mjs'
import { expectReadmeOutput, runReadme } from '../readme.ts'
import { findFreePort, makeDataDirectory, makeScratchFolder } from '../service.ts'
import { type Installed, startInstalled } from './installed-program.ts'

/** More than 256 KiB, which a separate thread stores. */
const MANY = 3000

let folder: string
let service: Installed
const { PATH = '', HOME = '', TMPDIR = '' } = process.env

beforeAll(async () => {
  folder = makeScratchFolder()
  expect(spawnSync('tar', ['-xzf', await packProgram(folder), '-C', folder]).status).toBe(0)
  symlinkSync(join(root, 'node_modules'), join(folder, 'package', 'node_modules'))
  const program = [process.execPath, join(folder, 'package', 'dist', 'main.js')]
  const env = { PATH, HOME, TMPDIR, WAYBILL_DATA_DIR: makeDataDirectory() }
  service = await startInstalled([...program, 'serve'], await findFreePort(), env)
})

it('returns its version, and serves the web app and the documents', async () => {
  const ask = async (path: string) => (await fetch(`http://127.0.0.1:${service.port}${path}`)).text()
  const { stdout } = spawnSync(
    process.execPath,
    [join(folder, 'package', 'dist', 'main.js'), 'version', '--short'],
    {
      encoding: 'utf8',
    },
  )
  expect(JSON.parse(await ask('/api/v2/meta')).version).toBe(stdout.trim())
  expect(await ask('/')).toContain('<div id="root">')
  expect(await ask('/api/v2/doc/')).toContain('swagger')
  expect(await ask('/.well-known/security.txt')).toContain('/.well-known/security-policy')
})

it('takes a reader through the README', async () => {
  expectReadmeOutput(await runReadme(service.port, service.key))
})

it('stores a large report, with the thread from the package', async () => {
  const call = (method: string, path: string, body: unknown) =>
    fetch(`http://127.0.0.1:${service.port}/api/v2/environments/demo-org${path}`, {
      method,
      headers: { authorization: `Bearer ${service.key}`, 'content-type': 'application/json' },
      body: JSON.stringify(body),
    })
  expect((await call('PUT', '', { name: 'large', type: 'server', description: '' })).status).toBe(201)
  const artifacts = Array.from({ length: MANY }, (_, index) => ({
    digests: { [`service-${index}`]: index.toString(16).padStart(64, '0') },
    creationTimestamp: 1_772_539_200,
  }))
  expect((await call('PUT', '/large/report/server', { artifacts })).status).toBe(200)
})

it('stops cleanly', async () => {
  expect(await service.stop()).toEqual({ code: 0, signal: null })
})
