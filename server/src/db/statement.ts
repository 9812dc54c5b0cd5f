// A statement is declared once: its name (PostgreSQL prepares it under that name), its text with `:named`
// parameters, and the types of what goes in and what comes out. `statements.test.ts` has PostgreSQL describe
// every declared statement on the migrated schema and compares, so a declared type cannot lie.

export interface ColumnType<T> {
  /** The PostgreSQL types this may be, as `pg_type.typname`. */
  readonly pg: readonly string[]
  readonly nullable: boolean
  /** Carries the TypeScript type; never set. */
  readonly ts?: T
}

type Columns = Record<string, ColumnType<unknown>>
// biome-ignore lint/complexity/noBannedTypes: the empty object type is what "no parameters" means here
type Values<C extends Columns> = C extends Record<string, never> ? {} : { [K in keyof C]: TypeOf<C[K]> }
type TypeOf<C> = C extends ColumnType<infer T> ? T : never

export interface Statement<P, R> {
  readonly name: string
  readonly text: string
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
/** Counts: PostgreSQL's bigint, read as a number; every count we keep stays far below 2^53. */
export const count = type<number>('int8')
export const bool = type<boolean>('bool')
export const time = type<Date>('timestamptz')
export const times = type<Date[]>('_timestamptz')
export const texts = type<string[]>('_text')
export const uuids = type<string[]>('_uuid')
export const ints = type<number[]>('_int4')
/** JSON that the caller knows the shape of: `json<GitCommitInfo>()`. */
export const json = <T>(): ColumnType<T> => type<T>('json', 'jsonb')
export const nullable = <T>(of: ColumnType<T>): ColumnType<T | null> => ({ pg: of.pg, nullable: true })

const declared: Statement<unknown, unknown>[] = []

/** Every statement declared by the modules loaded so far. */
export const declaredStatements: readonly Statement<unknown, unknown>[] = declared

// A colon-word that is neither a cast (`::text`) nor part of a word or a quoted string's time (`12:30`).
const PLACEHOLDER = /(?<![:\w]):([a-z_][a-z0-9_]*)/g

export function defineStatement<P extends Columns, R extends Columns>(
  name: string,
  params: P,
  row: R,
  sql: string,
): Statement<Values<P>, Values<R>> {
  const order: string[] = []
  const numbered = sql.replace(PLACEHOLDER, (_, param: string) => {
    if (!(param in params)) throw new Error(`Statement ${name} uses :${param}, which it does not declare`)
    if (!order.includes(param)) order.push(param)
    return `$${order.indexOf(param) + 1}`
  })
  const unused = Object.keys(params).filter(param => !order.includes(param))
  if (unused.length > 0) throw new Error(`Statement ${name} declares but does not use: ${unused.join(', ')}`)
  if (declared.some(other => other.name === name)) throw new Error(`Two statements are called ${name}`)
  const made: Statement<Values<P>, Values<R>> = { name, text: numbered, order, params, row }
  declared.push(made as Statement<unknown, unknown>)
  return made
}

/** The values of a statement in the order of its `$n`, JSON written out as text. */
export function bindValues(made: Statement<unknown, unknown>, params: Record<string, unknown>): unknown[] {
  return made.order.map(param => {
    const value = params[param]
    const isJson = made.params[param]?.pg.includes('jsonb') === true
    return isJson && value !== null && value !== undefined ? JSON.stringify(value) : (value ?? null)
  })
}
