// The statements that export an organization: one per table with an org_id that is not derived from others. Each reads
// a batch in key order, without secrets. `export.test.ts` compares this list with the database catalogue.
import type { Database } from '../../db/database.ts'
import { count, defineStatement, int, readsWholeOrg, type Statement, text, uuid } from '../../db/statement.ts'

/** Small, because a row may be a megabyte. */
const BATCH_SIZE = 100

/** Columns that are never exported, in any table. */
export const EXCLUDED_COLUMNS = [
  'secret_hash',
  'token_hash',
  'sealed',
  'payload',
  'webhook_sealed',
  'secret_sealed',
  'old_secret_sealed',
  'old_secret_until',
  'private_sealed',
] as const

/** Derived from other tables, and add nothing to those: search indexes, and the hashes above the leaves of a log. */
export const DERIVED_TABLES: readonly string[] = ['trail_words', 'artifact_words', 'log_nodes']

const KEY_TYPES = { uuid, text, int, count }
/** Sort before every key: no id is zero, no name is empty, numbers start at one, and leaves at zero. */
const BEFORE_ALL = { uuid: '00000000-0000-0000-0000-000000000000', text: '', int: 0, count: -1 }

type Key = Readonly<Record<string, keyof typeof KEY_TYPES>>

/** The primary keys, without the leading org_id. */
export const EXPORTED_KEYS: Readonly<Record<string, Key>> = {
  orgs: {},
  org_usage: {},
  org_openers: {},
  frozen_orgs: {},
  memberships: { user_id: 'uuid' },
  membership_events: { event_no: 'int' },
  invitations: { invitation_id: 'uuid' },
  service_accounts: { service_account_id: 'uuid' },
  service_account_keys: { key_id: 'uuid' },
  trust_rules: { rule_id: 'uuid' },
  ci_keys: { key_id: 'uuid' },
  decisions: { decision_id: 'uuid' },
  mail_domains: { domain: 'text' },
  badges: { badge_id: 'uuid' },
  scim_tokens: { token_id: 'uuid' },
  scim_users: { scim_id: 'uuid' },
  scim_groups: { group_id: 'uuid' },
  scim_group_members: { group_id: 'uuid', scim_id: 'uuid' },
  log_heads: {},
  log_leaves: { epoch: 'int', seq: 'count' },
  log_keys: { epoch: 'int', number: 'int' },
  history_imports: {},
  log_checkpoints: { epoch: 'int', minute: 'int' },
  log_witnesses: { epoch: 'int', vkey: 'text' },
  log_cosigned: { epoch: 'int', size: 'count' },
  audit_sink_cursors: { sink: 'text' },
  templates: { template_id: 'uuid' },
  template_artifacts: { template_id: 'uuid', name: 'text' },
  template_slots: { template_id: 'uuid', artifact_name: 'text', name: 'text' },
  flows: { flow_id: 'uuid' },
  former_flow_names: { name: 'text' },
  repos: { repo_id: 'uuid' },
  trails: { trail_id: 'uuid' },
  trail_repos: { trail_id: 'uuid', repo_id: 'uuid' },
  artifacts: { artifact_id: 'uuid' },
  artifact_reports: { report_id: 'uuid' },
  attestations: { attestation_id: 'uuid' },
  expiring_decisions: { attestation_id: 'uuid' },
  attestation_files: { attestation_id: 'uuid', position: 'int' },
  evidence_slots: { trail_id: 'uuid', artifact_id: 'uuid', attestation_name: 'text' },
  custom_attestation_types: { type_id: 'uuid' },
  custom_attestation_type_versions: { type_id: 'uuid', version: 'int' },
  controls: { control_id: 'uuid' },
  control_versions: { control_id: 'uuid', version: 'int' },
  environments: { environment_id: 'uuid' },
  former_environment_names: { name: 'text' },
  environment_members: { environment_id: 'uuid', member_id: 'uuid' },
  policies: { policy_id: 'uuid' },
  policy_versions: { policy_id: 'uuid', version: 'int' },
  environment_policies: { environment_id: 'uuid', policy_id: 'uuid' },
  allow_list: { entry_id: 'uuid' },
  running_artifacts: { environment_id: 'uuid', artifact_key: 'text' },
  running_alternates: { environment_id: 'uuid', artifact_key: 'text', fingerprint: 'text' },
  snapshots: { environment_id: 'uuid', snapshot_index: 'int' },
  runs: { environment_id: 'uuid', run_id: 'uuid' },
  verdicts: { environment_id: 'uuid', verdict_id: 'uuid' },
  late_reports: { late_report_id: 'uuid' },
  environment_events: { environment_id: 'uuid', snapshot_index: 'int', artifact_key: 'text' },
  deployments: { deployment_id: 'uuid' },
  pending_judgements: { mark_id: 'uuid' },
  notifications: { notification_id: 'uuid' },
  notification_environments: { notification_id: 'uuid', environment_id: 'uuid' },
  notification_flows: { notification_id: 'uuid', flow_id: 'uuid' },
  notification_configs: { notification_type: 'text' },
  notification_targets: { target_id: 'uuid' },
  delivery_attempts: { job_id: 'uuid', lease_no: 'int' },
  delivery_breakers: { target_id: 'uuid' },
  idempotency_keys: { caller_id: 'uuid', key: 'text' },
  sending_counts: { what: 'text', who: 'text' },
  outbox: { job_id: 'uuid' },
  approvals: { flow_id: 'uuid', number: 'int' },
  events: { event_id: 'uuid' },
}

type Values = Record<string, unknown>

export interface ExportedTable {
  name: string
  key: Key
  batch: Statement<Values, Values>
}

export const EXPORTED_TABLES: readonly ExportedTable[] = Object.entries(EXPORTED_KEYS).map(([name, key]) => ({
  name,
  key,
  batch: buildBatchStatement(name, key),
}))

function buildBatchStatement(table: string, key: Key): Statement<Values, Values> {
  const columns = Object.keys(key)
  const types = Object.entries(key).map(([column, type]) => [column, KEY_TYPES[type]] as const)
  const own = columns.map(column => `t.${column}`)
  const afterLast = `and (${own.join(', ')}) > (${columns.map(column => `:after_${column}`).join(', ')})
     order by ${own.join(', ')}`
  // As jsonb, because a row must be one line, and json keeps the line feeds of its author.
  const statement = defineStatement(
    `org_export.${table}`,
    { org_id: uuid, ...Object.fromEntries(types.map(([column, type]) => [`after_${column}`, type])) },
    { ...Object.fromEntries(types), line: text },
    `select ${[...own, `(to_jsonb(t) - '{${EXCLUDED_COLUMNS.join(',')}}'::text[])::text as line`].join(', ')}
     from ${table} t
     where t.org_id = :org_id ${columns.length > 0 ? afterLast : ''}
     limit ${BATCH_SIZE}`,
  )
  return statement as Statement<Values, Values>
}

/**
 * The rows of one table, each as a line of JSON. Every batch is its own transaction, so a slow download does not occupy
 * a database connection.
 */
export async function* readTableLines(
  db: Database,
  org_id: string,
  { key, batch }: ExportedTable,
): AsyncGenerator<string[]> {
  let last: Values | undefined
  for (;;) {
    const after = Object.entries(key).map(([column, type]) => [
      `after_${column}`,
      last ? last[column] : BEFORE_ALL[type],
    ])
    const rows = await db.runOnce({ org_id }, batch, { org_id, ...Object.fromEntries(after) })
    if (rows.length > 0) yield rows.map(row => String(row.line))
    if (rows.length < BATCH_SIZE) return
    last = rows.at(-1)
  }
}

const attachments = defineStatement(
  'org_export.attachments',
  { org_id: uuid, after: text },
  { sha256: text },
  `select coalesce(n.sha256, '') as sha256 from (
     (select distinct w.evidence_sha256 as sha256 from attestations w
      where w.org_id = :org_id and w.evidence_sha256 is not null and w.evidence_sha256 > :after
      order by 1 limit ${BATCH_SIZE})
     union
     (select distinct x.stored_sha256 from attestation_files x
      where x.org_id = :org_id and x.stored_sha256 > :after order by 1 limit ${BATCH_SIZE})
   ) n
   order by 1 limit ${BATCH_SIZE}`,
  readsWholeOrg('an export reads every attachment, a part in each statement'),
)

/** The attachments of all attestations, each once. */
export async function* listAttachments(db: Database, org_id: string): AsyncGenerator<string> {
  let after = ''
  for (;;) {
    const rows = await db.runOnce({ org_id }, attachments, { org_id, after })
    for (const { sha256 } of rows) yield sha256
    if (rows.length < BATCH_SIZE) return
    after = rows.at(-1)?.sha256 ?? ''
  }
}

const people = defineStatement(
  'org_export.people',
  { org_id: uuid, after: text },
  { name: text, line: text },
  `select u.name, jsonb_build_object('user_id', u.user_id, 'name', u.name, 'display_name', u.display_name,
     'email', u.email)::text as line
   from memberships m join users u on u.user_id = m.user_id
   where m.org_id = :org_id and u.name > :after
   order by u.name limit ${BATCH_SIZE}`,
)

/** The members, each as a line of JSON: other tables refer to them by id. */
export async function* readPeopleLines(db: Database, org_id: string): AsyncGenerator<string[]> {
  let after = ''
  for (;;) {
    const rows = await db.runOnce({ org_id }, people, { org_id, after })
    if (rows.length > 0) yield rows.map(({ line }) => line)
    if (rows.length < BATCH_SIZE) return
    after = rows.at(-1)?.name ?? ''
  }
}
