// PostgreSQL's pid file in the cluster directory: its process and its socket directory.
import { chown, readFile, rename, rm, writeFile } from 'node:fs/promises'
import path from 'node:path'
import type { Account } from './account.ts'
import { getClusterDirectory } from './data-directory.ts'
import { ignoreAbsent } from './file-system.ts'

export interface PostmasterFile {
  pid: number
  port: number
  socket_directory: string
  /** `starting`, `ready`, `stopping` or `standby`. */
  status: string
}

export async function readPostmasterFile(cluster_dir: string): Promise<PostmasterFile | undefined> {
  const text = await readFile(getPostmasterPath(cluster_dir), 'utf8').catch(ignoreAbsent)
  if (text === undefined) return undefined
  const [pid = '', , , port = '', socket_directory = '', , , status = ''] = text.split('\n')
  return { pid: Number(pid), port: Number(port), socket_directory, status: status.trim() }
}

/**
 * Makes PostgreSQL treat the pid file as stale even if another program has its pid by now: PostgreSQL ignores its
 * parent's pid, which is ours. Removing the file would also remove the shared memory key by which PostgreSQL detects
 * old backends that still write to the cluster.
 */
export async function disarmPostmasterFile(data_dir: string, account: Account | undefined): Promise<void> {
  const file = getPostmasterPath(getClusterDirectory(data_dir))
  const text = await readFile(file, 'utf8').catch(ignoreAbsent)
  if (text === undefined) return
  const end_of_pid = text.indexOf('\n')
  if (end_of_pid === -1) return rm(file, { force: true })
  // Written elsewhere and renamed: writing in place could follow a link that the database user planted.
  const replacement = path.join(data_dir, 'postmaster.pid.new')
  await rm(replacement, { force: true })
  await writeFile(replacement, `${process.pid}${text.slice(end_of_pid)}`, { mode: 0o600 })
  if (account !== undefined) await chown(replacement, account.uid, account.gid)
  await rename(replacement, file)
}

function getPostmasterPath(cluster_dir: string): string {
  return path.join(cluster_dir, 'postmaster.pid')
}
