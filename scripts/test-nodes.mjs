// `npm run test:nodes`: the suite on every supported line of Node. `npm run test:nodes -- 22 flows` runs the test files
// whose path contains `flows` on Node 22. All lines share node_modules: native add-ons there use Node-API only, which
// does not depend on the version of Node.
import { spawnSync } from 'node:child_process'
import { existsSync } from 'node:fs'
import { delimiter, join } from 'node:path'
import { testLines } from './lines.mjs'
import { fetchPackage } from './package-cache.mjs'
import { NODE_VERSIONS } from './versions.mjs'

testLines('Node', NODE_VERSIONS, version => {
  const { platform, arch } = process
  // The package `node` would only choose one of these in an install script. One of them was named too late for the scheme.
  const prefix = platform === 'darwin' && arch === 'arm64' ? 'node-bin' : 'node'
  const name = `${prefix}-${platform}-${arch}`
  const folder = fetchPackage(name, version)
  if (folder === undefined) return { problem: `npm could not fetch ${name}@${version}` }
  const bin = join(folder, 'bin')
  if (!existsSync(join(bin, 'node'))) return { problem: `${name}@${version} has no bin/node` }
  const env = { PATH: `${bin}${delimiter}${process.env.PATH ?? ''}` }
  const used = readNodeOfNpm(env)
  // A version manager may put a program called npm on PATH that brings a Node of its own.
  if (used !== version) return { problem: `npm runs on Node ${used} instead of ${version}` }
  return { title: version, env }
})

function readNodeOfNpm(env) {
  const npm = spawnSync('npm', ['version', '--json'], {
    env: { ...process.env, ...env },
    encoding: 'utf8',
    stdio: ['ignore', 'pipe', 2],
  })
  return npm.status === 0 ? JSON.parse(npm.stdout).node : 'that fails'
}
