// Every statement about trust rules, which decide which CI jobs get keys. Deleted rules are kept for the audit log.
import type { Database, Db } from '../../db/database.ts'
import { defineStatement, json, nullable, type RowOf, text, texts, time, uuid } from '../../db/statement.ts'
import type { ExpectedClaims } from '../../domain/keyless/rule.ts'

const RULE_ROW = {
  rule_id: uuid,
  name: text,
  description: text,
  issuer: text,
  audience: text,
  claims: json<ExpectedClaims>(),
  privilege: text,
  operations: texts,
  flow_id: nullable(uuid),
  /** The current name of the flow. */
  flow_name: nullable(text),
  created_by: text,
  created_at: time,
  last_modified_at: time,
  last_used_at: nullable(time),
}

const RULE_COLUMNS = `
  rule_id, name, description, issuer, audience, claims, privilege, operations, flow_id,
  (select f.name from flows f where f.org_id = trust_rules.org_id and f.flow_id = trust_rules.flow_id) as flow_name,
  created_by, created_at, last_modified_at, last_used_at`

const list = defineStatement(
  'trust_rules.list',
  { org_id: uuid },
  RULE_ROW,
  `select ${RULE_COLUMNS} from trust_rules where org_id = :org_id and deleted_at is null order by name collate "C"`,
)

export type TrustRuleRow = RowOf<typeof list>

export function listRules(db: Database, org_id: string): Promise<readonly TrustRuleRow[]> {
  return db.read({ org_id }, list, { org_id })
}

const ofIssuer = defineStatement(
  'trust_rules.of_issuer',
  { org_id: uuid, issuer: text },
  RULE_ROW,
  `select ${RULE_COLUMNS} from trust_rules
   where org_id = :org_id and issuer = :issuer and deleted_at is null
   order by name collate "C"`,
)

/** In the order in which they are matched. */
export function listRulesByIssuer(db: Db, org_id: string, issuer: string): Promise<TrustRuleRow[]> {
  return db.run(ofIssuer, { org_id, issuer })
}

const find = defineStatement(
  'trust_rules.find',
  { org_id: uuid, name: text },
  RULE_ROW,
  `select ${RULE_COLUMNS} from trust_rules where org_id = :org_id and name = :name and deleted_at is null`,
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
  RULE_ROW,
  `select ${RULE_COLUMNS} from trust_rules where org_id = :org_id and name = :name and deleted_at is null for update`,
)

export async function lockRule(db: Db, org_id: string, name: string): Promise<TrustRuleRow | undefined> {
  return (await db.run(lock, { org_id, name }))[0]
}

const CONTENT = {
  description: text,
  issuer: text,
  audience: text,
  claims: json<ExpectedClaims>(),
  privilege: text,
  operations: texts,
  flow_id: nullable(uuid),
}

/** The fields of a rule that admins set. */
export interface RuleContent {
  description: string
  issuer: string
  audience: string
  claims: ExpectedClaims
  privilege: string
  operations: string[]
  flow_id: string | null
  /** The current name of the flow; the id is what counts. */
  flow_name: string | null
}

const insert = defineStatement(
  'trust_rules.insert_or_keep',
  { org_id: uuid, rule_id: uuid, name: text, ...CONTENT, created_by: text, now: time },
  { rule_id: uuid },
  `insert into trust_rules (org_id, rule_id, name, description, issuer, audience, claims, privilege, operations,
                            flow_id, created_by, created_at, last_modified_at)
   values (:org_id, :rule_id, :name, :description, :issuer, :audience, :claims::jsonb, :privilege, :operations,
           :flow_id, :created_by, :now, :now)
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
  `update trust_rules set description = :description, issuer = :issuer, audience = :audience, claims = :claims::jsonb,
     privilege = :privilege, operations = :operations, flow_id = :flow_id, last_modified_at = :now
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
