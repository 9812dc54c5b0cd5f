// Creates the database files once. They are written to a directory beside the real one and renamed when complete, so
// that a crash costs only another attempt.
import { chown, mkdtemp, open, readdir, rename, rm, stat, writeFile } from 'node:fs/promises'
import path from 'node:path'
import type { Account } from './account.ts'
import { getClusterDirectory } from './data-directory.ts'
import type { Login } from './database-address.ts'
import { ignoreAbsent } from './file-system.ts'
import { launch } from './launch.ts'
import { PostgresProblem } from './problem.ts'
import { getServerLogPath, openServerLog, readLastLogLines } from './server-log.ts'

// A prefix of unique names: an initdb orphaned by a crash may still be writing to an old one.
const UNFINISHED_PREFIX = 'postgres.new'

export interface NewCluster extends Login {
  data_dir: string
  native_dir: string
  account: Account | undefined
  locale: readonly string[]
  is_durable: boolean
}

export async function initCluster(options: NewCluster): Promise<void> {
  await removeUnfinished(options.data_dir)
  const cluster_dir = getClusterDirectory(options.data_dir)
  if ((await stat(path.join(cluster_dir, 'PG_VERSION')).catch(ignoreAbsent)) !== undefined) return
  const unfinished = await mkdtemp(path.join(options.data_dir, `${UNFINISHED_PREFIX}-`))
  const password_file = `${unfinished}.password`
  try {
    await writeFile(password_file, `${options.password}\n`, { mode: 0o600 })
    for (const file of [unfinished, password_file]) {
      if (options.account !== undefined) await chown(file, options.account.uid, options.account.gid)
    }
    await runInitdb(options, unfinished, password_file)
    await rename(unfinished, cluster_dir)
    await syncDirectory(options.data_dir)
  } finally {
    await removeUnfinished(options.data_dir)
  }
}

async function runInitdb(options: NewCluster, directory: string, password_file: string): Promise<void> {
  const log_file = getServerLogPath(options.data_dir)
  const log = await openServerLog(log_file)
  try {
    const from = (await log.stat()).size
    const initdb = await launch({
      file: path.join(options.native_dir, 'bin', 'initdb'),
      account: options.account,
      needs: [directory, password_file],
      args: ([cluster = '', pwfile = '']) => buildInitdbArguments(cluster, pwfile, options),
      output: log.fd,
    })
    const ending = await initdb.exited
    if (ending !== 'exited with code 0') {
      throw new PostgresProblem(`PostgreSQL's initdb ${ending}:\n${await readLastLogLines(log_file, from)}`)
    }
  } finally {
    await log.close()
  }
}

function buildInitdbArguments(cluster: string, password_file: string, options: NewCluster): string[] {
  return [
    '-D',
    cluster,
    ...options.locale,
    '-E',
    'UTF8',
    '-U',
    options.name,
    '-A',
    'scram-sha-256',
    `--pwfile=${password_file}`,
    '--no-instructions',
    ...(options.is_durable ? [] : ['--no-sync']),
  ]
}

async function removeUnfinished(data_dir: string): Promise<void> {
  for (const entry of await readdir(data_dir)) {
    if (!entry.startsWith(UNFINISHED_PREFIX)) continue
    await rm(path.join(data_dir, entry), { recursive: true, force: true, maxRetries: 5 })
  }
}

async function syncDirectory(directory: string): Promise<void> {
  const handle = await open(directory, 'r')
  try {
    await handle.sync()
  } finally {
    await handle.close()
  }
}
