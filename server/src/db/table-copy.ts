// Whole tables as text and back, for backups: every value as PostgreSQL itself writes it, so that json keeps its
// sender's spelling, a stored JSON null stays apart from NULL, and a row is always one line.
import type pg from 'pg'

// A row may be a megabyte and more; what is fetched at once stays bounded.
const ROWS_PER_FETCH = 100

export interface Column {
  name: string
  type: string
}

export interface Table {
  name: string
  columns: Column[]
}

/** Everything `work` reads is of one moment, whatever is written meanwhile. */
export async function withSnapshot<T>(owner: pg.Client, work: () => Promise<T>): Promise<T> {
  await owner.query('begin isolation level repeatable read read only')
  try {
    await owner.query(`
      set local timezone = 'UTC'; set local datestyle = 'ISO'; set local intervalstyle = 'iso_8601';
      set local bytea_output = 'hex'; set local extra_float_digits = 1`)
    return await work()
  } finally {
    // Nothing was written; and a connection that broke has nothing to roll back.
    await owner.query('rollback').catch(() => undefined)
  }
}

/** The tables of the application, each after the ones it refers to. The ledger of migrations is not among them. */
export async function listTables(owner: pg.Client): Promise<Table[]> {
  const { rows } = await owner.query<Table & { parents: string[] }>(`
    select c.relname::text as name,
      (select json_agg(json_build_object('name', a.attname, 'type', format_type(a.atttypid, a.atttypmod))
                       order by a.attnum)
       from pg_attribute a
       where a.attrelid = c.oid and a.attnum > 0 and not a.attisdropped and a.attgenerated = '') as columns,
      (select coalesce(array_agg(p.relname::text), '{}')
       from pg_constraint f join pg_class p on p.oid = f.confrelid
       where f.conrelid = c.oid and f.contype = 'f' and f.confrelid <> c.oid) as parents
    from pg_class c
    where c.relnamespace = 'public'::regnamespace and c.relkind in ('r', 'p') and not c.relispartition
      and c.relname <> 'schema_migrations'
    order by 1`)
  const ordered: Table[] = []
  const isPlaced = (name: string) => ordered.some(table => table.name === name)
  while (ordered.length < rows.length) {
    const next = rows.find(({ name, parents }) => !isPlaced(name) && parents.every(isPlaced))
    if (!next) throw new Error('The tables refer to each other in a circle')
    ordered.push({ name: next.name, columns: next.columns })
  }
  return ordered
}

/** The rows of a table, a few at a time, each as one line of JSON. Inside a transaction. */
export async function* readLines(owner: pg.Client, { name, columns }: Table): AsyncGenerator<string[]> {
  const texts = columns.map(column => `${quoteName(column.name)}::text as ${quoteName(column.name)}`)
  await owner.query(`
    declare table_copy no scroll cursor for
    select row_to_json(t)::text as line from (select ${texts.join(', ')} from public.${quoteName(name)}) t`)
  for (;;) {
    const { rows } = await owner.query<{ line: string }>(`fetch ${ROWS_PER_FETCH} from table_copy`)
    if (rows.length === 0) break
    yield rows.map(row => row.line)
  }
  await owner.query('close table_copy')
}

/** Stores rows as `readLines` gave them and returns how many they were. */
export async function writeLines(
  owner: pg.Client,
  { name, columns }: Table,
  lines: string[],
): Promise<number> {
  const names = columns.map(column => quoteName(column.name))
  const values = columns.map(column => `r.${quoteName(column.name)}::${column.type}`)
  // Taken apart once a row; an operator per column would read the whole row again for each.
  const texts = names.map(column => `${column} text`)
  const result = await owner.query(
    `insert into public.${quoteName(name)} (${names.join(', ')})
     select ${values.join(', ')} from json_to_recordset($1::json) as r (${texts.join(', ')})`,
    [`[${lines.join(',')}]`],
  )
  return result.rowCount ?? 0
}

/** After rows came in bulk: until PostgreSQL has counted them, it plans as if there were none. */
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

/** Names come from the catalogue, and a name may be anything. */
function quoteName(name: string): string {
  return `"${name.replaceAll('"', '""')}"`
}
