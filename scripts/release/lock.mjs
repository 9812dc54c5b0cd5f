// Reads package-lock.json: which packages a program needs, where npm puts them, and their hashes.
import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { root } from '../run/build.mjs'

export function readLock() {
  return JSON.parse(readFileSync(join(root, 'package-lock.json'), 'utf8')).packages
}

/**
 * The packages in `names`, as the folder `from` finds them, and all their dependencies: `{ path, name, version,
 * integrity, license }`, sorted by path. Our own packages are followed, but not listed. Optional packages are
 * omitted.
 */
export function listNeeded(packages, names, from = '') {
  const found = new Map()
  const visit = (parent, name) => {
    const path = findPackage(packages, parent, name)
    if (path === undefined)
      throw new Error(`package-lock.json has no ${name}, which ${parent || 'the root'} needs`)
    if (found.has(path)) return
    const entry = packages[path]
    const folder = entry.link ? entry.resolved : path
    found.set(path, { ...describePackage(path, packages[folder]), isOurs: entry.link === true })
    for (const next of Object.keys(packages[folder].dependencies ?? {})) visit(folder, next)
  }
  for (const name of names) visit(from, name)
  return [...found.values()]
    .filter(({ isOurs }) => !isOurs)
    .sort((a, b) => (a.path < b.path ? -1 : 1))
    .map(({ isOurs: _isOurs, ...each }) => each)
}

export function describePackage(path, { version, integrity, license }) {
  return {
    path,
    name: path.slice(path.lastIndexOf('node_modules/') + 'node_modules/'.length),
    version,
    integrity,
    license,
  }
}

/** Looks in the folder's own node_modules first and then upwards, as Node does. */
function findPackage(packages, from, name) {
  for (let folder = from; ; folder = getParent(folder)) {
    const path = folder === '' ? `node_modules/${name}` : `${folder}/node_modules/${name}`
    if (packages[path] !== undefined) return path
    if (folder === '') return undefined
  }
}

function getParent(folder) {
  const at = folder.lastIndexOf('/node_modules/')
  return at === -1 ? '' : folder.slice(0, at)
}
