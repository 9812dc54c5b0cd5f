// Every statement about decisions waiting for a second person.
import { computed, toColumnList, toSelectList, toSetList, toValueList } from '../../db/columns.ts'
import type { Database, Db } from '../../db/database.ts'
import {
  bool,
  defineStatement,
  json,
  nullable,
  type RowOf,
  text,
  texts,
  time,
  uuid,
  type Values,
} from '../../db/statement.ts'
import type { DecisionBasis, SubjectIds } from '../../domain/decision-basis.ts'

export type Subject = Record<string, unknown>

const NEW = {
  decision_id: uuid,
  kind: text,
  subject: json<Subject>(),
  /** Null in decisions of earlier versions, like the basis. */
  subject_ids: nullable(json<SubjectIds>()),
  basis: nullable(json<DecisionBasis>()),
  reason: text,
  asked_by: text,
  asked_by_id: uuid,
  created_at: time,
  expires_at: time,
  /** The lapsed request that this one follows. */
  replaces: nullable(uuid),
}

const LAPSED = {
  lapsed_asked_by: computed(nullable(text), 'p.asked_by'),
  lapsed_reason: computed(nullable(text), 'p.reason'),
  lapse_reason: computed(nullable(text), 'p.lapse_reason'),
}

/** Read from `decisions d` and the lapsed request `p`. */
const DECISION = { ...NEW, ...LAPSED }
const TABLES =
  'decisions d left join decisions p on p.org_id = d.org_id and p.decision_id = d.replaces and p.lapse_reason is not null'

const list = defineStatement(
  'decisions.list',
  { org_id: uuid, now: time },
  DECISION,
  `select ${toSelectList('d', DECISION)} from ${TABLES}
   where d.org_id = :org_id and d.closed_at is null and d.expires_at > :now
   order by d.decision_id desc`,
)

export type DecisionRow = RowOf<typeof list>

/** Decisions that are neither closed nor expired, newest first. */
export function listOpenDecisions(db: Database, org_id: string, now: Date): Promise<DecisionRow[]> {
  return db.runOnce({ org_id }, list, { org_id, now })
}

const lockSame = defineStatement(
  'decisions.lock_same',
  { org_id: uuid, kind: text, subject: json<Subject>(), subject_ids: json<SubjectIds>() },
  { ...DECISION, is_same_ids: bool },
  `select ${toSelectList('d', DECISION)},
     coalesce(md5(d.subject_ids::text) = md5(:subject_ids::jsonb::text), false) as is_same_ids
   from ${TABLES}
   where d.org_id = :org_id and d.kind = :kind and d.closed_at is null
     and (md5(d.subject_ids::text) = md5(:subject_ids::jsonb::text) or md5(d.subject::text) = md5(:subject::jsonb::text))
   order by is_same_ids desc
   for update of d`,
)

export type SameDecision = RowOf<typeof lockSame>

/**
 * The open decision with the same ids, and another one with the same names: those belong to something else today, or an
 * earlier version stored it. The latter comes last.
 */
export function lockSameDecisions(
  db: Db,
  org_id: string,
  filter: { kind: string; subject: Subject; subject_ids: SubjectIds },
): Promise<SameDecision[]> {
  return db.run(lockSame, { org_id, ...filter })
}

const lockOne = defineStatement(
  'decisions.lock',
  { org_id: uuid, decision_id: uuid, now: time },
  NEW,
  `select ${toColumnList(NEW)} from decisions
   where org_id = :org_id and decision_id = :decision_id and closed_at is null and expires_at > :now
   for update`,
)

export async function lockDecision(
  db: Db,
  org_id: string,
  decision_id: string,
  now: Date,
): Promise<Values<typeof NEW> | undefined> {
  return (await db.run(lockOne, { org_id, decision_id, now }))[0]
}

const insert = defineStatement(
  'decisions.insert',
  { org_id: uuid, ...NEW },
  {},
  `insert into decisions (org_id, ${toColumnList(NEW)}) values (:org_id, ${toValueList(NEW)})`,
)

export type NewDecision = Values<typeof NEW>

export async function insertDecision(db: Db, org_id: string, decision: NewDecision): Promise<void> {
  await db.run(insert, { org_id, ...decision })
}

const CLOSING = {
  outcome: nullable(text),
  closed_by: text,
  lapse_reason: nullable(text),
  result_id: nullable(uuid),
}

const close = defineStatement(
  'decisions.close',
  { org_id: uuid, decision_id: uuid, ...CLOSING, now: time },
  {},
  `update decisions set closed_at = :now, ${toSetList(CLOSING)}
   where org_id = :org_id and decision_id = :decision_id`,
)

export interface Closing {
  decision_id: string
  closed_by: string
  /** Null means that the decision expired. */
  outcome: 'confirmed' | 'withdrawn' | 'lapsed' | null
  /** Why it lapsed. */
  lapse_reason?: string
  /** The allow-list entry or attestation that a confirmed decision led to. */
  result_id?: string
  now: Date
}

export async function closeDecision(db: Db, org_id: string, closing: Closing): Promise<void> {
  await db.run(close, { org_id, lapse_reason: null, result_id: null, ...closing })
}

const firstPerson = defineStatement(
  'decisions.first_person',
  { org_id: uuid, user_id: uuid },
  { role: nullable(text), groups: texts },
  `select m.role, array(
     select g.display_name from scim_users s
     join scim_group_members x on x.org_id = s.org_id and x.scim_id = s.scim_id
     join scim_groups g on g.org_id = x.org_id and g.group_id = x.group_id
     where s.org_id = :org_id and s.user_id = :user_id and s.active) as groups
   from (select) one
   left join memberships m on m.org_id = :org_id and m.user_id = :user_id and exists (
     select from users u where u.user_id = m.user_id and u.deactivated_at is null)`,
)

/** The present role and groups of a person; no role if the person is no member, or deactivated. */
export async function findFirstPerson(db: Db, org_id: string, user_id: string) {
  const [found] = await db.run(firstPerson, { org_id, user_id })
  return found ?? { role: null, groups: [] }
}
