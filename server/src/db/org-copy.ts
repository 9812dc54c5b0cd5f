// Reads the rows of one org from every table with an org_id, in an order and a format that do not depend on the
// installation. Two cells with the same rows yield the same lines, so that their hashes can be compared.
import type pg from 'pg'
import { fetchLines, listTables, quoteName, type Table } from './table-copy.ts'

/** Records where an org is frozen, so each cell has its own. */
const NOT_COPIED = ['frozen_orgs']

export interface OrgTable extends Table {
  /** The primary key, or all columns. */
  key: string[]
  /** The columns that refer to users. People have different ids in different cells. */
  people: string[]
}

/**
 * Every table with rows of orgs, each after the ones it refers to. Read from the catalogue, so that none is
 * forgotten.
 */
export async function listOrgTables(owner: pg.Client): Promise<OrgTable[]> {
  const tables = (await listTables(owner)).filter(
    ({ name, columns }) => columns.some(column => column.name === 'org_id') && !NOT_COPIED.includes(name),
  )
  const { rows } = await owner.query<{ name: string; key: string[] | null; people: string[] }>(`
    select c.relname::text as name,
      (select array_agg(a.attname::text order by array_position(i.indkey::int2[], a.attnum))
       from pg_index i join pg_attribute a on a.attrelid = c.oid and a.attnum = any (i.indkey)
       where i.indrelid = c.oid and i.indisprimary) as key,
      (select coalesce(array_agg(a.attname::text order by a.attnum), '{}')
       from pg_constraint f join pg_attribute a on a.attrelid = c.oid and a.attnum = any (f.conkey)
       where f.conrelid = c.oid and f.contype = 'f' and f.confrelid = 'public.users'::regclass) as people
    from pg_class c where c.relnamespace = 'public'::regnamespace and c.relkind in ('r', 'p')`)
  return tables.map(table => {
    const found = rows.find(({ name }) => name === table.name)
    return { ...table, key: found?.key ?? table.columns.map(({ name }) => name), people: found?.people ?? [] }
  })
}

/** `ids_there`: the id in the other cell by the id here, for users whose ids differ. Needs an open transaction. */
export function readOrgLines(
  owner: pg.Client,
  { name, columns, key, people }: OrgTable,
  org_id: string,
  ids_there: Readonly<Record<string, string>>,
): AsyncGenerator<string[]> {
  const writeText = (column: string) => {
    const value = `r.${quoteName(column)}::text`
    return people.includes(column) ? `coalesce($2::jsonb ->> ${value}, ${value})` : value
  }
  const texts = columns.map(column => `${writeText(column.name)} as ${quoteName(column.name)}`)
  // Collations differ between installations, and the ids of people between cells.
  const order = key.map(column => {
    const { type = '' } = columns.find(each => each.name === column) ?? {}
    const isText = people.includes(column) || !ORDERED_ALIKE.has(type)
    return isText ? `${writeText(column)} collate "C"` : `r.${quoteName(column)}`
  })
  const query = `select ${texts.join(', ')} from public.${quoteName(name)} r
    where r.org_id = $1 order by ${order.join(', ')}`
  return fetchLines(owner, query, people.length > 0 ? [org_id, JSON.stringify(ids_there)] : [org_id])
}

/** Types whose order is the same everywhere, so that an index of the table can provide it. */
const ORDERED_ALIKE = new Set(['uuid', 'integer', 'bigint', 'timestamp with time zone'])

/** The ids of all users that rows of the org refer to. */
export async function listPeopleIds(
  owner: pg.Client,
  tables: readonly OrgTable[],
  org_id: string,
): Promise<string[]> {
  const selects = tables.flatMap(({ name, people }) =>
    people.map(
      column => `select ${quoteName(column)} as id from public.${quoteName(name)} where org_id = $1`,
    ),
  )
  const { rows } = await owner.query(
    `select distinct id::text as id from (${selects.join(' union all ')}) p where id is not null order by 1`,
    [org_id],
  )
  return rows.map(({ id }) => id)
}
