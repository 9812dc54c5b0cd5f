// The requirements for an operator's PostgreSQL server. Checked on every owner connection, before anything is written.
import type pg from 'pg'
import { SchemaProblem } from './migrate.ts'

const MIN_MAJOR_VERSION = 15
const ENCODING = 'UTF8'

/** Throws a SchemaProblem that explains what is wrong with the server or the database, and how to fix it. */
export async function refuseUnsupportedServer(owner: pg.Client, setting: string): Promise<void> {
  const { rows } = await owner.query(`
    select current_setting('server_version') as version,
      current_setting('server_version_num')::integer / 10000 as major,
      current_setting('server_encoding') as encoding`)
  const { version, major, encoding } = rows[0]
  if (major < MIN_MAJOR_VERSION) {
    throw new SchemaProblem(
      `${setting} points to PostgreSQL ${version}, which is too old: ` +
        `use version ${MIN_MAJOR_VERSION} or newer`,
    )
  }
  // Every other encoding lacks characters that callers send, and SQL_ASCII does not validate characters at all.
  if (encoding !== ENCODING) {
    throw new SchemaProblem(
      `The database of ${setting} has the encoding ${encoding}, but Waybill needs ${ENCODING}: ` +
        `use a database that was created with "encoding '${ENCODING}' template template0"`,
    )
  }
}
