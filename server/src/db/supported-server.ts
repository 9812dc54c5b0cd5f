// What Waybill needs of an operator's PostgreSQL. Asked at every connection of the owner, before anything is written.
import type pg from 'pg'
import { SchemaProblem } from './migrate.ts'

const OLDEST_MAJOR = 15
const ENCODING = 'UTF8'

/** Throws a sentence that says what is wrong with the server or the database, and what to do. */
export async function refuseUnsupportedServer(owner: pg.Client): Promise<void> {
  const { rows } = await owner.query(`
    select current_setting('server_version') as version,
      current_setting('server_version_num')::integer / 10000 as major,
      current_setting('server_encoding') as encoding`)
  const { version, major, encoding } = rows[0]
  if (major < OLDEST_MAJOR) {
    throw new SchemaProblem(
      `DATABASE_URL leads to PostgreSQL ${version}, which is too old: ` +
        `use a server of version ${OLDEST_MAJOR} or newer`,
    )
  }
  // Every other encoding lacks characters that callers send, and SQL_ASCII does not know what a character is.
  if (encoding !== ENCODING) {
    throw new SchemaProblem(
      `The database of DATABASE_URL has the encoding ${encoding}, but Waybill needs ${ENCODING}: ` +
        `use a database that was created with "encoding '${ENCODING}' template template0"`,
    )
  }
}
