// Programs that tests run on and that nobody else needs, fetched from the npm registry into a folder that git ignores.
import { spawnSync } from 'node:child_process'
import { existsSync, mkdirSync, renameSync, rmSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { root } from './build.mjs'

export const CACHE = join(root, '.cache')

/** The folder of the package, fetched when it is not there yet. Undefined when npm could not fetch it. */
export function fetchPackage(name, version) {
  const place = join(CACHE, `${name.replace('/', '+')}@${version}`)
  if (!existsSync(place) && !install(`${name}@${version}`, place)) return undefined
  return join(place, 'node_modules', name)
}

/** Installs aside and renames, so that an interrupted download is never taken for a complete one. */
function install(spec, place) {
  console.error(`Fetching ${spec}…`)
  const unfinished = `${place}.${process.pid}`
  mkdirSync(unfinished, { recursive: true })
  try {
    writeFileSync(join(unfinished, 'package.json'), '{}\n')
    // A package may ask for a newer Node than this one: we use the programs in it, not its code.
    const options = [
      '--ignore-scripts',
      '--engine-strict=false',
      '--no-package-lock',
      '--no-audit',
      '--no-fund',
    ]
    const npm = spawnSync('npm', ['install', '--prefix', unfinished, ...options, '--loglevel=error', spec], {
      cwd: unfinished,
      stdio: ['ignore', 2, 2],
    })
    if (npm.status !== 0) return false
    renameSync(unfinished, place)
    return true
  } finally {
    rmSync(unfinished, { recursive: true, force: true })
  }
}
