// The folder in which the client runs: a git repository with one commit, and the files that the steps use.
import { spawnSync } from 'node:child_process'
import { createHash } from 'node:crypto'
import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { dirname, join } from 'node:path'
import { ORG } from '../../run/service.mjs'
import { FILES } from './files.mjs'

export function makeWorkspace() {
  const folder = mkdtempSync(join(tmpdir(), 'waybill-client-story-'))
  for (const [name, content] of Object.entries(FILES)) {
    mkdirSync(dirname(join(folder, name)), { recursive: true })
    writeFileSync(join(folder, name), content)
  }
  const commit = createCommit(folder)
  return {
    folder,
    variables: {
      commit,
      short_commit: commit.slice(0, 7),
      backend: hashText(FILES['backend.tgz']),
      stranger: hashText(FILES['stranger.bin']),
      long_name: `A~b.c_d-e${'9'.repeat(246)}`,
      unknown: hashText('nobody has reported this'),
    },
    remove: () => rmSync(folder, { recursive: true, force: true, maxRetries: 5 }),
  }
}

/** Inherits nothing from our environment, because the client derives defaults from CI variables. */
export function buildClientEnvironment(folder, service) {
  return {
    PATH: process.env.PATH,
    HOME: folder,
    KOSLI_HOST: service.url,
    KOSLI_ORG: ORG,
    KOSLI_API_TOKEN: service.key,
    KOSLI_MAX_API_RETRIES: '1',
  }
}

function createCommit(folder) {
  const identity = { GIT_AUTHOR_NAME: 'Ada', GIT_AUTHOR_EMAIL: 'ada@example.com' }
  const env = {
    PATH: process.env.PATH,
    HOME: folder,
    ...identity,
    GIT_COMMITTER_NAME: identity.GIT_AUTHOR_NAME,
    GIT_COMMITTER_EMAIL: identity.GIT_AUTHOR_EMAIL,
  }
  const runGit = (...args) => {
    const done = spawnSync('git', args, { cwd: folder, env, encoding: 'utf8' })
    if (done.status !== 0) throw new Error(`git ${args[0]} failed: ${done.stderr ?? done.error}`)
    return done.stdout.trim()
  }
  runGit('init', '--quiet', '--initial-branch', 'main')
  runGit('add', 'backend.tgz')
  runGit('commit', '--quiet', '--message', 'The first backend')
  return runGit('rev-parse', 'HEAD')
}

const hashText = content => createHash('sha256').update(content).digest('hex')
