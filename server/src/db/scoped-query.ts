// One statement under one scope as one transaction, in a single packet each way. The scope and the statement travel
// before the same Sync, and PostgreSQL takes everything up to a Sync as one transaction: nothing to begin, nothing to
// commit. As BEGIN with SET LOCAL, statement and COMMIT, pipelined, the same read on sixteen connections took about
// a quarter more of Node's processor time and a tenth more of PostgreSQL's.
import pg from 'pg'

/** What is set for the transaction, in the order of the statement that sets it; an empty text is none. */
export type ScopeValues = readonly [org_id: string, key_hash: string, worker: string]

// A condition that never holds, since a setting is never null: no row and no column comes back to be read.
const SET_SCOPE = {
  name: 'scope.set',
  text: `select where set_config('app.org', $1, true) is null or set_config('app.key', $2, true) is null
         or set_config('app.worker', $3, true) is null`,
}

/** Once per connection, before anything else is asked of it: a scoped query takes it for granted. */
export async function prepareScope(client: pg.ClientBase): Promise<void> {
  await client.query({ ...SET_SCOPE, values: ['', '', ''] })
}

/** The rows of the statement, once they are committed. */
export function sendScoped(
  client: pg.ClientBase,
  scope: ScopeValues,
  query: pg.QueryConfig,
): Promise<unknown[]> {
  return new Promise((resolve, reject) => {
    client.query(
      new ScopedQuery(scope, {
        ...query,
        callback: (error, results) => {
          if (error) reject(error)
          else resolve(results?.[1]?.rows ?? [])
        },
      }),
    )
  })
}

type Callback = (error: Error | null, results?: readonly pg.QueryResult[]) => void

/** What the driver's own query does when it is sent, which its type declarations leave out. */
interface SentQuery extends pg.Query {
  prepare(connection: pg.Connection): void
}
const Query = pg.Query as unknown as new (config: pg.QueryConfig & { callback: Callback }) => SentQuery

// A subclass, because the driver pipelines only its own kind of query. To it the answers are those of a query with two
// results. It calls back when the server is ready again, which is after the commit.
class ScopedQuery extends Query {
  readonly #scope: ScopeValues

  constructor(scope: ScopeValues, config: pg.QueryConfig & { callback: Callback }) {
    super(config)
    this.#scope = scope
  }

  override prepare(connection: pg.Connection): void {
    connection.bind({ statement: SET_SCOPE.name, values: [...this.#scope] }, false)
    connection.execute({ portal: '' }, false)
    super.prepare(connection)
  }
}
