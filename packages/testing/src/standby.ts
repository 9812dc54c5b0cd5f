// Creates a streaming standby from a copy of a running PostgreSQL's files.
import { cpSync, writeFileSync } from 'node:fs'

/** Runs a statement on the primary. */
interface Primary {
  query(text: string): Promise<{ rows: Record<string, unknown>[] }>
}

export interface CopiedFolders {
  from: string
  to: string
}

/** How the standby connects to its primary. */
export interface PrimaryAddress {
  host: string
  port: number
  user: string
  password?: string | undefined
}

/** A server started in the folder `to` follows the primary. */
export async function copyAsStandby(
  primary: Primary,
  { host, port, user, password }: PrimaryAddress,
  { from, to }: CopiedFolders,
): Promise<void> {
  await primary.query("select pg_backup_start('standby', true)")
  cpSync(from, to, { recursive: true, filter: path => !path.endsWith('postmaster.pid') })
  const { rows } = await primary.query('select labelfile from pg_backup_stop(false)')
  const files = {
    backup_label: String(rows[0]?.labelfile),
    'standby.signal': '',
    'postgresql.auto.conf': `primary_conninfo = 'host=${host} port=${port} user=${user} password=${password}'\n`,
  }
  for (const [name, content] of Object.entries(files)) writeFileSync(`${to}/${name}`, content)
}
