// Statements under one scope as one transaction, in a single packet each way. The scope and the statements travel
// before the same Sync, and PostgreSQL takes everything up to a Sync as one transaction: nothing to begin, nothing to
// commit. As BEGIN with SET LOCAL, statement and COMMIT, pipelined, the same read on sixteen connections took about
// a quarter more of Node's processor time and a tenth more of PostgreSQL's.
import pg from 'pg'

/** What is set for the transaction, in the order of the statement that sets it; an empty text is none. */
export type ScopeValues = readonly [
  org_id: string,
  key_hash: string,
  worker: string,
  user_id: string,
  signin: string,
]

// A condition that never holds, since a setting is never null: no row and no column comes back to be read.
const SET_SCOPE = {
  name: 'scope.set',
  text: `select where set_config('app.org', $1, true) is null or set_config('app.key', $2, true) is null
         or set_config('app.worker', $3, true) is null or set_config('app.person', $4, true) is null
         or set_config('app.signin', $5, true) is null`,
}

/** What sets a scope for the rest of a transaction that has begun. */
export function buildScopeQuery(scope: ScopeValues): pg.QueryConfig {
  return { ...SET_SCOPE, values: [...scope] }
}

/** Once per connection, before anything else is asked of it: a scoped query takes it for granted. */
export async function prepareScope(client: pg.ClientBase): Promise<void> {
  await client.query(buildScopeQuery(['', '', '', '', '']))
}

/** The rows of each statement, once all of them are committed: one transaction, one wait, each seeing the last. */
export async function sendScoped(
  client: pg.ClientBase,
  scope: ScopeValues,
  queries: readonly pg.QueryConfig[],
): Promise<unknown[][]> {
  const earlier = queries.slice(0, -1).map(toEarlierStep)
  const last = queries.at(-1)
  if (!last) return []
  await prepareEarlier(client, earlier)
  return new Promise((resolve, reject) => {
    client.query(
      new ScopedQuery(scope, earlier, {
        ...last,
        callback: (error, results) => {
          if (error) reject(error)
          else resolve(queries.map((_, i) => results?.[i + 1]?.rows ?? []))
        },
      }),
    )
  })
}

interface EarlierStep {
  name: string
  text: string
  values: (string | null)[]
}

/** Under a name of its own: the driver keeps its own book of what it has prepared, and does not know of these. */
function toEarlierStep({ name, text, values = [] }: pg.QueryConfig): EarlierStep {
  return { name: `earlier:${name}`, text, values: values.map(toText) }
}

function toText(value: unknown): string | null {
  if (value === null || value === undefined) return null
  return value instanceof Date ? value.toISOString() : String(value)
}

const preparedOn = new WeakMap<pg.ClientBase, Set<string>>()

/** The first time on a connection costs a wait of its own; the driver can only prepare the last statement by itself. */
async function prepareEarlier(client: pg.ClientBase, steps: readonly EarlierStep[]): Promise<void> {
  const known = preparedOn.get(client) ?? new Set<string>()
  preparedOn.set(client, known)
  for (const { name, text } of steps) {
    if (known.has(name)) continue
    await client.query(`prepare "${name}" as ${text}`)
    known.add(name)
  }
}

type Callback = (error: Error | null, results?: readonly pg.QueryResult[]) => void

/** What the driver's own query does when it is sent, which its type declarations leave out. */
interface SentQuery extends pg.Query {
  prepare(connection: pg.Connection): void
}
const Query = pg.Query as unknown as new (config: pg.QueryConfig & { callback: Callback }) => SentQuery

// A subclass, because the driver pipelines only its own kind of query. To it the answers are those of a query with
// several results. It calls back when the server is ready again, which is after the commit.
class ScopedQuery extends Query {
  readonly #scope: ScopeValues
  readonly #earlier: readonly EarlierStep[]

  constructor(
    scope: ScopeValues,
    earlier: readonly EarlierStep[],
    config: pg.QueryConfig & { callback: Callback },
  ) {
    super(config)
    this.#scope = scope
    this.#earlier = earlier
  }

  override prepare(connection: pg.Connection): void {
    connection.bind({ statement: SET_SCOPE.name, values: [...this.#scope] }, false)
    connection.execute({ portal: '' }, false)
    for (const { name, values } of this.#earlier) {
      connection.bind({ statement: name, values }, false)
      connection.describe({ type: 'P', name: '' }, false)
      connection.execute({ portal: '' }, false)
    }
    super.prepare(connection)
  }
}
