// Copies whole tables to text and back, for backups. Every value is in PostgreSQL's own text format, so that json keeps
// the sender's formatting, a stored JSON null differs from NULL, and a row is always one line.
import type pg from 'pg'

// A row may exceed a megabyte, so this bounds the memory of one fetch.
const ROWS_PER_FETCH = 100

/** Makes the texts of values the same in every session, for the current transaction. */
export const TEXT_FORMAT = `
  set local timezone = 'UTC'; set local datestyle = 'ISO'; set local intervalstyle = 'iso_8601';
  set local bytea_output = 'hex'; set local extra_float_digits = 1`

export interface Column {
  name: string
  type: string
}

export interface Table {
  name: string
  columns: Column[]
}

/** Everything that `work` reads is from one point in time, whatever is written meanwhile. */
export async function withSnapshot<T>(owner: pg.Client, work: () => Promise<T>): Promise<T> {
  await owner.query('begin isolation level repeatable read read only')
  try {
    await owner.query(TEXT_FORMAT)
    return await work()
  } finally {
    // Nothing was written, and a broken connection has nothing to roll back.
    await owner.query('rollback').catch(() => undefined)
  }
}

/**
 * The application's tables, each after the ones it refers to, without those that describe this database and its
 * processes. Columns are sorted by name: databases of different ages may store them in different orders.
 */
export async function listTables(owner: pg.Client): Promise<Table[]> {
  const { rows } = await owner.query<Table & { parents: string[] }>(`
    select c.relname::text as name,
      (select json_agg(json_build_object('name', a.attname, 'type', format_type(a.atttypid, a.atttypmod))
                       order by a.attname)
       from pg_attribute a
       where a.attrelid = c.oid and a.attnum > 0 and not a.attisdropped and a.attgenerated = '') as columns,
      (select coalesce(array_agg(p.relname::text), '{}')
       from pg_constraint f join pg_class p on p.oid = f.confrelid
       where f.conrelid = c.oid and f.contype = 'f' and f.confrelid <> c.oid) as parents
    from pg_class c
    where c.relnamespace = 'public'::regnamespace and c.relkind in ('r', 'p') and not c.relispartition
      and c.relname not in ('schema_migrations', 'health', 'workers', 'secret_check', 'clock_mark', 'log_settings')
    order by 1`)
  const ordered: Table[] = []
  const isPlaced = (name: string) => ordered.some(table => table.name === name)
  while (ordered.length < rows.length) {
    const next = rows.find(({ name, parents }) => !isPlaced(name) && parents.every(isPlaced))
    if (!next) throw new Error('The foreign keys of the tables form a cycle')
    ordered.push({ name: next.name, columns: next.columns })
  }
  return ordered
}

/** Yields the rows of a table in small batches, each row as one line of JSON. Needs an open transaction. */
export function readLines(owner: pg.Client, { name, columns }: Table): AsyncGenerator<string[]> {
  const texts = columns.map(column => `${quoteName(column.name)}::text as ${quoteName(column.name)}`)
  return fetchLines(owner, `select ${texts.join(', ')} from public.${quoteName(name)}`, [])
}

/** The rows of a query whose columns are texts. */
export async function* fetchLines(
  owner: pg.Client,
  query: string,
  values: unknown[],
): AsyncGenerator<string[]> {
  await owner.query(
    `declare table_copy no scroll cursor for select row_to_json(t)::text as line from (${query}) t`,
    values,
  )
  for (;;) {
    const { rows } = await owner.query<{ line: string }>(`fetch ${ROWS_PER_FETCH} from table_copy`)
    if (rows.length === 0) break
    yield rows.map(row => row.line)
  }
  await owner.query('close table_copy')
}

/** Stores rows in the format of `readLines` and returns their number. */
export async function writeLines(
  owner: pg.Client,
  { name, columns }: Table,
  lines: string[],
): Promise<number> {
  const names = columns.map(column => quoteName(column.name))
  const values = columns.map(column => `r.${quoteName(column.name)}::${column.type}`)
  // Parses each row once; one JSON operator per column would parse the whole row for every column.
  const texts = names.map(column => `${column} text`)
  const result = await owner.query(
    `insert into public.${quoteName(name)} (${names.join(', ')})
     select ${values.join(', ')} from json_to_recordset($1::json) as r (${texts.join(', ')})`,
    [`[${lines.join(',')}]`],
  )
  return result.rowCount ?? 0
}

/** Call this after a bulk load: without statistics PostgreSQL plans as if the tables were empty. */
export async function analyzeTables(owner: pg.Client): Promise<void> {
  await owner.query('analyze')
}

export async function findFilledTable(
  owner: pg.Client,
  tables: readonly Table[],
): Promise<string | undefined> {
  for (const { name } of tables) {
    const { rows } = await owner.query(`select exists (select from public.${quoteName(name)}) as filled`)
    if (rows[0]?.filled) return name
  }
  return undefined
}

/** Names come from the catalog and may contain any character. */
export function quoteName(name: string): string {
  return `"${name.replaceAll('"', '""')}"`
}
