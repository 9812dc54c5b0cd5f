// Finds index conditions that compute what they look up from another row. Under row-level security, PostgreSQL 15.20 and its
// siblings no longer use an index for them (docs/adr/0028-statements-declare-bounds.md); older releases show them.
import type pg from 'pg'

/** So that every condition that fits an index shows, however small its table is. */
const PREFER_INDEXES = `set local enable_seqscan = off; set local enable_hashjoin = off; set local enable_mergejoin = off;
  set local enable_bitmapscan = off; set local plan_cache_mode = force_generic_plan`

interface PlanNode {
  'Index Cond'?: string
  Plans?: PlanNode[]
}

/** The statement is planned and does not run. */
export async function listIndexConditions(client: pg.Client, execute: string): Promise<string[]> {
  await client.query(`begin; ${PREFER_INDEXES}`)
  try {
    const { rows } = await client.query(`explain (verbose, format json) ${execute}`)
    return listConditions(rows[0]['QUERY PLAN'][0].Plan)
  } finally {
    await client.query('rollback')
  }
}

function listConditions(node: PlanNode): string[] {
  const below = (node.Plans ?? []).flatMap(listConditions)
  return [...splitConditions(node['Index Cond'] ?? ''), ...below]
}

/** `((a.x = 1) AND (a.y = (b.z + 1)))` has two; one alone has no parentheses of its own. Constants become empty. */
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
/** A text column that is compared by another collation: nothing is computed. */
const RECOLLATED = /\((\w+\.\w+)\)::text\b/g
/** Calls, and casts of anything but a constant. Subscripts, `GREATEST` and `CASE` are safe themselves. */
const CALL = /\)::|\.\w+::|\bCOALESCE\(|\b[a-z_]\w*\(/

/** Whether the value that one condition compares with a column is computed from something that is not a parameter. */
export function computesValue(condition: string): boolean {
  const [, compared = ''] = condition.split(/ (?:=|<>|<=?|>=?) (.*)/s)
  const value = compared.replace(/^ANY \((.*)\)$/s, '$1').replaceAll(RECOLLATED, '$1')
  if (!FROM_ELSEWHERE.test(value)) return false
  const inner = unwrap(value)
  if (inner === value) return OPERATOR.test(value) || CALL.test(value)
  // PostgreSQL shows a column of a subselect as its expression, in parentheses of its own: it is computed before.
  return OPERATOR.test(collapse(inner))
}

/** Without the parentheses around all of it. */
function unwrap(text: string): string {
  const inner = text.slice(1, -1)
  return text.startsWith('(') && text.endsWith(')') && !/[()]/.test(collapse(inner)) ? inner : text
}

/** Replaces what is in parentheses, so that only unmatched ones are left. */
function collapse(text: string): string {
  const shorter = text.replaceAll(INNERMOST, '…')
  return shorter === text ? text : collapse(shorter)
}
