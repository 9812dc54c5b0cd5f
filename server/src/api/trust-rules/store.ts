// Every statement about trust rules, which decide which CI jobs get keys. Deleted rules are kept for the audit log.
import { computed, toColumnList, toSelectList, toSetList, toValueList } from '../../db/columns.ts'
import type { Database, Db } from '../../db/database.ts'
import {
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
import type { Jwks } from '../../domain/keyless/jwks.ts'
import type { ExpectedClaims } from '../../domain/keyless/rule.ts'

/** The fields that admins set. */
const CONTENT = {
  description: text,
  issuer: text,
  issuer_kind: nullable(text),
  audience: text,
  claims: json<ExpectedClaims>(),
  jwks: nullable(json<Jwks>()),
  privilege: text,
  operations: texts,
  flow_id: nullable(uuid),
}

const NEW = { rule_id: uuid, name: text, ...CONTENT, created_by: text }

const RULE = {
  ...NEW,
  /** The current name of the flow. */
  flow_name: computed(
    nullable(text),
    'select f.name from flows f where f.org_id = r.org_id and f.flow_id = r.flow_id',
  ),
  created_at: time,
  last_modified_at: time,
  last_used_at: nullable(time),
}

const list = defineStatement(
  'trust_rules.list',
  { org_id: uuid },
  RULE,
  `select ${toSelectList('r', RULE)} from trust_rules r
   where r.org_id = :org_id and r.deleted_at is null
   order by r.name collate "C"`,
)

export type TrustRuleRow = RowOf<typeof list>

export function listRules(db: Database, org_id: string): Promise<readonly TrustRuleRow[]> {
  return db.read({ org_id }, list, { org_id })
}

const ofIssuer = defineStatement(
  'trust_rules.of_issuer',
  { org_id: uuid, issuer: text },
  RULE,
  `select ${toSelectList('r', RULE)} from trust_rules r
   where r.org_id = :org_id and r.issuer = :issuer and r.deleted_at is null
   order by r.name collate "C"`,
)

/** In the order in which they are matched. */
export function listRulesByIssuer(db: Db, org_id: string, issuer: string): Promise<TrustRuleRow[]> {
  return db.run(ofIssuer, { org_id, issuer })
}

const find = defineStatement(
  'trust_rules.find',
  { org_id: uuid, name: text },
  RULE,
  `select ${toSelectList('r', RULE)} from trust_rules r
   where r.org_id = :org_id and r.name = :name and r.deleted_at is null`,
)

export async function findRule(db: Db, org_id: string, name: string): Promise<TrustRuleRow | undefined> {
  return (await db.run(find, { org_id, name }))[0]
}

/** The same as `findRule` outside a transaction: one round trip. */
export async function findRuleOnce(
  db: Database,
  org_id: string,
  name: string,
): Promise<TrustRuleRow | undefined> {
  return (await db.read({ org_id }, find, { org_id, name }))[0]
}

const lock = defineStatement(
  'trust_rules.lock',
  { org_id: uuid, name: text },
  RULE,
  `select ${toSelectList('r', RULE)} from trust_rules r
   where r.org_id = :org_id and r.name = :name and r.deleted_at is null
   for update`,
)

export async function lockRule(db: Db, org_id: string, name: string): Promise<TrustRuleRow | undefined> {
  return (await db.run(lock, { org_id, name }))[0]
}

export interface RuleContent extends Values<typeof CONTENT> {
  /** The current name of the flow; only the id counts. */
  flow_name: string | null
}

const insert = defineStatement(
  'trust_rules.insert_or_keep',
  { org_id: uuid, ...NEW, now: time },
  { rule_id: uuid },
  `insert into trust_rules (org_id, ${toColumnList(NEW)}, created_at, last_modified_at)
   values (:org_id, ${toValueList(NEW)}, :now, :now)
   on conflict (org_id, name) where deleted_at is null do nothing
   returning rule_id`,
)

/** False if the name is taken. */
export async function insertRule(
  db: Db,
  org_id: string,
  rule: RuleContent & { rule_id: string; name: string; created_by: string; now: Date },
): Promise<boolean> {
  return (await db.run(insert, { org_id, ...rule })).length > 0
}

const update = defineStatement(
  'trust_rules.update',
  { org_id: uuid, rule_id: uuid, ...CONTENT, now: time },
  {},
  `update trust_rules set ${toSetList(CONTENT)}, last_modified_at = :now
   where org_id = :org_id and rule_id = :rule_id`,
)

export async function updateRule(
  db: Db,
  org_id: string,
  rule: RuleContent & { rule_id: string; now: Date },
): Promise<void> {
  await db.run(update, { org_id, ...rule })
}

const remove = defineStatement(
  'trust_rules.delete',
  { org_id: uuid, rule_id: uuid, now: time },
  {},
  'update trust_rules set deleted_at = :now where org_id = :org_id and rule_id = :rule_id',
)

export async function deleteRule(db: Db, org_id: string, rule_id: string, now: Date): Promise<void> {
  await db.run(remove, { org_id, rule_id, now })
}
