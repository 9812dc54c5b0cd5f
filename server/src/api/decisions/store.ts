// Every statement about decisions waiting for a second person.
import { toColumnList, toValueList } from '../../db/columns.ts'
import type { Database, Db } from '../../db/database.ts'
import { defineStatement, json, nullable, type RowOf, text, time, uuid } from '../../db/statement.ts'

export type Subject = Record<string, unknown>

const DECISION = {
  decision_id: uuid,
  kind: text,
  subject: json<Subject>(),
  reason: text,
  asked_by: text,
  asked_by_id: uuid,
  created_at: time,
  expires_at: time,
}

const list = defineStatement(
  'decisions.list',
  { org_id: uuid, now: time },
  DECISION,
  `select ${toColumnList(DECISION)} from decisions
   where org_id = :org_id and closed_at is null and expires_at > :now
   order by decision_id desc`,
)

export type DecisionRow = RowOf<typeof list>

/** Decisions that are neither closed nor expired, newest first. */
export function listOpenDecisions(db: Database, org_id: string, now: Date): Promise<DecisionRow[]> {
  return db.runOnce({ org_id }, list, { org_id, now })
}

const lockSame = defineStatement(
  'decisions.lock_same',
  { org_id: uuid, kind: text, subject: json<Subject>() },
  DECISION,
  `select ${toColumnList(DECISION)} from decisions
   where org_id = :org_id and kind = :kind and md5(subject::text) = md5(:subject::jsonb::text) and closed_at is null
   for update`,
)

export async function lockSameDecision(
  db: Db,
  org_id: string,
  filter: { kind: string; subject: Subject },
): Promise<DecisionRow | undefined> {
  return (await db.run(lockSame, { org_id, ...filter }))[0]
}

const lockOne = defineStatement(
  'decisions.lock',
  { org_id: uuid, decision_id: uuid, now: time },
  DECISION,
  `select ${toColumnList(DECISION)} from decisions
   where org_id = :org_id and decision_id = :decision_id and closed_at is null and expires_at > :now
   for update`,
)

export async function lockDecision(
  db: Db,
  org_id: string,
  decision_id: string,
  now: Date,
): Promise<DecisionRow | undefined> {
  return (await db.run(lockOne, { org_id, decision_id, now }))[0]
}

const insert = defineStatement(
  'decisions.insert',
  { org_id: uuid, ...DECISION },
  {},
  `insert into decisions (org_id, ${toColumnList(DECISION)}) values (:org_id, ${toValueList(DECISION)})`,
)

export async function insertDecision(db: Db, org_id: string, decision: DecisionRow): Promise<void> {
  await db.run(insert, { org_id, ...decision })
}

const close = defineStatement(
  'decisions.close',
  { org_id: uuid, decision_id: uuid, closed_by: text, outcome: nullable(text), now: time },
  {},
  `update decisions set closed_at = :now, closed_by = :closed_by, outcome = :outcome
   where org_id = :org_id and decision_id = :decision_id`,
)

/** An outcome of null means that the decision expired. */
export async function closeDecision(
  db: Db,
  org_id: string,
  closing: { decision_id: string; closed_by: string; outcome: 'confirmed' | 'withdrawn' | null; now: Date },
): Promise<void> {
  await db.run(close, { org_id, ...closing })
}
