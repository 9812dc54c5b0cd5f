// Makes a clone ready to run: installs what is missing, builds what is stale. Plain JavaScript without dependencies,
// because it runs before anything is installed.
import { spawn, spawnSync } from 'node:child_process'
import { once } from 'node:events'
import { existsSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { fileURLToPath, pathToFileURL } from 'node:url'
import { buildStale, isBuilt, root } from './build.mjs'

export { root }

const LEAST_NODE = [20, 19]
/** npm writes it when an installation is complete, also after `npm ci` by hand. */
const INSTALLED = join(root, 'node_modules', '.package-lock.json')

/**
 * Everything `npm start` and `npm test` need. Quick when nothing changed. Runs in a process that ends: hashing sources
 * and bundling leave memory behind that a service would keep for ever.
 */
export function prepare() {
  const { status } = spawnSync(process.execPath, [fileURLToPath(import.meta.url)], {
    stdio: ['ignore', 2, 2],
  })
  if (status !== 0) process.exit(status ?? 1)
}

/** Builds what is stale, in a process that ends. */
export async function build() {
  if (isBuilt()) return
  const child = spawn(process.execPath, [join(root, 'scripts', 'build.mjs')], { stdio: ['ignore', 2, 2] })
  const [code] = await once(child, 'close')
  if (code !== 0) throw new Error('The build failed')
}

function refuseOldNode() {
  const [major, minor] = process.versions.node.split('.').map(Number)
  if (major > LEAST_NODE[0] || (major === LEAST_NODE[0] && minor >= LEAST_NODE[1])) return
  console.error(`Waybill needs Node ${LEAST_NODE.join('.')} or newer; this is ${process.versions.node}`)
  process.exit(1)
}

export function install() {
  if (isInstalled()) return
  console.error('Installing dependencies…')
  // The build tools are dev dependencies, and NODE_ENV=production would leave them out.
  const npm = spawnSync('npm', ['ci', '--include=dev', '--no-audit', '--no-fund', '--loglevel=error'], {
    cwd: root,
    stdio: ['ignore', 2, 2],
  })
  if (npm.status !== 0) process.exit(npm.status ?? 1)
}

function isInstalled() {
  return (
    existsSync(INSTALLED) &&
    hasAllPackages(readPackages(INSTALLED), readPackages(join(root, 'package-lock.json')))
  )
}

/** Whether what is installed is what a lock file wants. Optional packages may be missing: they are for other platforms. */
export function hasAllPackages(installed, required) {
  return Object.entries(required).every(([path, { version, integrity, optional }]) => {
    // The root and the workspaces are folders of this clone.
    if (!path.startsWith('node_modules/')) return true
    const found = installed[path]
    if (found === undefined) return optional === true
    return found.version === version && found.integrity === integrity
  })
}

const readPackages = lockFile => JSON.parse(readFileSync(lockFile, 'utf8')).packages

if (import.meta.url === pathToFileURL(process.argv[1] ?? '').href) {
  refuseOldNode()
  install()
  await buildStale()
}
