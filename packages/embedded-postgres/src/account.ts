// Chooses the operating-system user that runs the database. PostgreSQL refuses to run as root, so root runs it as an
// unprivileged user. Everyone else runs it as themselves (undefined).
import { lchown, readdir, stat } from 'node:fs/promises'
import path from 'node:path'
import { ignoreAbsent } from './file-system.ts'
import { PostgresProblem } from './problem.ts'

export interface Account {
  uid: number
  gid: number
}

const NOBODY = 65534

export async function chooseAccount(cluster_dir: string): Promise<Account | undefined> {
  if (process.getuid?.() !== 0) return undefined
  if (process.platform !== 'linux') {
    throw new PostgresProblem(
      'PostgreSQL cannot run as root here: start Waybill as an ordinary user or set DATABASE_URL',
    )
  }
  // A directory created by an ordinary user keeps its owner, so that this user can still use it afterwards.
  const owner = (await stat(cluster_dir).catch(ignoreAbsent))?.uid ?? 0
  return { uid: owner === 0 ? NOBODY : owner, gid: NOBODY }
}

/**
 * A cluster that root copied into place, such as a restored backup, belongs to root, and PostgreSQL would reject it.
 */
export async function adoptCluster(cluster_dir: string, account: Account): Promise<void> {
  const found = await stat(cluster_dir).catch(ignoreAbsent)
  if (found === undefined || found.uid !== 0) return
  for (const entry of await readdir(cluster_dir, { recursive: true })) {
    await lchown(path.join(cluster_dir, entry), account.uid, account.gid)
  }
  // Last, so that an interrupted run is repeated.
  await lchown(cluster_dir, account.uid, account.gid)
}
