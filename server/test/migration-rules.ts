// The rules for unreleased migrations, which keep a service usable while they run: what they must not contain,
// because it blocks requests or breaks the previous version. Released ones stay as they are.
import { getMigrationNumber, type Migration, splitStatements } from '../src/db/migration-files.ts'

interface Statement {
  text: string
  /** The table that it alters or indexes, or undefined. */
  table: string | undefined
}

/** The problems of all migrations after the last released one, each starting with the file name. */
export function findMigrationProblems(migrations: readonly Migration[], last_released: string): string[] {
  const released = getMigrationNumber(last_released)
  const newer = migrations.filter(({ name }) => getMigrationNumber(name) > released)
  return newer.flatMap(migration => {
    const statements = parseStatements(migration.sql)
    const created = statements.flatMap(({ text }) => CREATE_TABLE.exec(text)?.[1] ?? [])
    const isExisting = ({ table }: Statement) => table !== undefined && !created.includes(table)
    return [
      ...findIndexProblems(migration, statements, isExisting),
      ...statements.filter(isExisting).flatMap(statement => findColumnProblems(statement, newer)),
      ...findDropProblems(migration, statements, { released, created }),
      ...created
        .filter(
          table => !statements.some(({ text }) => text === `alter table ${table} enable row level security`),
        )
        .map(table => `${table} needs "alter table ${table} enable row level security"`),
      ...findDeclarationProblems(migration, released),
    ].map(problem => `${migration.name}: ${problem}`)
  })
}

const CREATE_TABLE = /^create table (?:if not exists )?(\w+)/
const ALTER_TABLE = /^alter table (?:if exists )?(?:only )?(\w+)/
const INDEXED_TABLE = /^create (?:unique )?index (?:concurrently )?\w+ on (\w+)/

function parseStatements(sql: string): Statement[] {
  const withoutBodies = sql.replace(/(\$\w*\$).*?\1/gs, "''")
  return splitStatements(withoutBodies).map(statement => {
    const text = statement.toLowerCase().replace(/\s+/g, ' ')
    return { text, table: (ALTER_TABLE.exec(text) ?? INDEXED_TABLE.exec(text))?.[1] }
  })
}

function findIndexProblems(
  { is_concurrent }: Migration,
  statements: readonly Statement[],
  isExisting: (statement: Statement) => boolean,
): string[] {
  if (is_concurrent) {
    return statements
      .filter(({ text }) => !/^(create (unique )?index|drop index) concurrently /.test(text))
      .map(
        ({ text }) =>
          `a file marked "-- concurrently" may only create and drop indexes concurrently: ${text}`,
      )
  }
  return statements
    .filter(statement => /^create (unique )?index /.test(statement.text) && isExisting(statement))
    .map(({ table }) => `blocks writes to ${table}: create its index in a file marked "-- concurrently"`)
}

/** Each clause of an "alter table" that makes PostgreSQL reject, read or rewrite existing rows. */
function findColumnProblems({ text, table }: Statement, newer: readonly Migration[]): string[] {
  if (!text.startsWith('alter table')) return []
  return splitClauses(text.replace(ALTER_TABLE, '')).flatMap(clause => {
    const problems: string[] = []
    const isColumn = /^add (?!constraint|foreign|unique|primary|check)/.test(clause)
    if (isColumn && / not null\b/.test(clause) && !/ (default|generated) /.test(clause)) {
      problems.push(`"${clause}" of ${table} needs a default`)
    }
    if (isColumn && / generated .* stored| default (gen_random_uuid|random|clock_timestamp)\(/.test(clause)) {
      problems.push(`"${clause}" rewrites ${table}`)
    }
    if (/^alter (column )?\w+ (set data )?type /.test(clause)) problems.push(`"${clause}" rewrites ${table}`)
    const column = /^alter (?:column )?(\w+) set not null/.exec(clause)?.[1]
    if (column !== undefined && !hasValidatedCheck(newer, table ?? '', column)) {
      problems.push(`"${clause}" reads all of ${table}: validate a check that ${column} is not null before`)
    }
    return problems
  })
}

/** Splits at commas outside of parentheses. */
function splitClauses(clauses: string): string[] {
  const found = ['']
  let depth = 0
  for (const character of clauses) {
    if (character === '(') depth++
    if (character === ')') depth--
    if (character === ',' && depth === 0) found.push('')
    else found.push((found.pop() ?? '') + character)
  }
  return found.map(clause => clause.trim())
}

/** The check must be added as "not valid" first, and then be validated, which blocks nobody. */
function hasValidatedCheck(newer: readonly Migration[], table: string, column: string): boolean {
  const statements = newer.flatMap(({ sql }) => parseStatements(sql)).filter(each => each.table === table)
  const added = new RegExp(`add constraint (\\w+) check \\(${column} is not null\\) not valid`)
  const name = statements.map(({ text }) => added.exec(text)?.[1]).find(found => found !== undefined)
  return name !== undefined && statements.some(({ text }) => text.includes(`validate constraint ${name}`))
}

const DROP = /^drop (table|function|view|materialized view|type|schema|sequence|domain)\b/
const DROP_COLUMN = /\bdrop (?!constraint|not null|default|expression|identity)(column )?\w+|\brename\b/

/** The previous version may still use the dropped object, so only a later release may drop it. */
function findDropProblems(
  { sql }: Migration,
  statements: readonly Statement[],
  { released, created }: { released: number; created: readonly string[] },
): string[] {
  const unused_since = /^-- unused-since: (\d{4})$/m.exec(sql)?.[1]
  if (unused_since !== undefined && Number(unused_since) <= released) return []
  return statements
    .filter(({ text, table }) => DROP.test(text) || (isAltered(table, created) && DROP_COLUMN.test(text)))
    .map(
      ({ text }) => `the released version may use what "${text}" removes: do it one release later, \
with "-- unused-since: NNNN"`,
    )
}

function isAltered(table: string | undefined, created: readonly string[]): boolean {
  return table !== undefined && !created.includes(table)
}

function findDeclarationProblems({ sql, min_compatible }: Migration, released: number): string[] {
  if (!/^-- min-compatible: \d{4}$/m.test(sql)) {
    return [
      `needs a line "-- min-compatible: NNNN": the newest migration of the oldest program that can use the schema`,
    ]
  }
  return min_compatible > released ? ['the released version must be able to use the schema'] : []
}
