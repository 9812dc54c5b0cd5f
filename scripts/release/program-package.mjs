// The npm package `waybill`: the command line, the server and the web app, built. Packages that locate files beside
// their own code are dependencies, with the versions of our lock file; all others are in the build. The embedded
// PostgreSQL is optional.
import { existsSync, readdirSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { describeCli, root } from '../run/build.mjs'
import { EXTERNAL_PACKAGES } from '../run/bundle-options.mjs'
import { makeFile, readFolder } from './entries.mjs'
import { listNeeded, readLock } from './lock.mjs'
import { listBundled, writeNotices } from './notices.mjs'

const CLI = join(root, 'cli')
const SERVER = join(root, 'server')
/** The jq thread is not bundled, and loads these too. */
const OF_THREADS = ['ajv', 're2js']
const OPTIONAL = 'packages/embedded-postgres'
/** Flags in our lock file that describe a package's role in this repository, not in the package `waybill`. */
const OUR_FLAGS = ['dev', 'devOptional', 'peer']

/** The names of the packages that are installed beside the build. */
export function listDependencies(packages = readLock()) {
  const direct = [...EXTERNAL_PACKAGES, ...OF_THREADS].filter(name => packages[`node_modules/${name}`])
  return direct.sort()
}

/** The entries of the package, without a top-level folder. */
export function listProgramFiles(version) {
  const packages = readLock()
  return [
    makeFile('package.json', toJson(describeProgram(packages, version))),
    makeFile('npm-shrinkwrap.json', toJson(describeInstallation(packages, version))),
    copy('README.md', join(CLI, 'README.md')),
    copy('LICENSE', join(root, 'LICENSE')),
    makeFile('THIRD-PARTY-NOTICES.txt', writeNotices(listBundled(packages))),
    makeFile('dist/package.json', describeCli('./server/dist/main.js')),
    ...listCode(join(CLI, 'dist'), 'dist'),
    // Served at /.well-known/security.txt; beside the server's folder, as in the repository.
    copy('dist/SECURITY.md', join(root, 'SECURITY.md')),
    makeFile(
      'dist/server/package.json',
      toJson({ name: '@waybill/server', version, private: true, type: 'module' }),
    ),
    ...listCode(join(SERVER, 'dist'), 'dist/server/dist'),
    ...readFolder(join(SERVER, 'dist', 'web'), 'dist/server/dist/web'),
    ...readFolder(join(SERVER, 'migrations'), 'dist/server/migrations').filter(({ path }) =>
      path.endsWith('.sql'),
    ),
    copy('dist/server/src/jq/worker.mjs', join(SERVER, 'src', 'jq', 'worker.mjs')),
  ]
}

function describeProgram(packages, version) {
  const { name, description, license, type, bin, engines } = JSON.parse(
    readFileSync(join(CLI, 'package.json'), 'utf8'),
  )
  const dependencies = listDependencies(packages).map(each => [
    each,
    packages[`node_modules/${each}`].version,
  ])
  return {
    name,
    version,
    description: description.replace(
      'The command line of Waybill',
      'Waybill, a supply-chain compliance service: server, web app and command line',
    ),
    license,
    type,
    bin,
    engines,
    dependencies: Object.fromEntries(dependencies),
    optionalDependencies: packages[OPTIONAL].optionalDependencies,
  }
}

/** npm installs these versions and checks their hashes, even for indirect dependencies. */
function describeInstallation(packages, version) {
  const { name, license, bin, engines, dependencies, optionalDependencies } = describeProgram(
    packages,
    version,
  )
  const root_entry = { name, version, license, bin, engines, dependencies, optionalDependencies }
  const needed = listNeeded(packages, Object.keys(dependencies)).map(({ path }) => path)
  const optional = listOptional(packages, [
    ...needed,
    ...Object.keys(optionalDependencies).map(each => `node_modules/${each}`),
  ])
  const entries = [...new Set([...needed, ...optional])]
    .sort()
    .map(path => [path, withoutFlags(packages[path])])
  return {
    name,
    version,
    lockfileVersion: 3,
    requires: true,
    packages: { '': root_entry, ...Object.fromEntries(entries) },
  }
}

/** The paths, and the optional packages of each one. They are not nested in our lock file. */
function listOptional(packages, paths) {
  const found = new Set(paths)
  for (const path of found)
    for (const name of Object.keys(packages[path].optionalDependencies ?? {}))
      if (packages[`node_modules/${name}`]) found.add(`node_modules/${name}`)
  return found
}

function withoutFlags(entry) {
  return Object.fromEntries(Object.entries(entry).filter(([key]) => !OUR_FLAGS.includes(key)))
}

/** Source maps are omitted: they name files that the package does not have. */
function listCode(folder, prefix) {
  if (!existsSync(join(folder, 'main.js'))) throw new Error(`${folder} is not built`)
  return readdirSync(folder)
    .filter(name => name.endsWith('.js'))
    .map(name => {
      const code = readFileSync(join(folder, name), 'utf8').replace(/^\/\/# sourceMappingURL=.*\n?/m, '')
      return makeFile(`${prefix}/${name}`, code, code.startsWith('#!') ? 0o755 : undefined)
    })
}

function copy(path, from) {
  return makeFile(path, readFileSync(from))
}

export function toJson(value) {
  return `${JSON.stringify(value, null, 2)}\n`
}
