// The queries that each kind of event affects, by the first words of their keys. Names in a key narrow it down.
import type { paths } from '@waybill/client'
import { readSubject, type Subject } from './subjects.ts'

export type EventKind = NonNullable<
  NonNullable<paths['/audit-events/{org}']['get']['parameters']['query']>['kind']
>[number]

export interface Change extends Subject {
  org: string
  /** An event kind, or one of the two changes that no log records. */
  kind: string
}

/** Every event appears in these queries. */
const ALWAYS = ['audit-events', 'log status', 'deliveries', 'usage', 'organization states']
const RULES = ['overview changes', 'audit-event', 'audit-event-values']
const NAMED = ['search', 'suggestions']
const ENVIRONMENT_LISTS = [
  ...['environments', 'environment page', 'notification subjects', 'running matrix', 'coverage trends'],
  ...NAMED,
]
const ENVIRONMENT = [...ENVIRONMENT_LISTS, ...RULES, 'environment', 'controls', 'policies', 'allow-list']
const SNAPSHOT = [
  ...['environments', 'environment page', 'environment', 'snapshots', 'snapshot page', 'snapshot artifacts'],
  ...['timeline', 'environment timelines', 'events', 'env-diff', 'deployments', 'overview deployments'],
  ...['deployment frequency', 'running', 'repo', 'artifact', 'controls', 'allow-list', 'notifications'],
  ...['notification page', 'running matrix', 'environment trends', 'deployment trends', 'coverage trends'],
]
const FLOW = [...RULES, 'flows', 'flow', 'trails', 'trail', 'notification subjects', 'search', 'suggestions']
const TRAIL = ['flows', 'flow', 'trails', 'trail', 'repos', 'repo', 'builds', 'search', 'suggestions']
const EVIDENCE = [
  ...[...TRAIL, 'artifact', 'attestations', 'attestation', 'reports of name', 'build frequency', 'controls'],
  ...['attention', 'running', 'running matrix', 'coverage trends', 'log place'],
]
const POLICY = [
  ...[...RULES, ...NAMED, 'controls'],
  ...['policies', 'policy page', 'environments', 'environment', 'environment page'],
]
const CONFIRMED = ['attention', 'waiting-decisions', 'allow-list', 'controls']
const ALLOWED = [...RULES, ...CONFIRMED, 'environment', 'snapshot artifacts']
const DECISION = [...CONFIRMED, 'trail', 'attestations', 'artifact']
const TYPE = ['attestation types', 'attestation type', 'search', 'suggestions']
const CONTROL = [...RULES, 'controls', 'search', 'suggestions']
const NOTIFICATION = ['attention', 'notifications', 'notification page', 'notification-config']
const PEOPLE = [...RULES, 'members', 'membership-audit-log', 'invitations', 'service-accounts']
const OWN_ROLE = [...PEOPLE, 'session', 'scim-tokens', 'api-keys']
const ORG = [...RULES, 'organization', 'session', 'mail-domains']
const KEYS = ['service-accounts', 'api-keys', 'attention', 'scim-tokens']
const LOG = ['log place']

export const AFFECTED: Readonly<
  Record<EventKind | 'environment_reported' | 'delivery_finished', readonly string[]>
> = {
  log_opened: LOG,
  log_reopened: LOG,
  log_key_added: LOG,
  log_key_retired: LOG,
  body_erased: [...LOG, ...EVIDENCE, ...SNAPSHOT, ...POLICY],
  history_complete: LOG,
  log_fork_reported: LOG,
  org_created: ORG,
  org_changed: [...ORG, ...PEOPLE, 'controls'],
  org_exported: [],
  audit_package_issued: [],
  org_delete_requested: ORG,
  org_restored: ORG,
  org_frozen: ORG,
  org_thawed: ORG,
  user_created: PEOPLE,
  user_changed: [...OWN_ROLE, 'profile'],
  email_change_requested: ['profile'],
  signed_in: ['members', 'user-sessions'],
  signed_out: ['members', 'user-sessions'],
  sign_in_failed: [],
  break_glass_sign_in: ['members', 'user-sessions'],
  member_added: OWN_ROLE,
  member_role_changed: OWN_ROLE,
  member_removed: OWN_ROLE,
  invitation_sent: PEOPLE,
  invitation_resent: PEOPLE,
  invitation_withdrawn: PEOPLE,
  invitation_accepted: PEOPLE,
  decision_asked: DECISION,
  decision_confirmed: DECISION,
  decision_withdrawn: DECISION,
  decision_lapsed: DECISION,
  mail_domain_claimed: ['mail-domains'],
  mail_domain_checked: ['mail-domains'],
  mail_domain_proved: ['mail-domains'],
  mail_domain_lost: ['mail-domains'],
  mail_domain_released: ['mail-domains'],
  scim_token_created: ['scim-tokens'],
  scim_token_revoked: ['scim-tokens'],
  scim_token_stopped: ['scim-tokens'],
  scim_token_adopted: ['scim-tokens'],
  user_provisioned: OWN_ROLE,
  user_deprovisioned: OWN_ROLE,
  provisioned_user_changed: OWN_ROLE,
  provisioned_group_created: OWN_ROLE,
  provisioned_group_changed: OWN_ROLE,
  provisioned_group_deleted: OWN_ROLE,
  service_account_created: KEYS,
  service_account_changed: KEYS,
  service_account_deleted: KEYS,
  service_account_owner_left: KEYS,
  api_key_imported: KEYS,
  badge_created: ['badges'],
  badge_revoked: ['badges'],
  api_key_created: KEYS,
  api_key_revoked: KEYS,
  api_key_rotated: KEYS,
  trust_rule_created: ['trust-rules'],
  trust_rule_changed: ['trust-rules'],
  trust_rule_deleted: ['trust-rules'],
  ci_key_issued: ['trust-rules'],
  flow_created: FLOW,
  flow_updated: [...FLOW, ...EVIDENCE],
  flow_archived: [...FLOW, ...EVIDENCE],
  flow_unarchived: [...FLOW, ...EVIDENCE],
  flow_renamed: [...FLOW, ...EVIDENCE],
  flow_tagged: FLOW,
  repo_tagged: ['repos', 'repo', 'search'],
  trail_reported: TRAIL,
  trail_updated: TRAIL,
  custom_type_created: TYPE,
  custom_type_updated: TYPE,
  custom_type_archived: TYPE,
  custom_type_unarchived: TYPE,
  artifact_creation_reported: EVIDENCE,
  trail_attestation_reported: EVIDENCE,
  trail_attestation_for_artifact_reported: EVIDENCE,
  artifact_attestation_reported: EVIDENCE,
  artifact_started_running: [...SNAPSHOT, 'trail', 'trails'],
  artifact_stopped_running: [...SNAPSHOT, 'trail', 'trails'],
  environment_created: ENVIRONMENT,
  environment_updated: [...ENVIRONMENT, ...SNAPSHOT],
  environment_archived: [...ENVIRONMENT, ...SNAPSHOT, 'attention'],
  environment_unarchived: [...ENVIRONMENT, ...SNAPSHOT, 'attention'],
  environment_renamed: [...ENVIRONMENT, ...SNAPSHOT],
  environment_tagged: ENVIRONMENT,
  environment_members_changed: [...ENVIRONMENT, ...SNAPSHOT],
  environment_stale: SNAPSHOT,
  environment_reporting_again: SNAPSHOT,
  environment_confirmed: SNAPSHOT,
  environment_late_report: SNAPSHOT,
  snapshot_taken: [...SNAPSHOT, 'attention'],
  policy_created: POLICY,
  policy_updated: POLICY,
  policy_archived: POLICY,
  policy_unarchived: POLICY,
  policy_attached: [...POLICY, ...SNAPSHOT],
  policy_detached: [...POLICY, ...SNAPSHOT],
  artifact_allow_listed: ALLOWED,
  allow_list_entry_removed: ALLOWED,
  allow_list_entry_expired: ALLOWED,
  environment_notification_created: NOTIFICATION,
  environment_notification_updated: NOTIFICATION,
  environment_notification_deleted: NOTIFICATION,
  flow_notification_created: NOTIFICATION,
  flow_notification_updated: NOTIFICATION,
  flow_notification_deleted: NOTIFICATION,
  notification_config_set: NOTIFICATION,
  notification_config_deleted: NOTIFICATION,
  notification_target_switched_off: NOTIFICATION,
  notification_test_sent: NOTIFICATION,
  notification_deliveries_replayed: NOTIFICATION,
  control_created: CONTROL,
  control_updated: CONTROL,
  control_archived: CONTROL,
  control_unarchived: CONTROL,
  control_tagged: CONTROL,
  control_catalogue_imported: CONTROL,
  control_decision_expired: EVIDENCE,
  approval_created: ['trail', 'artifact'],
  environment_reported: ['environments', 'environment page', 'environment'],
  delivery_finished: ['deliveries', ...NOTIFICATION],
}

/** These changes affect which resource a name refers to, so the names in keys do not help. */
const RENAMING = new Set(['environment_renamed', 'flow_renamed', 'environment_members_changed'])

/** Whether the change may affect the result of a query. An unknown kind affects everything. */
export function isAffected(key: readonly unknown[], change: Change): boolean {
  const [root] = key
  const roots = (AFFECTED as Readonly<Record<string, readonly string[]>>)[change.kind]
  const subject = readSubject(key)
  if (subject.org !== undefined && subject.org !== change.org) return false
  if (!roots) return true
  if (!ALWAYS.includes(String(root)) && !roots.includes(String(root))) return false
  return RENAMING.has(change.kind) || isSame(subject, change)
}

/** Whether no name differs between the two. */
function isSame(subject: Subject, change: Subject): boolean {
  return (['environment', 'flow', 'trail', 'artifact'] as const).every(
    name => subject[name] == null || change[name] == null || subject[name] === change[name],
  )
}
