// Writes SQL column lists from the declaration of a row, so that a column is declared once. A declaration is a plain
// object of column types, as `defineStatement` takes it; declarations are combined by spreading.
import { type Columns, type ColumnType, nullable, type TypeOf } from './statement.ts'

/** A column that a select computes and no statement writes. */
export const computed = <T>(type: ColumnType<T>, sql: string): ColumnType<T> => ({ ...type, sql })

/** The part of a declaration that a narrower select or an insert needs. */
export function pick<C extends Columns, K extends keyof C>(columns: C, ...names: K[]): Pick<C, K> {
  return Object.fromEntries(names.map(name => [name, columns[name]])) as Pick<C, K>
}

/** The columns of a table on the outer side of a left join. */
export function allNullable<C extends Columns>(
  columns: C,
): { [K in keyof C]: ColumnType<TypeOf<C[K]> | null> } {
  const entries = Object.entries(columns).map(([name, type]) => [name, nullable(type)])
  return Object.fromEntries(entries) as { [K in keyof C]: ColumnType<TypeOf<C[K]> | null> }
}

/** `select ${toSelectList('e', ENVIRONMENT)} from environments e`: e.name, e.type, (…) as stale_at */
export function toSelectList(alias: string, columns: Columns): string {
  const toItem = ([name, { sql }]: [string, ColumnType<unknown>]) =>
    sql === undefined ? `${alias}.${name}` : `(${sql}) as ${name}`
  return Object.entries(columns).map(toItem).join(', ')
}

/** `insert into flows (${toColumnList(FLOW)})`, and after `returning`: name, description */
export function toColumnList(columns: Columns): string {
  return getStoredNames(columns).join(', ')
}

/** `values (${toValueList(FLOW)})`: :name, :description */
export function toValueList(columns: Columns): string {
  return getStoredNames(columns)
    .map(name => `:${name}`)
    .join(', ')
}

/** `update flows set ${toSetList(FLOW)}`: name = :name, description = :description */
export function toSetList(columns: Columns): string {
  return getStoredNames(columns)
    .map(name => `${name} = :${name}`)
    .join(', ')
}

/** `on conflict … do update set ${toExcludedList(REPO)}`: name = excluded.name, url = excluded.url */
export function toExcludedList(columns: Columns): string {
  return getStoredNames(columns)
    .map(name => `${name} = excluded.${name}`)
    .join(', ')
}

/** Throws when the server starts, because that is when every statement is declared. */
function getStoredNames(columns: Columns): string[] {
  const names = Object.keys(columns)
  const wrong = names.filter(name => columns[name]?.sql !== undefined)
  if (wrong.length > 0) throw new Error(`Computed columns cannot be written: ${wrong.join(', ')}`)
  return names
}
