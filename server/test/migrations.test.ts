// Unreleased migrations can run while the released version serves requests.
import { mkdirSync, readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { describe, expect, it } from 'vitest'
import { getShippedMigrations, parseMigration, readMigrations } from '../src/db/migration-files.ts'
import { packageRoot } from '../src/lib/package-root.ts'
import { findMigrationProblems } from './migration-rules.ts'
import { makeScratchFolder } from './service.ts'

const last_released = readFileSync(join(packageRoot, 'migrations', 'released'), 'utf8').trim()

/** The problems of one unreleased migration. */
function findProblems(sql: string): string[] {
  const text = sql.includes('min-compatible') ? sql : `-- min-compatible: 0100\n${sql}`
  return findMigrationProblems([parseMigration('0199_planted.sql', text)], '0100_schema')
}

describe('the migrations', () => {
  it('include the last released one, and those after it follow the rules', () => {
    expect(getShippedMigrations().map(({ name }) => name)).toContain(last_released)
    expect(findMigrationProblems(getShippedMigrations(), last_released)).toEqual([])
  })
})

describe('a migration', () => {
  const hash = (sql: string) => parseMigration('0101_x.sql', sql).sha256

  it('is the same with other comments and whitespace, and a different one with other statements', () => {
    const sql = "create table t (a text default 'x'); -- why\n\n/* how */ select 1;"
    expect(hash(sql)).toBe(hash("-- more\ncreate table t (a text\n  default 'x');\nselect 1;\n"))
    expect(hash(sql)).not.toBe(hash(sql.replace('x', 'y')))
  })

  it('can be a folder, whose files are put together in order, with all policies at the end', () => {
    const folder = makeScratchFolder()
    mkdirSync(join(folder, '0101_all'))
    const write = (file: string, sql: string) => writeFileSync(join(folder, file), sql)
    write('0101_all/02_b.sql', 'create table b ();')
    write(
      '0101_all/01_a.sql',
      'create table a ();\ncreate policy p on a\n  using (exists (select from b));\n',
    )
    write('0102_more.sql', 'select 1;')
    write('released', '0101_all')
    const [all, more] = readMigrations(folder)
    expect([all?.name, more?.name]).toEqual(['0101_all', '0102_more.sql'])
    expect(all?.sql.split(/\n+/)).toEqual([
      'create table a ();',
      'create table b ();',
      'create policy p on a',
      '  using (exists (select from b));',
    ])
  })
})

describe('the rules', () => {
  it.each([
    ['an index that blocks writes', 'create index i on trails (org_id);', 'blocks writes to trails'],
    ['a unique index that blocks writes', 'create unique index i on trails (x);', 'blocks writes to trails'],
    [
      'more than indexes beside them',
      '-- concurrently\nalter table trails add x int;',
      'may only create and drop indexes',
    ],
    [
      'a plain index in a file marked so',
      '-- concurrently\ncreate index i on trails (x);',
      'may only create',
    ],
    [
      'a plain drop in a file marked so',
      '-- concurrently\ndrop index trails_of_template;',
      'may only create and drop indexes',
    ],
    [
      'a column that existing rows lack',
      'alter table trails add a int, add x int not null;',
      'needs a default',
    ],
    ['not null without a check', 'alter table trails alter x set not null;', 'reads all of trails'],
    ['a change of type', 'alter table trails alter column x type bigint;', 'rewrites trails'],
    ['a change of type, spelled out', 'alter table trails alter x set data type text;', 'rewrites trails'],
    ['a default for each row', 'alter table trails add x uuid default gen_random_uuid();', 'rewrites trails'],
    [
      'a stored expression',
      'alter table trails add x text generated always as (lower(name)) stored;',
      'rewrites trails',
    ],
    ['a dropped table', 'drop table trails;', 'one release later'],
    ['a dropped function', 'drop function type_fits(text, text);', 'one release later'],
    ['a dropped column', 'alter table trails drop column name;', 'one release later'],
    ['a dropped column, in short', 'alter table trails add x int, drop name;', 'one release later'],
    ['another name', 'alter table trails rename column name to title;', 'one release later'],
    ['a drop of what the release uses', '-- unused-since: 0101\ndrop table trails;', 'one release later'],
    ['a table that everyone sees', 'create table t (org_id uuid);', 'enable row level security'],
    ['a schema that is too new for the release', '-- min-compatible: 0101\nselect 1;', 'must be able to use'],
  ])('reject %s', (_, sql, problem) => {
    expect(findProblems(sql)).toEqual([expect.stringContaining(problem)])
  })

  it('reject a file that does not declare which programs can use the schema', () => {
    const problems = findMigrationProblems([parseMigration('0199_planted.sql', 'select 1;')], last_released)
    expect(problems).toEqual([
      expect.stringContaining('0199_planted.sql: needs a line "-- min-compatible: NNNN"'),
    ])
  })

  it.each([
    [
      'indexes that block nobody, and drops of the ones that they replace',
      '-- concurrently\ncreate index concurrently i on trails (org_id);\ndrop index concurrently if exists j;',
    ],
    [
      'a new table with its indexes',
      `create table t (org_id uuid not null, x uuid not null default gen_random_uuid());
       create index i on t (org_id);
       alter table t enable row level security;`,
    ],
    ['a column with a default', `alter table trails add x jsonb not null default '{}', add y numeric(4, 2);`],
    [
      'not null after a validated check',
      `alter table trails add constraint has_x check (x is not null) not valid;
       alter table trails validate constraint has_x;
       alter table trails alter x set not null;
       alter table trails drop constraint has_x;`,
    ],
    ['a drop that the released version does not notice', '-- unused-since: 0100\ndrop table trails;'],
    [
      'a relaxed rule and a replaced function',
      `alter table trails alter x drop not null;
       create or replace function f() returns void language plpgsql as $$ begin drop table x; end $$;`,
    ],
  ])('accept %s', (_, sql) => {
    expect(findProblems(sql)).toEqual([])
  })
})
