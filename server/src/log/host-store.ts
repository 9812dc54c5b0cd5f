// The host in log names, which is set once.
import type { Db } from '../db/database.ts'
import { defineStatement, text } from '../db/statement.ts'

const set = defineStatement(
  'log.set_host',
  { host: text },
  {},
  'insert into log_settings (host) values (:host) on conflict (only_row) do nothing',
)

/** Has no effect if the installation already has one. */
export async function setLogHost(db: Db, base_url: string): Promise<void> {
  await db.run(set, { host: new URL(base_url).host })
}
