// The data that every test starts with: two organizations, and a user with a key for each role. It is in the template
// that every test database is cloned from, so no test file has to create it.
import type pg from 'pg'
import { applySetUp } from '../src/admin/apply.ts'
import { withOwnerTransaction } from '../src/db/owner.ts'
import { makeIds } from '../src/lib/ids.ts'
import { systemSecrets } from '../src/lib/secrets.ts'

/** The start time of every test. The clock stands still until a test advances it. */
export const BEGINNING_MS = Date.UTC(2026, 2, 3, 12, 0, 0)

export const ORG = 'acme'
export const OTHER_ORG = 'other-corp'

/** One user per role in `acme`. */
export const ROLE_USERS = {
  admin: 'ada',
  member: 'max',
  snapshotter: 'sam',
  reader: 'rita',
} as const
export const OUTSIDER = 'oscar'

/** The API key of each user. */
export type SeededKeys = Record<keyof typeof ROLE_USERS | 'outsider', string>

export async function seed(owner: pg.Client): Promise<SeededKeys> {
  const clock = { now: () => new Date(BEGINNING_MS), monotonic_ms: () => BEGINNING_MS }
  const newKey = () => systemSecrets.createToken('user').key
  const keys: SeededKeys = {
    admin: newKey(),
    member: newKey(),
    snapshotter: newKey(),
    reader: newKey(),
    outsider: newKey(),
  }
  const roles = Object.entries(ROLE_USERS) as [keyof typeof ROLE_USERS, string][]
  // Like older organizations: keys have no maximum lifetime, and everyone who can write can create service accounts. By a
  // trigger, because the log covers the settings that an organization is created with.
  await owner.query(`
    create function set_old_settings() returns trigger language plpgsql as $$ begin
      new.settings = '{"service_account_creators":"snapshotter"}'; return new; end $$;
    create trigger old_settings before insert on orgs for each row when (new.kind = 'shared')
      execute function set_old_settings()`)
  await withOwnerTransaction(owner, tx =>
    applySetUp(
      { tx, ids: makeIds(clock), secrets: systemSecrets, now: clock.now(), changes: [] },
      {
        users: [
          ...roles.map(([role, name]) => ({ name, api_keys: [{ secret: keys[role] }] })),
          { name: OUTSIDER, api_keys: [{ secret: keys.outsider }] },
        ],
        orgs: [
          { name: ORG, members: roles.map(([role, user]) => ({ user, role })) },
          { name: OTHER_ORG, members: [{ user: OUTSIDER, role: 'admin' }] },
        ],
      },
    ),
  )
  await owner.query('drop function set_old_settings cascade')
  // A worker that always looks alive to the test applications, which only serve.
  await owner.query(
    `insert into workers (worker_id, started_at, seen_at)
     values (gen_random_uuid(), now(), now() + interval '10 years')`,
  )
  return keys
}
