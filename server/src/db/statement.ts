// Declares SQL statements: a name (PostgreSQL prepares the statement under it), a text with `:named` parameters, and
// the types of parameters and rows. `statements.test.ts` compares the declared types with what PostgreSQL reports for
// every statement on the migrated schema.

export interface ColumnType<T> {
  /** The PostgreSQL types that a column may have, as `pg_type.typname`. */
  readonly pg: readonly string[]
  readonly nullable: boolean
  /** The expression that computes the column (db/columns.ts); without one, it is a column of the table. */
  readonly sql?: string
  /** Carries the TypeScript type; never set. */
  readonly ts?: T
}

export type Columns = Record<string, ColumnType<unknown>>
/** The TypeScript type of parameters or a row: `Values<typeof FIELDS>`. */
export type Values<C extends Columns> =
  // biome-ignore lint/complexity/noBannedTypes: the empty object type is what "no parameters" means here
  C extends Record<string, never> ? {} : { [K in keyof C]: TypeOf<C[K]> }
export type TypeOf<C> = C extends ColumnType<infer T> ? T : never

/**
 * How many rows a statement may read, whatever else the tables hold (docs/adr/0028). `statement-bounds.slow.test.ts`
 * counts them for every statement.
 * - `rows`: as many as it returns, changes or gets keys for, times a small factor.
 * - `page`: as many as its limit and its offset, however few of them it returns.
 * - `whole`: all rows of its subject, with the reason.
 */
export type Bound = 'rows' | 'page' | { readonly whole: 'org' | 'database'; readonly why: string }

/** A statement's declared cost. Most statements look rows up by keys and declare nothing. */
export interface Cost {
  readonly reads: Bound
  /**
   * How PostgreSQL plans the statement, unless left to its estimates: `custom` for the values of each call, for
   * statements whose plan for all values reads too much, or `generic` once for all values.
   */
  readonly plan?: Plan
}

export type Plan = 'custom' | 'generic'

/** For statements that read every row of the organization in a table, and have a reason to do so. */
export const readsWholeOrg = (why: string): Cost => ({ reads: { whole: 'org', why } })
/** For statements of operators and background loops that read the rows of all organizations. */
export const readsWholeDatabase = (why: string): Cost => ({ reads: { whole: 'database', why } })
export const readsPage: Cost = { reads: 'page' }
const READS_ROWS: Cost = { reads: 'rows' }

/** Planned for the values of each call: without them, PostgreSQL cannot know that a period is long. */
export const plannedEachTime = (cost: Cost = READS_ROWS): Cost => ({ ...cost, plan: 'custom' })
/** Planned once for all values: it only looks rows up by keys, and planning would take longer than running it. */
export const PLANNED_ONCE: Cost = { ...READS_ROWS, plan: 'generic' }

export interface Statement<P, R> {
  readonly name: string
  readonly text: string
  readonly cost: Cost
  readonly order: readonly string[]
  readonly params: Columns
  readonly row: Columns
  /** Carry the TypeScript types; never set. */
  readonly in?: P
  readonly out?: R
}

export type RowOf<S> = S extends Statement<infer _P, infer R> ? R : never
export type ParamsOf<S> = S extends Statement<infer P, infer _R> ? P : never

const type = <T>(...pg: string[]): ColumnType<T> => ({ pg, nullable: false })

export const uuid = type<string>('uuid')
export const text = type<string>('text', 'varchar')
export const int = type<number>('int4')
/** A bigint read as a number: every count stays far below 2^53. */
export const count = type<number>('int8')
export const float = type<number>('float8')
export const bool = type<boolean>('bool')
export const bytes = type<Buffer>('bytea')
export const time = type<Date>('timestamptz')
export const times = type<Date[]>('_timestamptz')
export const texts = type<string[]>('_text')
export const uuids = type<string[]>('_uuid')
export const ints = type<number[]>('_int4')
export const counts = type<number[]>('_int8')
/** Columns of many rows, as `db/columns-of-rows.ts` writes them. */
export const textColumn = type<Buffer>('_text')
export const intColumn = type<Buffer>('_int4')
export const boolColumn = type<Buffer>('_bool')
export const floatColumn = type<Buffer>('_float8')
export const bytesColumn = type<Buffer>('_bytea')
export const uuidColumn = type<Buffer>('_uuid')
export const jsonColumn = type<Buffer>('_json')
/** JSON whose type the caller knows: `json<GitCommitInfo>()`. */
export const json = <T>(): ColumnType<T> => type<T>('json', 'jsonb')
export const nullable = <T>(of: ColumnType<T>): ColumnType<T | null> => ({
  ...of,
  nullable: true,
})

const declared: Statement<unknown, unknown>[] = []

/** The statements of all modules loaded so far. */
export const declaredStatements: readonly Statement<unknown, unknown>[] = declared

// A colon-word that is neither a cast (`::text`) nor part of a word or a quoted string's time (`12:30`).
const PLACEHOLDER = /(?<![:\w]):([a-z_][a-z0-9_]*)/g

export function defineStatement<P extends Columns, R extends Columns>(
  name: string,
  params: P,
  row: R,
  sql: string,
  cost = READS_ROWS,
): Statement<Values<P>, Values<R>> {
  const order: string[] = []
  const numbered = sql.replace(PLACEHOLDER, (_, param: string) => {
    if (!(param in params)) throw new Error(`Statement ${name} uses :${param} but does not declare it`)
    if (!order.includes(param)) order.push(param)
    return `$${order.indexOf(param) + 1}`
  })
  const unused = Object.keys(params).filter(param => !order.includes(param))
  if (unused.length > 0)
    throw new Error(`Statement ${name} declares parameters that it does not use: ${unused.join(', ')}`)
  if (declared.some(other => other.name === name)) throw new Error(`Two statements have the name ${name}`)
  const statement: Statement<Values<P>, Values<R>> = { name, text: numbered, cost, order, params, row }
  declared.push(statement as Statement<unknown, unknown>)
  return statement
}

/** Orders the values by `$n` and serializes JSON. */
export function bindValues(
  statement: Statement<unknown, unknown>,
  params: Record<string, unknown>,
): unknown[] {
  return statement.order.map(param => {
    const value = params[param]
    const isJson = statement.params[param]?.pg.includes('jsonb') === true
    return isJson && value !== null && value !== undefined ? JSON.stringify(value) : (value ?? null)
  })
}
