// The tarball for this machine: unpacked into an empty folder, started through a link, without a Node on the PATH.
import { spawnSync } from 'node:child_process'
import { readdirSync, symlinkSync } from 'node:fs'
import { join } from 'node:path'
import { beforeAll, expect, it } from 'vitest'
import { expectReadmeOutput, runReadme } from '../readme.ts'
import { findFreePort, makeDataDirectory, makeScratchFolder } from '../service.ts'
import { startInstalled } from './installed-program.ts'
import { findAsset, version } from './made-release.ts'

let program: string
const env = { PATH: '/bin', HOME: '/nonexistent' }

beforeAll(() => {
  const folder = makeScratchFolder()
  const file = findAsset(new RegExp(`-linux-${process.arch}\\.tar\\.gz$`))
  expect(spawnSync('tar', ['-xzf', file, '-C', folder]).status).toBe(0)
  const [unpacked = ''] = readdirSync(folder)
  expect(unpacked).toBe(`waybill-${version}-linux-${process.arch}`)
  program = join(folder, 'waybill')
  symlinkSync(join(unpacked, 'bin', 'waybill'), program)
})

it('prints the released version', () => {
  const { stdout } = spawnSync(program, ['version', '--short'], { encoding: 'utf8', env })
  expect(stdout).toBe(`${version}\n`)
})

it('takes a reader through the README', async () => {
  const service = await startInstalled([program, 'serve'], await findFreePort(), {
    ...env,
    WAYBILL_DATA_DIR: makeDataDirectory(),
  })
  expectReadmeOutput(await runReadme(service.port, service.key))
  expect(await service.stop()).toEqual({ code: 0, signal: null })
})
