// Sends prepared statements in one packet, before a single Sync. Without BEGIN and COMMIT, PostgreSQL treats a packet as
// one transaction. `npm run bench -- packet` compares this with a message and a Sync per statement.
import pg from 'pg'

/** A prepared statement with its values. */
export interface Query {
  name: string
  text: string
  values: unknown[]
}

/** Waits once and returns the result of each query. By default the pool decides when to give up on the connection. */
export function sendPacket(
  client: pg.ClientBase,
  queries: readonly Query[],
  give_up_ms?: number,
): Promise<pg.QueryResult[]> {
  if (queries.length === 0) return Promise.resolve([])
  return new Promise((resolve, reject) => {
    const packet = new Packet(queries, (error, results) => {
      if (error) reject(error)
      else resolve(Array.isArray(results) ? results : [results as pg.QueryResult])
    })
    // The driver reads this property of a query.
    client.query(give_up_ms === undefined ? packet : Object.assign(packet, { query_timeout: give_up_ms }))
  })
}

// The prepared statement is gone, or its columns have changed since.
const STALE = new Set(['26000', '0A000'])

type Fields = readonly pg.FieldDef[]

const PREPARED = Symbol('prepared')

/** The statements prepared on a connection, with the columns that each returns once they are known. */
function getPrepared(connection: pg.Connection & { [PREPARED]?: Map<string, Fields | null> }) {
  connection[PREPARED] ??= new Map()
  return connection[PREPARED]
}

type Callback = (error: Error | null, results?: pg.QueryResult | pg.QueryResult[]) => void

/** The methods that the driver calls to send a query and receive its results; its type declarations omit them. */
interface DriverQuery extends pg.Query {
  prepare(connection: pg.Connection): void
  handleRowDescription(message: { fields: Fields }): void
  handleDataRow(message: unknown): void
  handleCommandComplete(message: unknown, connection: pg.Connection): void
  handleError(error: Error, connection: pg.Connection): void
}
const DriverQuery = pg.Query as unknown as new (config: object) => DriverQuery
const { prepareValue } = (pg as unknown as { utils: { prepareValue(value: unknown): unknown } }).utils

// A subclass, because the driver pipelines only its own query class. The driver sees one query with several results. It
// calls back when the server is ready again, which is after the commit.
class Packet extends DriverQuery {
  readonly #queries: readonly Query[]
  /** Statements that this packet is the first to use on its connection. */
  readonly #parsed: string[] = []
  #prepared: Map<string, Fields | null> = new Map()
  /** Per query; null if the server was asked for a description. */
  #fields: (Fields | null)[] = []
  #current = 0
  #hasFields = false

  constructor(queries: readonly Query[], callback: Callback) {
    super({ text: '', queryMode: 'extended', callback })
    this.#queries = queries
  }

  override prepare(connection: pg.Connection): void {
    this.#prepared = getPrepared(connection)
    for (const { name, text, values } of this.#queries) {
      if (!this.#prepared.has(name)) {
        // After an error it is unknown whether the statement was prepared. Closing one that does not exist is allowed.
        connection.close({ type: 'S', name }, false)
        connection.parse({ name, text, types: [] }, false)
        this.#parsed.push(name)
        this.#prepared.set(name, null)
      }
      const fields = this.#prepared.get(name) ?? null
      this.#fields.push(fields)
      connection.bind({ statement: name, values, valueMapper: prepareValue } as pg.BindConfig, false)
      if (!fields) connection.describe({ type: 'P', name: '' }, false)
      connection.execute({ portal: '' }, false)
    }
    connection.sync()
  }

  override handleRowDescription(message: { fields: Fields }): void {
    this.#prepared.set(this.#queries[this.#current]?.name ?? '', message.fields)
    this.#hasFields = true
    super.handleRowDescription(message)
  }

  override handleDataRow(message: unknown): void {
    const fields = this.#fields[this.#current]
    if (!this.#hasFields && fields) {
      this.#hasFields = true
      super.handleRowDescription({ fields })
    }
    super.handleDataRow(message)
  }

  override handleCommandComplete(message: unknown, connection: pg.Connection): void {
    super.handleCommandComplete(message, connection)
    const { name } = this.#queries[this.#current] ?? { name: '' }
    // Without a description before it, the statement returns no rows and need not be described again.
    if (!this.#hasFields && this.#prepared.get(name) === null) this.#prepared.set(name, [])
    this.#current += 1
    this.#hasFields = false
  }

  override handleError(error: Error, connection: pg.Connection): void {
    const { code = '' } = error as { code?: string }
    const forgotten = STALE.has(code) ? this.#queries.map(({ name }) => name) : this.#parsed
    for (const name of forgotten) this.#prepared.delete(name)
    super.handleError(error, connection)
  }
}
