// Finds index conditions whose value is computed from another row. Under row-level security, PostgreSQL does not use
// an index for some of them: before 15.20 for few, since then for most (docs/adr/0028-statements-declare-bounds.md).
import type pg from 'pg'
import type { Statement } from '../src/db/statement.ts'

/** Disables other plans, so that every condition that fits an index shows, however small its table is. */
const PREFER_INDEXES = `set local enable_seqscan = off; set local enable_hashjoin = off; set local enable_mergejoin = off;
  set local enable_bitmapscan = off; set local plan_cache_mode = force_generic_plan`

export interface PlanNode {
  Alias?: string
  'Relation Name'?: string
  'Index Name'?: string
  'Index Cond'?: string
  Filter?: string
  'Join Filter'?: string
  Plans?: PlanNode[]
}

export interface Index {
  table: string
  name: string
  is_unique: boolean
  columns: string[]
}

/** As this role, for the tables that it can see. */
export async function readIndexes(client: pg.Client): Promise<Index[]> {
  const { rows } = await client.query(
    `select t.relname::text as table, c.relname::text as name, i.indisunique as is_unique, array(
       select coalesce(a.attname::text, '') from unnest(i.indkey::int2[]) with ordinality k(attnum, place)
       left join pg_attribute a on a.attrelid = i.indrelid and a.attnum = k.attnum
       where k.place <= i.indnkeyatts order by k.place) as columns
     from pg_index i join pg_class t on t.oid = i.indrelid join pg_class c on c.oid = i.indexrelid
     where t.relnamespace = 'public'::regnamespace`,
  )
  return rows
}

/** The conditions that a statement looks up in an index, or could look up. Plans the statement without running it. */
export async function listIndexConditions(
  client: pg.Client,
  { text, order }: Statement<unknown, unknown>,
  indexes: readonly Index[],
): Promise<string[]> {
  const nulls = order.length === 0 ? '' : `(${order.map(() => 'null').join(', ')})`
  await client.query(`begin; ${PREFER_INDEXES}`)
  // A separate connection, since a cached plan stays as it is.
  await client.query(`prepare planned as ${text}`)
  try {
    const { rows } = await client.query(`explain (verbose, format json) execute planned${nulls}`)
    return listConditions(rows[0]['QUERY PLAN'][0].Plan, indexes)
  } finally {
    await client.query('rollback; deallocate planned')
  }
}

/** The conditions of a node and everything below it. */
export function listConditions(node: PlanNode, indexes: readonly Index[]): string[] {
  const below = (node.Plans ?? []).flatMap(inner => listConditions(inner, indexes))
  const could = [node, ...listScans(node)].flatMap(scan => {
    const conditions = splitConditions((scan === node ? node.Filter : node['Join Filter']) ?? '')
    return conditions.filter(condition => canLookUp(scan, condition, indexes))
  })
  return [...splitConditions(node['Index Cond'] ?? ''), ...could, ...below]
}

function listScans(node: PlanNode): PlanNode[] {
  const inner = node.Plans ?? []
  return [...inner.filter(scan => scan['Relation Name'] !== undefined), ...inner.flatMap(listScans)]
}

/**
 * Whether an index of the table begins with the columns that the scan compares for equality, followed by this column.
 */
function canLookUp(scan: PlanNode, condition: string, indexes: readonly Index[]): boolean {
  const compared = parseComparison(condition)
  if (!compared || compared.alias !== scan.Alias) return false
  const ofTable = indexes.filter(({ table }) => table === scan['Relation Name'])
  const equal = listEqual(scan)
  const finds_one_row = ofTable.some(
    ({ name, is_unique, columns }) =>
      name === scan['Index Name'] && is_unique && columns.every(column => equal.has(column)),
  )
  if (finds_one_row) return false
  return ofTable.some(({ columns }) => {
    const place = columns.indexOf(compared.column)
    return place >= 0 && columns.slice(0, place).every(column => equal.has(column))
  })
}

function listEqual(scan: PlanNode): Set<string> {
  const conditions = [scan['Index Cond'], scan.Filter].flatMap(all => splitConditions(all ?? ''))
  return new Set(conditions.map(parseComparison).flatMap(found => (found?.is_equal ? [found.column] : [])))
}

/** The leading columns of a row comparison. */
const COMPARISON = /^(?:ROW\()?(\w+)\.(\w+)[^=<>]* (=|<=?|>=?) /

function parseComparison(condition: string) {
  const [, alias, column, operator] = COMPARISON.exec(condition) ?? []
  return alias && column ? { alias, column, is_equal: operator === '=' } : undefined
}

/**
 * `((a.x = 1) AND (a.y = (b.z + 1)))` has two; a single condition has no inner parentheses. Constants become empty.
 */
export function splitConditions(all: string): string[] {
  const conditions = ['']
  let depth = 0
  for (const token of unwrap(all.replaceAll(STRINGS, "''")).match(/[()]|[^()]+/g) ?? []) {
    if (token === ')') depth--
    if (depth === 0 && token === ' AND ') conditions.push('')
    else conditions[conditions.length - 1] += token
    if (token === '(') depth++
  }
  return conditions.filter(condition => condition !== '').map(unwrap)
}

const STRINGS = /'(?:[^']|'')*'/g
const INNERMOST = /\([^()]*\)/g
const FROM_ELSEWHERE = /\b[a-z_]\w*\.[a-z_]\w*|\(InitPlan/i
const OPERATOR = / (?:[-+*/%]|\|\||->>?|#>>?) /
/** A text column compared with another collation: nothing is computed. */
const RECOLLATED = /\((\w+\.\w+)\)::text\b/g
/** Calls, and casts of anything but a constant. Subscripts, `GREATEST` and `CASE` are safe themselves. */
const CALL = /\)::|\.\w+::|\bCOALESCE\(|\b[a-z_]\w*\(/

/** Whether the compared value of a condition is computed from something other than a parameter. */
export function computesValue(condition: string): boolean {
  const [, compared = ''] = condition.split(/ (?:=|<>|<=?|>=?) (.*)/s)
  const value = compared.replace(/^ANY \((.*)\)$/s, '$1').replaceAll(RECOLLATED, '$1')
  if (!FROM_ELSEWHERE.test(value)) return false
  const inner = unwrap(value)
  if (inner === value) return OPERATOR.test(value) || CALL.test(value)
  // PostgreSQL shows a column of a subselect as its expression, in separate parentheses: it is computed earlier.
  return OPERATOR.test(collapse(inner))
}

/** Removes the outer parentheses. */
function unwrap(text: string): string {
  const inner = text.slice(1, -1)
  return text.startsWith('(') && text.endsWith(')') && !/[()]/.test(collapse(inner)) ? inner : text
}

/** Replaces parenthesized parts, so that only unmatched parentheses remain. */
function collapse(text: string): string {
  const shorter = text.replaceAll(INNERMOST, '…')
  return shorter === text ? text : collapse(shorter)
}
