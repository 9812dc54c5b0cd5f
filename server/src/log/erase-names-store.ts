// The SQL that erases people's names from rows beside the events: the creators of what is still in use, and the
// history of memberships. The leaf of the erasure covers the rows that the erased event names.
import { type Db, makeStep, type Step } from '../db/database.ts'
import { defineStatement, json, texts, uuid, uuids } from '../db/statement.ts'
import { ERASED } from '../domain/log/erasure.ts'
import type { StoredRowName } from '../events/stored-rows-store.ts'

const isNamed = (column: string): string => `${column} = any (:names::text[])`

/** Also locks the rows, so that nobody changes them before the leaf of the erasure covers them. */
const eraseCreator = (table: string, id: string, type: 'uuid' | 'text'): string =>
  `update ${table} r set created_by = case when ${isNamed('r.created_by')} then '${ERASED}' else r.created_by end
   where r.org_id = :org_id and r.${id} = any (:ids::${type}[])`

const eraseVersions = (table: string, column: string, id: string): string =>
  `update ${table} v set ${column} = '${ERASED}'
   where v.org_id = :org_id and v.${id} = any (:ids::uuid[]) and ${isNamed(`v.${column}`)}`

const TYPE_VERSIONS = `update custom_attestation_type_versions v set created_by = '${ERASED}'
   from custom_attestation_types r
   where r.org_id = :org_id and r.name = any (:ids::text[]) and v.org_id = r.org_id and v.type_id = r.type_id
     and ${isNamed('v.created_by')}`

const define = (name: string, sql: string) =>
  defineStatement(`log.erase_names_of_${name}`, { org_id: uuid, ids: uuids, names: texts }, {}, sql)
const defineByName = (name: string, sql: string) =>
  defineStatement(`log.erase_names_of_${name}`, { org_id: uuid, ids: texts, names: texts }, {}, sql)

/** The first statement of each locks the row. */
const STATEMENTS = {
  flow: [define('flows', eraseCreator('flows', 'flow_id', 'uuid'))],
  environment: [define('environments', eraseCreator('environments', 'environment_id', 'uuid'))],
  notification: [define('notifications', eraseCreator('notifications', 'notification_id', 'uuid'))],
  policy: [
    define('policies', eraseCreator('policies', 'policy_id', 'uuid')),
    define('policy_versions', eraseVersions('policy_versions', 'created_by', 'policy_id')),
  ],
  control: [
    define('controls', eraseCreator('controls', 'control_id', 'uuid')),
    define('control_versions', eraseVersions('control_versions', 'changed_by', 'control_id')),
  ],
  custom_type: [
    defineByName('types', eraseCreator('custom_attestation_types', 'name', 'text')),
    defineByName('type_versions', TYPE_VERSIONS),
  ],
} satisfies Partial<Record<StoredRowName, unknown>>

const eraseMemberships = defineStatement(
  'log.erase_membership_events',
  { org_id: uuid, changes: json<readonly MembershipChange[]>() },
  {},
  `update membership_events m set user_name = '${ERASED}', changed_by = '${ERASED}'
   from jsonb_to_recordset(:changes::jsonb) as c(user_id uuid, happened_at timestamptz)
   where m.org_id = :org_id and m.user_id = c.user_id and m.created_at = c.happened_at`,
)

/** As its event names it: the history has its own id. */
interface MembershipChange {
  user_id: string
  happened_at: string
}

export interface NamesToErase {
  /** The ids of the rows that the erased events name. */
  listRows(name: StoredRowName): string[]
  /** The names to erase. */
  names: string[]
  memberships: readonly MembershipChange[]
}

export async function eraseNames(
  tx: Db,
  org_id: string,
  { listRows, names, memberships }: NamesToErase,
): Promise<void> {
  const steps: Step[] = Object.entries(STATEMENTS).flatMap(([name, statements]) => {
    const ids = listRows(name as StoredRowName)
    return ids.length === 0 ? [] : statements.map(statement => makeStep(statement, { org_id, ids, names }))
  })
  if (memberships.length > 0) steps.push(makeStep(eraseMemberships, { org_id, changes: memberships }))
  if (steps.length > 0) await tx.runSteps(steps)
}
