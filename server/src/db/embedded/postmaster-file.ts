// PostgreSQL's own note about itself in the cluster directory: who runs it and where its socket lies.
import { chown, readFile, rename, rm, writeFile } from 'node:fs/promises'
import path from 'node:path'
import type { Account } from './account.ts'
import { getClusterDirectory } from './data-directory.ts'
import { ignoreAbsent } from './file-system.ts'

export interface PostmasterNote {
  pid: number
  port: number
  socket_directory: string
}

export async function readPostmasterFile(cluster_dir: string): Promise<PostmasterNote | undefined> {
  const text = await readFile(getPostmasterPath(cluster_dir), 'utf8').catch(ignoreAbsent)
  if (text === undefined) return undefined
  const [pid = '', , , port = '', socket_directory = ''] = text.split('\n')
  return { pid: Number(pid), port: Number(port), socket_directory }
}

/**
 * Makes PostgreSQL treat the note as stale although its pid may have been given to another program meanwhile:
 * it ignores its parent's pid, which is ours. Removing the note would also remove the key with which
 * PostgreSQL finds out whether old backends still write to these files.
 */
export async function disarmPostmasterFile(data_dir: string, account: Account | undefined): Promise<void> {
  const file = getPostmasterPath(getClusterDirectory(data_dir))
  const text = await readFile(file, 'utf8').catch(ignoreAbsent)
  if (text === undefined) return
  const end_of_pid = text.indexOf('\n')
  if (end_of_pid === -1) return rm(file, { force: true })
  // Renamed from outside: writing in place could follow a link that the database's user planted.
  const replacement = path.join(data_dir, 'postmaster.pid.new')
  await rm(replacement, { force: true })
  await writeFile(replacement, `${process.pid}${text.slice(end_of_pid)}`, { mode: 0o600 })
  if (account !== undefined) await chown(replacement, account.uid, account.gid)
  await rename(replacement, file)
}

function getPostmasterPath(cluster_dir: string): string {
  return path.join(cluster_dir, 'postmaster.pid')
}
