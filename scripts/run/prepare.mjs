// Prepares a clone: installs missing packages and builds stale parts. Plain JavaScript without dependencies, because it
// runs before anything is installed.
import { spawn, spawnSync } from 'node:child_process'
import { once } from 'node:events'
import { existsSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { fileURLToPath, pathToFileURL } from 'node:url'
import { buildStale, isBuilt, root } from './build.mjs'

export { root }

const MIN_NODE = [20, 19]
/** npm writes this file when an installation is complete, also after a manual `npm ci`. */
const INSTALLED_LOCK_FILE = join(root, 'node_modules', '.package-lock.json')

/**
 * Does everything that `npm start` and `npm test` need. Fast if nothing changed. Runs in a separate process, because
 * the service would keep the memory that hashing and bundling leave behind.
 */
export function prepare() {
  const { status } = spawnSync(process.execPath, [fileURLToPath(import.meta.url)], {
    stdio: ['ignore', 2, 2],
  })
  if (status !== 0) process.exit(status ?? 1)
}

/** Builds stale parts in a separate process. */
export async function build() {
  if (isBuilt()) return
  const child = spawn(process.execPath, [join(import.meta.dirname, 'build.mjs')], { stdio: ['ignore', 2, 2] })
  const [code] = await once(child, 'close')
  if (code !== 0) throw new Error('The build failed')
}

function requireSupportedNode() {
  const [major, minor] = process.versions.node.split('.').map(Number)
  if (major > MIN_NODE[0] || (major === MIN_NODE[0] && minor >= MIN_NODE[1])) return
  console.error(`Waybill needs Node ${MIN_NODE.join('.')} or newer; this is Node ${process.versions.node}`)
  process.exit(1)
}

export function install() {
  if (isInstalled()) return
  console.error('Installing dependencies…')
  // The build tools are dev dependencies, which NODE_ENV=production would omit.
  const npm = spawnSync('npm', ['ci', '--include=dev', '--no-audit', '--no-fund', '--loglevel=error'], {
    cwd: root,
    stdio: ['ignore', 2, 2],
  })
  if (npm.status !== 0) process.exit(npm.status ?? 1)
}

function isInstalled() {
  return (
    existsSync(INSTALLED_LOCK_FILE) &&
    hasAllPackages(readPackages(INSTALLED_LOCK_FILE), readPackages(join(root, 'package-lock.json')))
  )
}

/** Returns whether all locked packages are installed. Optional ones may be missing: they are for other platforms. */
export function hasAllPackages(installed, required) {
  return Object.entries(required).every(([path, { version, integrity, optional }]) => {
    // Skip the root and the workspaces, which are folders of this clone.
    if (!path.startsWith('node_modules/')) return true
    const found = installed[path]
    if (found === undefined) return optional === true
    return found.version === version && found.integrity === integrity
  })
}

const readPackages = lockFile => JSON.parse(readFileSync(lockFile, 'utf8')).packages

if (import.meta.url === pathToFileURL(process.argv[1] ?? '').href) {
  requireSupportedNode()
  install()
  await buildStale()
}
