// `npm run release [-- --version 1.2.3]`: makes all parts of a version in dist/<version>/, from a commit: npm
// packages, tarballs, container image, SBOMs, provenance, release notes and checksums. `-- --list` lists the steps
// around it. Two runs give the same files, because everything is made from scratch with the same Node, whatever the
// machine has.
import { spawnSync } from 'node:child_process'
import { rmSync } from 'node:fs'
import { join } from 'node:path'
import { runCommand } from '../run/choose.mjs'
import { fetchPackage } from '../run/package-cache.mjs'
import { install, root } from '../run/prepare.mjs'
import { NODE_VERSIONS } from '../run/versions.mjs'

const NAMES = { linux: 'linux', darwin: 'darwin' }

await runCommand('release', import.meta.dirname, () => {
  install()
  for (const part of ['server', 'cli']) rmSync(join(root, part, 'dist'), { recursive: true, force: true })
  const made = spawnSync(findNode(), [join(import.meta.dirname, 'make.mjs'), ...process.argv.slice(2)], {
    cwd: root,
    stdio: 'inherit',
  })
  process.exit(made.status ?? 1)
})

/** Compressed files differ between Node versions. */
function findNode() {
  const version = NODE_VERSIONS.at(-1)
  if (process.versions.node === version) return process.execPath
  const platform = NAMES[process.platform]
  const found = platform && fetchPackage(`node-${platform}-${process.arch}`, version)
  if (!found) throw new Error(`A release is made with Node ${version}, which npm could not fetch`)
  return join(found, 'bin', 'node')
}
