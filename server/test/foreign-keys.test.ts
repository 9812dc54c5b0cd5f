// Every foreign key of the migrated schema has an index that finds the referencing rows, or a reason to have none.
// Without one, each deletion of a referenced row, and each join from it, reads the whole referencing table of the org.
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { startTestApp, type TestApp } from './harness.ts'

const NEVER_DELETED = 'Users are never deleted'
const FEW_ROWS = 'An org has few of these, and the referenced rows are deleted only with the org'

/** Why a foreign key needs no index. Written by hand: `table (columns)`, without the org. */
const WITHOUT_INDEX: Record<string, string> = {
  'ci_keys (rule_id)': 'An org has few rules, and they are deleted only with the org: one scan for each',
  'former_environment_names (environment_id)': FEW_ROWS,
  'former_flow_names (flow_id)': FEW_ROWS,
  'invitations (accepted_by)': NEVER_DELETED,
  'scim_tokens (owner_account_id)': FEW_ROWS,
  'scim_tokens (owner_user_id)': NEVER_DELETED,
  'service_accounts (creating_user_id)': NEVER_DELETED,
  'trust_rules (flow_id)': FEW_ROWS,
  'users (default_org_id)': 'Only the deletion of an org needs it, which reads all users once',
}

/**
 * Foreign keys for which no index begins with the referencing columns, in any order, after the org if there is one. An
 * index on some rows only counts if it leaves out nothing but rows without a reference.
 */
const UNINDEXED = `
  select k.conrelid::regclass || ' (' || list.names || ')' as key
  from pg_constraint k
  cross join lateral (
    select coalesce(string_agg(a.attname, ', ' order by at.position) filter (where a.attname <> 'org_id'), 'org_id')
      as names
    from unnest(k.conkey) with ordinality as at (attnum, position)
    join pg_attribute a on a.attrelid = k.conrelid and a.attnum = at.attnum
  ) list
  left join pg_attribute org on org.attrelid = k.conrelid and org.attname = 'org_id'
  where k.contype = 'f' and k.connamespace = 'public'::regnamespace
    and not exists (
      select from pg_index i
      where i.indrelid = k.conrelid and i.indisvalid
        and (i.indkey::int2[])[0:cardinality(k.conkey)
          - case when i.indkey[0] = org.attnum and org.attnum <> all (k.conkey) then 0 else 1 end] @> k.conkey
        and (i.indpred is null or exists (
          select from pg_attribute a
          where a.attrelid = k.conrelid and a.attnum = any (k.conkey)
            and pg_get_expr(i.indpred, i.indrelid) = '(' || quote_ident(a.attname) || ' IS NOT NULL)'))
    )
  order by 1`

let app: TestApp
beforeAll(async () => {
  app = await startTestApp()
})
afterAll(() => app.stop())

const listUnindexed = async () => (await app.sql(UNINDEXED)).map(row => String(row.key))

describe('a foreign key', () => {
  it('has an index for the referencing columns, or a reason to have none', async () => {
    expect(await listUnindexed()).toEqual(Object.keys(WITHOUT_INDEX).sort())
  })

  it('is reported without an index, with one for other columns or with one for some references', async () => {
    const before = await listUnindexed()
    await app.owner.query('begin')
    try {
      await app.owner.query(`
        create table bad (org_id uuid not null, id uuid, flow_id uuid, trail_id uuid, other uuid, kind text,
          primary key (org_id, id),
          foreign key (org_id, flow_id) references flows (org_id, flow_id),
          foreign key (org_id, trail_id) references trails (org_id, trail_id));
        create index bad_late on bad (org_id, kind, flow_id);
        create index bad_few on bad (org_id, trail_id) where kind is not null;
      `)
      expect((await listUnindexed()).filter(key => !before.includes(key))).toEqual([
        'bad (flow_id)',
        'bad (trail_id)',
      ])
      await app.owner.query(`
        create index bad_flow on bad (flow_id, org_id, kind);
        create index bad_trail on bad (org_id, trail_id) where trail_id is not null;
      `)
      expect(await listUnindexed()).toEqual(before)
    } finally {
      await app.owner.query('rollback')
    }
  })
})
