// The source of a release: the commit, its time, and whether anything was changed since.
import { spawnSync } from 'node:child_process'
import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { root } from '../run/build.mjs'

const VERSION = /^\d+\.\d+\.\d+(-[0-9A-Za-z.-]+)?$/

export function readSource() {
  return {
    commit: runGit(['rev-parse', 'HEAD']),
    mtime: new Date(Number(runGit(['log', '-1', '--format=%ct'])) * 1000),
    isDirty: runGit(['status', '--porcelain']) !== '',
  }
}

/** The repository's version, unless another one is requested. */
export function chooseVersion(asked) {
  const version = asked ?? JSON.parse(readFileSync(join(root, 'cli', 'package.json'), 'utf8')).version
  if (!VERSION.test(version)) throw new Error(`"${version}" is not a version such as 1.2.3 or 1.2.3-rc.1`)
  return version
}

function runGit(args) {
  const git = spawnSync('git', args, { cwd: root, encoding: 'utf8' })
  if (git.status !== 0) throw new Error(`git ${args[0]} failed: ${git.stderr}`)
  return git.stdout.trim()
}
