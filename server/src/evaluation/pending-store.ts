// The statements that request evaluations, for everything that may change a verdict, and those with which the loop
// takes them. Requests are only ever appended, so that reporting evidence never waits for an evaluation.
import { type Database, type Db, makeStep, type Step } from '../db/database.ts'
import { isThawed } from '../db/frozen-orgs.ts'
import {
  defineStatement,
  int,
  nullable,
  type RowOf,
  readsWholeDatabase,
  text,
  texts,
  time,
  uuid,
  uuids,
} from '../db/statement.ts'
import { numberTurns } from '../db/turns.ts'

const fingerprints = defineStatement(
  'pending_evaluations.request_fingerprints',
  { org_id: uuid, fingerprints: texts, actor: text, now: time },
  {},
  `insert into pending_judgements (org_id, environment_id, artifact_key, cause, actor, marked_at)
   select w.org_id, w.environment_id, w.artifact_key, 'evidence', :actor, :now::timestamptz
   from running_artifacts w where w.org_id = :org_id and w.fingerprint = any (:fingerprints::text[])
   union all
   select a.org_id, a.environment_id, a.artifact_key, 'evidence', :actor, :now::timestamptz
   from running_alternates a where a.org_id = :org_id and a.fingerprint = any (:fingerprints::text[])`,
)

/** Artifacts whose evidence changed, wherever they are running. Part of the batch that changes the evidence. */
export function buildRequestStep(
  org_id: string,
  request: { fingerprints: Iterable<string>; actor: string; now: Date },
): Step {
  return makeStep(fingerprints, { org_id, ...request, fingerprints: [...new Set(request.fingerprints)] })
}

const flow = defineStatement(
  'pending_evaluations.request_flow',
  { org_id: uuid, flow_id: uuid, actor: text, now: time },
  {},
  `insert into pending_judgements (org_id, environment_id, artifact_key, cause, actor, marked_at)
   select w.org_id, w.environment_id, w.artifact_key, 'evidence', :actor, :now::timestamptz
   from running_artifacts w
   where w.org_id = :org_id and exists (
     select from artifacts a
     where a.org_id = :org_id and a.fingerprint = w.fingerprint and a.flow_id = :flow_id)
   union all
   select r.org_id, r.environment_id, r.artifact_key, 'evidence', :actor, :now::timestamptz
   from running_alternates r
   where r.org_id = :org_id and exists (
     select from artifacts a
     where a.org_id = :org_id and a.fingerprint = r.fingerprint and a.flow_id = :flow_id)`,
)

/** Requests the evaluation of a flow's running artifacts: policies may depend on its name and tags. */
export async function requestFlowEvaluations(
  db: Db,
  org_id: string,
  request: { flow_id: string; actor: string; now: Date },
): Promise<void> {
  await db.run(flow, { org_id, ...request })
}

const policy = defineStatement(
  'pending_evaluations.request_policy',
  { org_id: uuid, policy_id: uuid, actor: text, now: time },
  {},
  `insert into pending_judgements (org_id, environment_id, cause, actor, marked_at)
   select org_id, environment_id, 'policies', :actor, :now
   from environment_policies where org_id = :org_id and policy_id = :policy_id`,
)

/** Requests the evaluation of every environment with the policy attached. */
export async function requestPolicyEvaluations(
  db: Db,
  org_id: string,
  request: { policy_id: string; actor: string; now: Date },
): Promise<void> {
  await db.run(policy, { org_id, ...request })
}

const pending = defineStatement(
  'pending_evaluations.list',
  { before: time, except: uuids, most_per_sponsor: int },
  { org_id: uuid, environment_id: uuid },
  `select w.org_id, w.environment_id from ${numberTurns(
    `select j.org_id, j.environment_id, min(j.marked_at) as since from pending_judgements j
     where j.environment_id <> all (:except::uuid[]) and ${isThawed('j.org_id')}
     group by j.org_id, j.environment_id
     having min(j.marked_at) <= :before`,
    { since: 'since, environment_id', most: ':most_per_sponsor::int' },
  )} w
   where w.turn <= :most_per_sponsor::int
   order by w.turn, w.since`,
  readsWholeDatabase('groups everything that waits by environment'),
)

export interface PendingQuery {
  before: Date
  /** Environments to leave out. */
  except: readonly string[]
  most_per_sponsor: number
}

/** Environments with a pending evaluation that is old enough, by turns. */
export function listPendingEnvironments(
  db: Database,
  { except, ...query }: PendingQuery,
): Promise<RowOf<typeof pending>[]> {
  return db.runOnce({ worker: true }, pending, { ...query, except: [...except] })
}

const take = defineStatement(
  'pending_evaluations.take',
  { org_id: uuid, environment_id: uuid },
  { artifact_key: nullable(text), cause: text, actor: text },
  `delete from pending_judgements where org_id = :org_id and environment_id = :environment_id
   returning artifact_key, cause, actor`,
)

export type PendingEvaluation = RowOf<typeof take>

/** Takes the pending evaluations of a locked environment. A rollback restores them. */
export function takePendingEvaluations(
  db: Db,
  org_id: string,
  environment_id: string,
): Promise<PendingEvaluation[]> {
  return db.run(take, { org_id, environment_id })
}

const expired = defineStatement(
  'pending_evaluations.expired_allow_list',
  { now: time },
  { org_id: uuid, entry_id: uuid, environment_id: uuid, fingerprint: text, artifact_name: text },
  `select e.org_id, e.entry_id, e.environment_id, e.fingerprint, e.artifact_name from ${numberTurns(
    `select a.org_id, a.entry_id, a.environment_id, a.fingerprint, a.artifact_name, a.expires_at from allow_list a
     where a.ended_at is null and a.expires_at <= :now and ${isThawed('a.org_id')}`,
    { since: 'expires_at, entry_id', most: '100' },
  )} e
   order by e.turn, e.expires_at limit 100`,
  readsWholeDatabase('puts everything that has expired and was not handled yet in order of turns'),
)

export type ExpiredEntry = RowOf<typeof expired>

/** Expired allow-list entries of all organizations, by turns. */
export function listExpiredEntries(db: Database, now: Date): Promise<ExpiredEntry[]> {
  return db.runOnce({ worker: true }, expired, { now })
}

const expireEntry = defineStatement(
  'pending_evaluations.expire_allow_list_entry',
  { org_id: uuid, entry_id: uuid },
  { entry_id: uuid },
  `update allow_list set ended_at = expires_at
   where org_id = :org_id and entry_id = :entry_id and ended_at is null
   returning entry_id`,
)

/** False if another process expired it first. */
export async function markEntryExpired(db: Db, org_id: string, entry_id: string): Promise<boolean> {
  return (await db.run(expireEntry, { org_id, entry_id })).length > 0
}
