// Runs Stryker on a folder or file of pure code: it alters one expression after the other and runs the tests that
// reach it. Fetched on demand and not a dependency, because it would add 51 MB to every clone.
import { spawnSync } from 'node:child_process'
import { existsSync, statSync } from 'node:fs'
import { join } from 'node:path'
import { root } from '../run/build.mjs'
import { fetchPackage } from '../run/package-cache.mjs'
import { STRYKER_VERSION } from '../run/versions.mjs'

/** Installs the core in its version. */
const RUNNER = '@stryker-mutator/vitest-runner'

/** The repository path of `domain/policy` or `packages/scim/src/patch.ts`; undefined for anything else. */
export function findStrykerPath(name) {
  const path = name.startsWith('domain/') ? `server/src/${name}` : name
  const isPure = path.startsWith('server/src/domain') || path.startsWith('packages/')
  return isPure && existsSync(join(root, path)) ? path.replace(/\/$/, '') : undefined
}

/** Returns the exit code. */
export function runStryker(paths) {
  const runner = fetchPackage(RUNNER, STRYKER_VERSION)
  if (runner === undefined) throw new Error('npm could not fetch Stryker')
  const core = join(runner, '..', 'core', 'bin', 'stryker.js')
  const isFolder = path => statSync(join(root, path)).isDirectory()
  const mutate = paths.flatMap(path =>
    isFolder(path) ? [`${path}/**/*.ts`, `!${path}/**/*.test.ts`] : [path],
  )
  const config = join(import.meta.dirname, 'stryker.config.json')
  const { status } = spawnSync(process.execPath, [core, 'run', config, '--mutate', mutate.join(',')], {
    cwd: root,
    stdio: 'inherit',
  })
  return status ?? 1
}
