// Every statement about the targets of notifications and configurations. The caller locks the owner before changing
// them.
import type { Db } from '../../db/database.ts'
import { defineStatement, json, nullable, text, time, uuid, uuids } from '../../db/statement.ts'
import type { TargetType } from '../../domain/notification/notice.ts'

/** The chat channel of a webhook, in the chat service's terms. */
export interface ChatContext {
  channel_id: string
  channel_name: string
  team_id: string
}

/** Times are epoch seconds. */
export interface StoredTarget {
  target_id: string
  position: number
  type: TargetType
  client_type: string | null
  webhook_sealed: string | null
  payload_version: string | null
  secret_sealed: string | null
  emails: string[] | null
  context: ChatContext | null
  last_success_at: number | null
  last_failure_at: number | null
  last_error: string | null
  failing_since: number | null
  switched_off_at: number | null
  /** Null while nothing is paused. */
  paused_until: number | null
  paused_failures: number | null
  paused_error: string | null
}

/** The targets `t` that match the condition `owner`, as one JSON value, so one query reads a record and its targets. */
export const selectTargets = (owner: string): string => `
  coalesce((
    select jsonb_agg(jsonb_build_object(
      'target_id', t.target_id, 'position', t.position, 'type', t.type, 'client_type', t.client_type,
      'webhook_sealed', t.webhook_sealed, 'payload_version', t.payload_version, 'secret_sealed', t.secret_sealed, 'emails', t.emails, 'context', t.context,
      'last_success_at', extract(epoch from t.last_success_at),
      'last_failure_at', extract(epoch from t.last_failure_at), 'last_error', t.last_error,
      'failing_since', extract(epoch from t.failing_since),
      'switched_off_at', extract(epoch from t.switched_off_at),
      'paused_until', extract(epoch from b.paused_until), 'paused_failures', b.failures,
      'paused_error', b.last_error) order by t.position)
    from notification_targets t
    left join delivery_breakers b on b.org_id = t.org_id and b.target_id = t.target_id and b.paused_until is not null
    where t.org_id = :org_id and ${owner} and t.removed_at is null
  ), '[]'::jsonb)`

/** Exactly one of the two is set. */
export interface TargetOwner {
  notification_id: string | null
  notification_type: string | null
}

export interface NewTarget {
  target_id: string
  position: number
  type: TargetType
  client_type: string | null
  webhook_sealed: string | null
  payload_version: string | null
  secret_sealed: string | null
  emails: string[] | null
  context: ChatContext | null
}

/** The new values of a target that is kept. */
export interface KeptTarget {
  target_id: string
  position: number
  client_type: string | null
  emails: string[] | null
  context: ChatContext | null
  /** Omitted if it does not change. */
  secret?: { secret_sealed: string | null; keeps_old_until: Date | null }
}

export interface TargetChanges {
  added: readonly NewTarget[]
  kept: readonly KeptTarget[]
  removed: readonly string[]
}

const insert = defineStatement(
  'targets.insert',
  {
    org_id: uuid,
    notification_id: nullable(uuid),
    notification_type: nullable(text),
    targets: json<readonly NewTarget[]>(),
    now: time,
  },
  {},
  `insert into notification_targets (org_id, target_id, notification_id, notification_type, position, type,
     client_type, webhook_sealed, payload_version, secret_sealed, emails, context, created_at)
   select :org_id, t.target_id, :notification_id, :notification_type, t.position, t.type, t.client_type,
     t.webhook_sealed, t.payload_version, t.secret_sealed, t.emails, nullif(t.context, 'null'::jsonb), :now
   from jsonb_to_recordset(:targets::jsonb) as t(target_id uuid, position integer, type text, client_type text,
     webhook_sealed text, payload_version text, secret_sealed text, emails text[], context jsonb)`,
)

interface KeptRow {
  target_id: string
  position: number
  client_type: string | null
  emails: string[] | null
  context: ChatContext | null
  changes_secret: boolean
  secret_sealed: string | null
  keeps_old_until: Date | null
}

// Switches a disabled target on again and resets its failures; deliveries maintain the status of the others.
const keep = defineStatement(
  'targets.keep',
  { org_id: uuid, targets: json<readonly KeptRow[]>() },
  {},
  `update notification_targets t
   set position = k.position, client_type = k.client_type, emails = k.emails, context = nullif(k.context, 'null'::jsonb),
     secret_sealed = case when k.changes_secret then k.secret_sealed else t.secret_sealed end,
     old_secret_sealed = case when not k.changes_secret then t.old_secret_sealed
                              when k.keeps_old_until is not null then t.secret_sealed end,
     old_secret_until = case when k.changes_secret then k.keeps_old_until else t.old_secret_until end,
     failing_since = case when t.switched_off_at is null then t.failing_since end,
     switched_off_at = null
   from jsonb_to_recordset(:targets::jsonb) as k(target_id uuid, position integer, client_type text, emails text[],
     context jsonb, changes_secret boolean, secret_sealed text, keeps_old_until timestamptz)
   where t.org_id = :org_id and t.target_id = k.target_id`,
)

const remove = defineStatement(
  'targets.remove',
  { org_id: uuid, target_ids: uuids, now: time },
  {},
  `with removed as (
     update notification_targets set removed_at = :now
     where org_id = :org_id and target_id = any(:target_ids::uuid[]) and removed_at is null
     returning target_id
   )
   -- Waiting messages must not wait for a probe to learn that their target was removed.
   delete from delivery_breakers b using removed r where b.org_id = :org_id and b.target_id = r.target_id`,
)

export async function saveTargets(
  db: Db,
  org_id: string,
  owner: TargetOwner,
  { added, kept, removed }: TargetChanges,
  now: Date,
): Promise<void> {
  if (removed.length > 0) await db.run(remove, { org_id, target_ids: [...removed], now })
  if (kept.length > 0) await db.run(keep, { org_id, targets: kept.map(toKeptRow) })
  if (added.length > 0) await db.run(insert, { org_id, ...owner, targets: added, now })
}

function toKeptRow({ secret, ...kept }: KeptTarget): KeptRow {
  return {
    ...kept,
    changes_secret: secret !== undefined,
    secret_sealed: secret?.secret_sealed ?? null,
    keeps_old_until: secret?.keeps_old_until ?? null,
  }
}
