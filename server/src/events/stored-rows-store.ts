// The content of the rows that events change, as the text that leaves have hashes of. The writer of an event reads it in
// its transaction, and the check of the logs reads it again: the last leaf that names a row must fit it.
//
// Leaves outlive this file: never change what an entry selects. To cover a new column, add an entry under another name.
import { computeFirst } from '../db/compute-first.ts'
import { type Db, makeStep, type Step } from '../db/database.ts'
import { defineStatement, PLANNED_ONCE, type RowOf, text, texts, uuid, uuids } from '../db/statement.ts'
import { ERASED } from '../domain/log/erasure.ts'
import { assert } from '../lib/assert.ts'

interface StoredRow {
  /** The tables; the first one is the row's own, named `r`. */
  from: string
  /** The column with the row's id in the log. */
  id: string
  type: 'uuid' | 'text'
  /**
   * The covered columns, as pairs for `jsonb_build_object`. Times in seconds, since their text depends on the time
   * zone.
   */
  content: string
  /** Limits the rows further. */
  where?: string
  /** How rows are looked up by `:ids`, if not by the id alone. */
  lookUp?: string
}

const seconds = (column: string): string => `extract(epoch from ${column})`
/** The hash of a text that has its own table or may be large. */
const sha256 = (column: string): string => `encode(sha256(convert_to(${column}, 'UTF8')), 'hex')`
/** An archived row's name may go to another row; the archived row then gets a new name without an event. */
const NAME = 'case when r.archived_at is null then r.name end'
const CREATED = `'created_by', r.created_by, 'created_at', ${seconds('r.created_at')}`
const ARCHIVED = `'is_archived', r.archived_at is not null`
/**
 * Rows without an expiry keep the form from before expiries existed, so that hashes of erased content still match.
 */
const CONTROL_WITH_EXPIRY = `case when r.expires_at is null then to_jsonb(r.control)
  else jsonb_build_object('identifier', r.control, 'expires_at', ${seconds('r.expires_at')}) end`

const list = (element: string, rest: string, order: string): string =>
  `(select coalesce(jsonb_agg(${element} order by ${order}), '[]') from ${rest})`

const listTargets = (owner: string): string =>
  list(
    `jsonb_build_object('type', t.type, 'payload_version', t.payload_version, 'emails', t.emails)`,
    `notification_targets t where t.org_id = r.org_id and t.removed_at is null and t.${owner} = r.${owner}`,
    't.position, t.target_id',
  )

const pairTrail = (trail: string, template: string): string => `
  'name', ${trail}.name, 'description', ${trail}.description, 'template_sha256', ${sha256(`${template}.content`)},
  'git_commit_info', ${trail}.git_commit_info, 'repo_info', ${trail}.repo_info, 'origin_url', ${trail}.origin_url,
  'external_urls', ${trail}.external_urls::text, 'user_data', ${trail}.user_data::text,
  'created_by', ${trail}.created_by, 'created_at', ${seconds(`${trail}.created_at`)}`

/** The content of a trail, for statements that insert a trail and return its content. */
export const selectTrailContent = (trail: string, template: string): string =>
  `jsonb_build_object(${pairTrail(trail, template)})::text`

export const STORED_ROWS = {
  org: {
    from: 'orgs r',
    id: 'r.org_id',
    type: 'uuid',
    content: `'name', r.name, 'kind', r.kind, 'description', r.description, 'features', r.features,
      'settings', r.settings, 'quotas', r.quotas, 'delete_after', ${seconds('r.delete_after')}`,
  },
  member: {
    from: 'memberships r',
    id: 'r.user_id',
    type: 'uuid',
    content: `'role', r.role, 'created_at', ${seconds('r.created_at')}`,
  },
  invitation: {
    from: 'invitations r',
    id: 'r.invitation_id',
    type: 'uuid',
    lookUp: `unnest(:ids::uuid[]) wanted(id) cross join lateral (
      select * from invitations x where x.org_id = :org_id and x.invitation_id = wanted.id limit 1) r`,
    content: `'email', r.email, 'role', r.role, 'invited_by', r.invited_by, 'created_at', ${seconds('r.created_at')}`,
  },
  decision: {
    from: 'decisions r',
    id: 'r.decision_id',
    type: 'uuid',
    content: `'kind', r.kind, 'subject', r.subject, 'reason', r.reason, 'asked_by', r.asked_by,
      'created_at', ${seconds('r.created_at')}, 'expires_at', ${seconds('r.expires_at')},
      'outcome', r.outcome, 'closed_at', case when r.outcome is not null then ${seconds('r.closed_at')} end,
      'closed_by', case when r.outcome is not null then r.closed_by end`,
  },
  // What earlier versions do not store, and must not have to name when they close a decision.
  decision_basis: {
    from: 'decisions r',
    id: 'r.decision_id',
    type: 'uuid',
    where: 'r.subject_ids is not null',
    content: `'asked_by_id', r.asked_by_id, 'subject_ids', r.subject_ids, 'basis', r.basis, 'replaces', r.replaces,
      'lapse_reason', r.lapse_reason, 'result', r.result_id`,
  },
  mail_domain: {
    from: 'mail_domains r',
    id: 'r.domain',
    type: 'text',
    content: `'challenge', r.challenge, ${CREATED}, 'proved_at', ${seconds('r.proved_at')}`,
  },
  scim_token: {
    from: 'scim_tokens r',
    id: 'r.token_id',
    type: 'uuid',
    content: `'description', r.description, ${CREATED}, 'expires_at', ${seconds('r.expires_at')},
      'revoked_at', ${seconds('r.revoked_at')}, 'revoked_by', r.revoked_by`,
  },
  scim_token_owner: {
    from: 'scim_tokens r',
    id: 'r.token_id',
    type: 'uuid',
    content: `'user', r.owner_user_id, 'account', r.owner_account_id, 'allowed_addresses', r.allowed_addresses`,
  },
  // Leaves out the hash of its token.
  badge: {
    from: 'badges r',
    id: 'r.badge_id',
    type: 'uuid',
    content: `'environment', r.environment_id, 'flow', r.flow_id, 'fingerprint', r.fingerprint, 'label', r.label,
      'hint', r.hint, ${CREATED}, 'revoked_at', ${seconds('r.revoked_at')}, 'revoked_by', r.revoked_by`,
  },
  provisioned_user: {
    from: 'scim_users r',
    id: 'r.scim_id',
    type: 'uuid',
    content: `'user_name', r.user_name, 'external_id', r.external_id, 'active', r.active, 'email', r.email,
      'display_name', r.display_name, 'resource', r.resource::text`,
  },
  provisioned_group: {
    from: 'scim_groups r',
    id: 'r.group_id',
    type: 'uuid',
    content: `'display_name', r.display_name, 'external_id', r.external_id, 'role', r.role,
      'resource', r.resource::text`,
  },
  service_account: {
    from: 'service_accounts r',
    id: 'r.service_account_id',
    type: 'uuid',
    content: `'name', r.name, 'display_name', r.display_name, 'privilege', r.privilege,
      'description', r.description, ${CREATED}, 'owner', r.owner_user_id, 'keys_stop_at', ${seconds('r.keys_stop_at')},
      'is_deleted', r.deleted_at is not null`,
  },
  // The role that an owner had when they left, which their accounts may use until they stop.
  former_owner: {
    from: 'service_accounts r',
    id: 'r.service_account_id',
    type: 'uuid',
    content: `'owner_left_as', r.owner_left_as`,
  },
  // Leaves out the hash of its secret.
  key: {
    from: 'service_account_keys r',
    id: 'r.key_id',
    type: 'uuid',
    content: `'service_account', r.service_account_id, 'hint', r.hint, 'description', r.description, ${CREATED},
      'expires_at', ${seconds('r.expires_at')}, 'revoked_at', ${seconds('r.revoked_at')},
      'replaced_by', r.replaced_by, 'operations', r.operations, 'flow_ids', r.flow_ids,
      'environment_ids', r.environment_ids, 'allowed_addresses', r.allowed_addresses`,
  },
  trust_rule: {
    from: 'trust_rules r',
    id: 'r.name',
    type: 'text',
    where: 'r.deleted_at is null',
    content: `'description', r.description, 'issuer', r.issuer, 'audience', r.audience, 'claims', r.claims,
      'privilege', r.privilege, 'operations', r.operations, 'flow', r.flow_id, ${CREATED}`,
  },
  trust_rule_issuer: {
    from: 'trust_rules r',
    id: 'r.name',
    type: 'text',
    where: 'r.deleted_at is null',
    content: `'issuer_kind', r.issuer_kind, 'jwks', r.jwks::text`,
  },
  flow: {
    from: 'flows r join templates t on t.org_id = r.org_id and t.template_id = r.template_id',
    id: 'r.flow_id',
    type: 'uuid',
    content: `'name', ${NAME}, 'description', r.description, 'visibility', r.visibility, 'repo_url', r.repo_url,
      'tags', r.tags, 'template_sha256', ${sha256('t.content')}, ${CREATED}, ${ARCHIVED}`,
  },
  repo_tags: { from: 'repos r', id: 'r.repo_id', type: 'uuid', content: `'tags', r.tags` },
  trail: {
    from: 'trails r join templates t on t.org_id = r.org_id and t.template_id = r.template_id',
    id: 'r.trail_id',
    type: 'uuid',
    // PostgreSQL 15 would start at the templates and read all trails.
    lookUp: `unnest(:ids::uuid[]) wanted(id) cross join lateral (
      select * from trails x where x.org_id = :org_id and x.trail_id = wanted.id limit 1) r
      join templates t on t.org_id = r.org_id and t.template_id = r.template_id`,
    content: pairTrail('r', 't'),
  },
  approval: {
    from: 'approvals r',
    id: `r.flow_id || '/' || r.number`,
    type: 'text',
    lookUp: `unnest(:ids::text[]) wanted(id) cross join lateral (
      select * from approvals x where x.org_id = :org_id and x.flow_id = ${computeFirst("split_part(wanted.id, '/', 1)::uuid")}
        and x.number = ${computeFirst("split_part(wanted.id, '/', 2)::int")} limit 1) r`,
    content: `'artifact_fingerprint', r.artifact_fingerprint, 'artifact_name', r.artifact_name,
      'environment_name', r.environment_name, 'description', r.description, 'state', r.state,
      'approvals', r.approvals, 'src_commit_list', r.src_commit_list, 'oldest_commit', r.oldest_commit,
      'user_data', r.user_data, ${CREATED}`,
  },
  // The parts of an attestation and of an artifact report that remain when their event is erased.
  erased_attestation: {
    from: 'attestations r',
    id: 'r.attestation_id',
    type: 'uuid',
    where: `r.reported_by = '${ERASED}'`,
    content: `'flow', r.flow_id, 'trail', r.trail_id, 'artifact', r.artifact_id, 'target_artifacts', r.target_artifacts,
      'attestation_name', r.attestation_name, 'attestation_type', r.attestation_type, 'is_compliant', r.is_compliant,
      'git_commit', r.git_commit, 'overridden', r.overridden_attestation_id, 'control', ${CONTROL_WITH_EXPIRY},
      'control_version', r.control_version, 'report', r.report::text, 'evidence', r.evidence_sha256,
      'created_at', ${seconds('r.created_at')}`,
  },
  erased_report: {
    from: 'artifact_reports r join artifacts a on a.org_id = r.org_id and a.artifact_id = r.artifact_id',
    id: 'r.report_id',
    type: 'uuid',
    where: `r.reported_by = '${ERASED}'`,
    content: `'artifact', r.artifact_id, 'flow', a.flow_id, 'trail', a.trail_id, 'fingerprint', a.fingerprint,
      'filename', r.filename, 'git_commit', r.git_commit, 'is_compliant', r.is_compliant, 'report', r.report::text,
      'reported_at', ${seconds('r.reported_at')}, 'is_shown', a.report_id <> r.report_id or (
        a.report::text = r.report::text and a.filename = r.filename and a.git_commit is not distinct from r.git_commit
        and a.is_declared_compliant is not distinct from r.is_compliant)`,
  },
  custom_type: {
    from: 'custom_attestation_types r',
    id: 'r.name',
    type: 'text',
    content: `'description', r.description, ${CREATED}, ${ARCHIVED}, 'versions', ${list(
      `jsonb_build_object('version', v.version, 'type_schema', v.type_schema::text, 'rules', v.rules,
        'summary', v.summary::text, 'created_by', v.created_by, 'created_at', ${seconds('v.created_at')})`,
      'custom_attestation_type_versions v where v.org_id = r.org_id and v.type_id = r.type_id',
      'v.version',
    )}`,
  },
  control: {
    from: 'controls r',
    id: 'r.control_id',
    type: 'uuid',
    content: `'identifier', r.identifier, 'name', r.name, 'description', r.description, 'links', r.links,
      'tags', r.tags, 'version', r.version, ${CREATED}, ${ARCHIVED}, 'versions', ${list(
        `jsonb_build_object('version', v.version, 'kind', v.kind, 'name', v.name, 'description', v.description,
          'links', v.links, 'changed_by', v.changed_by, 'changed_at', ${seconds('v.changed_at')})`,
        'control_versions v where v.org_id = r.org_id and v.control_id = r.control_id',
        'v.version',
      )}`,
  },
  environment: {
    from: 'environments r',
    id: 'r.environment_id',
    type: 'uuid',
    content: `'name', ${NAME}, 'type', r.type, 'description', r.description, 'include_scaling', r.include_scaling,
      'require_provenance', r.require_provenance, 'tags', r.tags,
      'expected_report_interval', r.expected_report_interval, ${CREATED}, ${ARCHIVED},
      'members', case when r.archived_at is null then ${list(
        'm.member_id',
        'environment_members m where m.org_id = r.org_id and m.environment_id = r.environment_id',
        'm.member_id',
      )} end, 'policies', case when r.archived_at is null then ${list(
        'p.policy_id',
        'environment_policies p where p.org_id = r.org_id and p.environment_id = r.environment_id',
        'p.policy_id',
      )} end`,
  },
  policy: {
    from: 'policies r',
    id: 'r.policy_id',
    type: 'uuid',
    content: `'name', r.name, 'description', r.description, 'latest_version', r.latest_version, ${CREATED}, ${ARCHIVED},
      'versions', ${list(
        `jsonb_build_object('version', v.version, 'comment', v.comment, 'sha256', ${sha256('v.policy_yaml')},
          'created_by', v.created_by, 'created_at', ${seconds('v.created_at')})`,
        'policy_versions v where v.org_id = r.org_id and v.policy_id = r.policy_id',
        'v.version',
      )}`,
  },
  allow_list_entry: {
    from: 'allow_list r',
    id: 'r.entry_id',
    type: 'uuid',
    content: `'environment', r.environment_id, 'fingerprint', r.fingerprint, 'artifact_name', r.artifact_name,
      'description', r.description, ${CREATED}, 'expires_at', ${seconds('r.expires_at')},
      'ended_at', ${seconds('r.ended_at')}, 'ended_by', r.ended_by`,
  },
  notification: {
    from: 'notifications r',
    id: 'r.notification_id',
    type: 'uuid',
    content: `'number', r.number, 'type', r.type, 'name', r.name, 'triggers', r.triggers, ${CREATED},
      'is_deleted', r.deleted_at is not null, 'targets', ${listTargets('notification_id')}`,
  },
  notification_config: {
    from: 'notification_configs r',
    id: 'r.notification_type',
    type: 'text',
    content: `'targets', ${listTargets('notification_type')}`,
  },
} satisfies Record<string, StoredRow>

export type StoredRowName = keyof typeof STORED_ROWS

/** The content of a row that was removed. */
const NO_CONTENT = 'null'

const ROW = { id: text, content: text }

const READS = Object.fromEntries(
  Object.entries(STORED_ROWS).map(([name, row]: [string, StoredRow]) => [
    name,
    defineStatement(
      `log.read_${name}`,
      { org_id: uuid, ids: row.type === 'uuid' ? uuids : texts },
      ROW,
      row.lookUp
        ? selectContent({ ...row, from: row.lookUp })
        : `${selectContent(row)} and ${row.id} = any (:ids::${row.type}[])`,
      PLANNED_ONCE,
    ),
  ]),
)

type ReadRow = RowOf<(typeof READS)[string]>

function selectContent({ from, id, content, where }: StoredRow): string {
  return `select ${id}${id.includes('||') ? '' : '::text'} as id, jsonb_build_object(${content})::text as content
   from ${from} where r.org_id = :org_id${where ? ` and ${where}` : ''}`
}

/** All rows of an organization that leaves name, under the names that event parts use for them. */
export const SELECT_ALL_CONTENTS = Object.entries(STORED_ROWS)
  .map(([name, row]: [string, StoredRow]) => {
    return `select '${name} ' || c.id as stored, c.content from (${selectContent(row)}) c`
  })
  .join('\nunion all\n')

export interface StoredRowId {
  name: StoredRowName
  id: string
}

/** Reads the content of rows with one wait. Returns it in the order of the ids. */
export async function readContents(
  db: Db,
  org_id: string,
  wanted: readonly StoredRowId[],
): Promise<string[]> {
  const names = [...new Set(wanted.map(({ name }) => name))]
  const results = await db.runSteps(names.map(name => buildReadStep(org_id, name, wanted)))
  const found = new Map(
    names.flatMap((name, i) =>
      (results[i] as ReadRow[]).map(({ id, content }) => [`${name} ${id}`, content] as const),
    ),
  )
  return wanted.map(({ name, id }) => found.get(`${name} ${id}`) ?? NO_CONTENT)
}

function buildReadStep(org_id: string, name: StoredRowName, wanted: readonly StoredRowId[]): Step {
  const statement = READS[name]
  assert(statement, 'every row has a statement')
  const ids = wanted.filter(row => row.name === name).map(({ id }) => id)
  return makeStep(statement, { org_id, ids: [...new Set(ids)] })
}
