// Every statement about badges: pictures of one state that anyone with the address can load.

import { computed, toColumnList, toSelectList, toValueList } from '../../db/columns.ts'
import type { Database, Db } from '../../db/database.ts'
import {
  count,
  defineStatement,
  nullable,
  type RowOf,
  text,
  time,
  uuid,
  type Values,
} from '../../db/statement.ts'

const NEW = {
  badge_id: uuid,
  hint: text,
  environment_id: nullable(uuid),
  flow_id: nullable(uuid),
  fingerprint: nullable(text),
  label: nullable(text),
  created_by: text,
}

const BADGE = {
  ...NEW,
  created_at: time,
  environment_name: computed(
    nullable(text),
    'select e.name from environments e where e.org_id = b.org_id and e.environment_id = b.environment_id',
  ),
  flow_name: computed(
    nullable(text),
    'select f.name from flows f where f.org_id = b.org_id and f.flow_id = b.flow_id',
  ),
}

const list = defineStatement(
  'badges.list',
  { org_id: uuid },
  BADGE,
  `select ${toSelectList('b', BADGE)} from badges b
   where b.org_id = :org_id and b.revoked_at is null order by b.badge_id`,
)

export type BadgeRow = RowOf<typeof list>

/** The badges that were not revoked, oldest first. */
export function listBadges(db: Database, org_id: string): Promise<BadgeRow[]> {
  return db.runOnce({ org_id }, list, { org_id })
}

const countActive = defineStatement(
  'badges.count_active',
  { org_id: uuid },
  { total: count },
  'select count(*) as total from badges where org_id = :org_id and revoked_at is null',
)

export async function countActiveBadges(db: Db, org_id: string): Promise<number> {
  return (await db.run(countActive, { org_id }))[0]?.total ?? 0
}

export interface NewBadge extends Values<typeof NEW> {
  secret_hash: string
  now: Date
}

const insert = defineStatement(
  'badges.insert',
  { org_id: uuid, ...NEW, secret_hash: text, now: time },
  {},
  `insert into badges (org_id, ${toColumnList(NEW)}, secret_hash, created_at)
   values (:org_id, ${toValueList(NEW)}, decode(:secret_hash, 'hex'), :now)`,
)

export async function insertBadge(db: Db, org_id: string, badge: NewBadge): Promise<void> {
  await db.run(insert, { org_id, ...badge })
}

const revoke = defineStatement(
  'badges.revoke',
  { org_id: uuid, badge_id: uuid, revoked_by: text, now: time },
  { hint: text, environment_id: nullable(uuid), flow_id: nullable(uuid), fingerprint: nullable(text) },
  `update badges set revoked_at = :now, revoked_by = :revoked_by
   where org_id = :org_id and badge_id = :badge_id and revoked_at is null
   returning hint, environment_id, flow_id, fingerprint`,
)

/** Undefined if there is no such badge, or if it was already revoked. */
export async function revokeBadge(
  db: Db,
  org_id: string,
  badge: { badge_id: string; revoked_by: string; now: Date },
) {
  return (await db.run(revoke, { org_id, ...badge }))[0]
}

const findBySecret = defineStatement(
  'badges.find_by_secret',
  { secret_hash: text },
  { org_id: uuid, badge_id: uuid },
  `select b.org_id, b.badge_id from badges b
   where b.secret_hash = decode(:secret_hash, 'hex')`,
)

export type FoundBadge = RowOf<typeof findBySecret>

/** Finds a badge by the token in its address, in any organization, revoked or not. */
export async function findBadgeBySecret(db: Database, secret_hash: string): Promise<FoundBadge | undefined> {
  return (await db.runOnce({ key_hash: secret_hash }, findBySecret, { secret_hash }))[0]
}

const findWatched = defineStatement(
  'badges.find_watched',
  { org_id: uuid, badge_id: uuid },
  {
    org_name: text,
    fingerprint: nullable(text),
    label: nullable(text),
    environment_name: nullable(text),
    flow_name: nullable(text),
  },
  `select o.name as org_name, b.fingerprint, b.label, e.name as environment_name, f.name as flow_name
   from badges b
   join orgs o on o.org_id = b.org_id
   left join environments e on e.org_id = b.org_id and e.environment_id = b.environment_id
   left join flows f on f.org_id = b.org_id and f.flow_id = b.flow_id
   where b.org_id = :org_id and b.badge_id = :badge_id and b.revoked_at is null and o.delete_requested_at is null`,
)

export type WatchedBadge = RowOf<typeof findWatched>

/** The subject of a badge. Undefined if the badge was revoked or its organization is to be deleted. */
export async function findWatchedBadge(
  db: Db,
  { org_id, badge_id }: FoundBadge,
): Promise<WatchedBadge | undefined> {
  return (await db.run(findWatched, { org_id, badge_id }))[0]
}
