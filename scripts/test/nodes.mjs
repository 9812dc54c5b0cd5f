// `npm run test:nodes`: runs the tests on every supported major version of Node. `npm run test:nodes -- 22 flows` runs the
// test files whose path contains `flows` on Node 22. All versions share node_modules: its native add-ons only use Node-API,
// which does not depend on the version of Node.
import { spawnSync } from 'node:child_process'
import { existsSync } from 'node:fs'
import { delimiter, join } from 'node:path'
import { fetchPackage } from '../run/package-cache.mjs'
import { NODE_VERSIONS } from '../run/versions.mjs'
import { testLines } from './lines.mjs'

testLines('Node', NODE_VERSIONS, version => {
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
})

function readNodeOfNpm(env) {
  const npm = spawnSync('npm', ['version', '--json'], {
    env: { ...process.env, ...env },
    encoding: 'utf8',
    stdio: ['ignore', 'pipe', 2],
  })
  return npm.status === 0 ? JSON.parse(npm.stdout).node : 'unknown (npm failed)'
}
