// Creates the database files once. They grow in a directory beside the real one and are renamed when
// complete, so a crash in the middle costs nothing but another try.
import { chown, mkdtemp, open, readdir, rename, rm, stat, writeFile } from 'node:fs/promises'
import path from 'node:path'
import type { Account } from './account.ts'
import { clusterDirectory } from './data-directory.ts'
import { SUPERUSER } from './database-address.ts'
import { absent } from './file-system.ts'
import { launch } from './launch.ts'
import { lastLogLines, openServerLog, serverLogFile } from './server-log.ts'

// Unique names: an initdb orphaned by a crash may still be writing under the old one.
const UNFINISHED = 'postgres.new'

export interface NewCluster {
  data_dir: string
  native_dir: string
  account: Account | undefined
  password: string
  locale: readonly string[]
  is_durable: boolean
}

export async function initCluster(wanted: NewCluster): Promise<void> {
  await removeUnfinished(wanted.data_dir)
  const cluster_dir = clusterDirectory(wanted.data_dir)
  if ((await stat(path.join(cluster_dir, 'PG_VERSION')).catch(absent)) !== undefined) return
  const unfinished = await mkdtemp(path.join(wanted.data_dir, `${UNFINISHED}-`))
  const password_file = `${unfinished}.password`
  try {
    await writeFile(password_file, `${wanted.password}\n`, { mode: 0o600 })
    for (const file of [unfinished, password_file]) {
      if (wanted.account !== undefined) await chown(file, wanted.account.uid, wanted.account.gid)
    }
    await runInitdb(wanted, unfinished, password_file)
    await rename(unfinished, cluster_dir)
    await syncDirectory(wanted.data_dir)
  } finally {
    await removeUnfinished(wanted.data_dir)
  }
}

async function runInitdb(wanted: NewCluster, directory: string, password_file: string): Promise<void> {
  const log_file = serverLogFile(wanted.data_dir)
  const log = await openServerLog(log_file)
  try {
    const initdb = await launch({
      file: path.join(wanted.native_dir, 'bin', 'initdb'),
      account: wanted.account,
      needs: [directory, password_file],
      args: ([cluster = '', pwfile = '']) => initdbArguments(cluster, pwfile, wanted),
      output: log.fd,
    })
    const ending = await initdb.exited
    if (ending !== 'exited with code 0') {
      throw new Error(`PostgreSQL's initdb ${ending}:\n${await lastLogLines(log_file)}`)
    }
  } finally {
    await log.close()
  }
}

function initdbArguments(cluster: string, password_file: string, wanted: NewCluster): string[] {
  return [
    '-D',
    cluster,
    ...wanted.locale,
    '-E',
    'UTF8',
    '-U',
    SUPERUSER,
    '-A',
    'scram-sha-256',
    `--pwfile=${password_file}`,
    '--no-instructions',
    ...(wanted.is_durable ? [] : ['--no-sync']),
  ]
}

async function removeUnfinished(data_dir: string): Promise<void> {
  for (const entry of await readdir(data_dir)) {
    if (!entry.startsWith(UNFINISHED)) continue
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
