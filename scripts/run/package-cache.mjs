// Fetches programs that only tests need from the npm registry into a folder that git ignores.
import { spawnSync } from 'node:child_process'
import { existsSync, mkdirSync, renameSync, rmSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { root } from './build.mjs'

/** Several clones may share one. */
export const CACHE = process.env.TEST_CACHE ?? join(root, '.cache')

/** Returns the folder of the package, after fetching it if necessary, or undefined if npm could not fetch it. */
export function fetchPackage(name, version) {
  const folder = join(CACHE, `${name.replace('/', '+')}@${version}`)
  if (!existsSync(folder) && !installPackage(`${name}@${version}`, folder)) return undefined
  return join(folder, 'node_modules', name)
}

/** Installs into a temporary folder and renames it, so that an interrupted download never looks complete. */
function installPackage(spec, folder) {
  console.error(`Fetching ${spec}…`)
  const unfinished = `${folder}.${process.pid}`
  mkdirSync(unfinished, { recursive: true })
  try {
    writeFileSync(join(unfinished, 'package.json'), '{}\n')
    // A package may require a newer Node, but we only use its programs and not its code.
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
    renameSync(unfinished, folder)
    return true
  } finally {
    rmSync(unfinished, { recursive: true, force: true })
  }
}
