// The statements about decisions that expire: their times are stored with them, and the loop takes them when due.
import { type Database, type Db, makeStep, type Step } from '../db/database.ts'
import { isThawed } from '../db/frozen-orgs.ts'
import {
  bool,
  defineStatement,
  int,
  json,
  nullable,
  type RowOf,
  readsWholeDatabase,
  text,
  time,
  uuid,
  uuids,
} from '../db/statement.ts'
import { numberTurns } from '../db/turns.ts'

interface ExpiringDecision {
  attestation_id: string
  /** In epoch seconds. */
  expires_at: number | null
}

const insert = defineStatement(
  'expiring_decisions.insert',
  { org_id: uuid, rows: json<ExpiringDecision[]>() },
  {},
  `insert into expiring_decisions (org_id, attestation_id, expires_at)
   select :org_id, i.attestation_id, to_timestamp(i.expires_at)
   from jsonb_to_recordset(:rows::jsonb) as i(attestation_id uuid, expires_at float8)`,
)

/** Part of the batch that stores the decisions; no step if none of them expires. */
export function buildExpirySteps(org_id: string, attestations: readonly ExpiringDecision[]): Step[] {
  const rows = attestations.flatMap(({ attestation_id, expires_at }) =>
    expires_at === null ? [] : [{ attestation_id, expires_at }],
  )
  return rows.length === 0 ? [] : [makeStep(insert, { org_id, rows })]
}

const due = defineStatement(
  'expiring_decisions.due_orgs',
  { now: time },
  { org_id: uuid },
  `select w.org_id from ${numberTurns(
    `select d.org_id, min(d.expires_at) as since from expiring_decisions d
     where d.expires_at <= :now and ${isThawed('d.org_id')}
     group by d.org_id`,
    { since: 'since', most: '1' },
  )} w
   where w.turn = 1
   order by w.since`,
  readsWholeDatabase('groups everything that has expired and was not handled yet by organization'),
)

/** Organizations with expired decisions, one of each sponsor; the one that has waited longest comes first. */
export function listOrgsWithExpired(db: Database, now: Date): Promise<RowOf<typeof due>[]> {
  return db.runOnce({ worker: true }, due, { now })
}

const take = defineStatement(
  'expiring_decisions.take',
  { org_id: uuid, now: time, limit: int },
  {
    attestation_id: uuid,
    attestation_name: text,
    is_compliant: bool,
    control: nullable(text),
    control_id: nullable(uuid),
    flow_id: uuid,
    trail_id: uuid,
    artifact_fingerprint: nullable(text),
    artifact_name: nullable(text),
    target_artifact: nullable(text),
    expires_at: time,
  },
  `with taken as (
     delete from expiring_decisions d
     where d.org_id = :org_id and d.attestation_id = any (array(
       select x.attestation_id from expiring_decisions x
       where x.org_id = :org_id and x.expires_at <= :now
       order by x.expires_at limit :limit::int))
     returning d.attestation_id, d.expires_at
   )
   select w.attestation_id, w.attestation_name, w.is_compliant, w.control, c.control_id, w.flow_id, w.trail_id,
     a.fingerprint as artifact_fingerprint, a.filename as artifact_name, w.target_artifacts[1] as target_artifact,
     t.expires_at
   from taken t
   join attestations w on w.org_id = :org_id and w.attestation_id = t.attestation_id
   left join controls c on c.org_id = w.org_id and c.identifier = w.control
   left join artifacts a on a.org_id = w.org_id and a.artifact_id = w.artifact_id
   order by t.expires_at, w.attestation_id`,
)

export type ExpiredDecision = RowOf<typeof take>

/** Takes expired decisions, oldest first. Each is returned to one process; a rollback restores it. */
export function takeExpiredDecisions(
  tx: Db,
  org_id: string,
  { now, limit }: { now: Date; limit: number },
): Promise<ExpiredDecision[]> {
  return tx.run(take, { org_id, now, limit })
}

const request = defineStatement(
  'expiring_decisions.request_evaluations',
  { org_id: uuid, trail_ids: uuids, actor: text, now: time },
  {},
  `with affected as materialized (
     select distinct a.fingerprint from artifacts a where a.org_id = :org_id and a.trail_id = any (:trail_ids::uuid[])
   )
   insert into pending_judgements (org_id, environment_id, artifact_key, cause, actor, marked_at)
   select w.org_id, w.environment_id, w.artifact_key, 'expired-decision', :actor, :now::timestamptz
   from running_artifacts w
   where w.org_id = :org_id and w.fingerprint = any (array(select x.fingerprint from affected x))
   union all
   select r.org_id, r.environment_id, r.artifact_key, 'expired-decision', :actor, :now::timestamptz
   from running_alternates r
   where r.org_id = :org_id and r.fingerprint = any (array(select x.fingerprint from affected x))`,
)

/** Requests the evaluation of all running artifacts that were reported on these trails. */
export async function requestTrailEvaluations(
  tx: Db,
  org_id: string,
  query: { trail_ids: readonly string[]; actor: string; now: Date },
): Promise<void> {
  await tx.run(request, { org_id, ...query, trail_ids: [...query.trail_ids] })
}

const next = defineStatement(
  'expiring_decisions.next_of_org',
  { org_id: uuid },
  { expires_at: nullable(time) },
  `select min(expires_at) as expires_at from expiring_decisions where org_id = :org_id`,
)

/** The earliest expiry not yet handled; null if there is none. */
export async function findNextExpiry(db: Db, org_id: string): Promise<Date | null> {
  return (await db.run(next, { org_id }))[0]?.expires_at ?? null
}
