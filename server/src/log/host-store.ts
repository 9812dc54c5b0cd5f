// The host in the names of logs, which is set once.
import type { Db } from '../db/database.ts'
import { defineStatement, text } from '../db/statement.ts'

const set = defineStatement(
  'log.set_host',
  { host: text },
  {},
  'insert into log_settings (host) values (:host) on conflict (only_row) do nothing',
)

/** Has no effect on an installation that has one. */
export async function setLogHost(db: Db, base_url: string): Promise<void> {
  await db.run(set, { host: new URL(base_url).host })
}
