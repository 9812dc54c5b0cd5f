// `npm run release -- pack [folder]`: packs the program as published on npm, for `npx waybill`. `npm run release`
// makes the same package, and all other parts of a version.
import { spawnSync } from 'node:child_process'
import { writeFileSync } from 'node:fs'
import { join, resolve } from 'node:path'
import { pathToFileURL } from 'node:url'
import { prepare } from '../run/prepare.mjs'

/** The time that npm gives to all packed files. */
const PACKED_AT = new Date('1985-10-26T08:15:00Z')

/** Returns the path of the packed file, which is in the folder. */
export async function packProgram(folder) {
  // Imported late, because their packages may have been installed only now.
  const { compress, moveInto, packTar } = await import('./entries.mjs')
  const { listProgramFiles } = await import('./program-package.mjs')
  const { chooseVersion } = await import('./source.mjs')
  const version = chooseVersion()
  const path = join(folder, `waybill-${version}.tgz`)
  const entries = moveInto('package', listProgramFiles(version))
  writeFileSync(path, await compress(await packTar(entries, { mtime: PACKED_AT, folders: false })))
  return path
}

/** Installs the packed file and its dependencies into an empty folder. Returns the path of the program. */
export function installPacked(file, prefix, more = []) {
  const options = [
    '--global',
    '--prefix',
    prefix,
    '--ignore-scripts',
    '--no-audit',
    '--no-fund',
    '--loglevel=error',
  ]
  const npm = spawnSync('npm', ['install', ...options, ...more, file], { stdio: ['ignore', 2, 2] })
  if (npm.status !== 0) throw new Error('npm install failed')
  return join(prefix, 'bin', 'waybill')
}

if (import.meta.url === pathToFileURL(process.argv[1] ?? '').href) {
  prepare()
  console.log(await packProgram(resolve(process.argv[2] ?? '.')))
}
