// Defines what the leaf of each kind of event covers beyond the event itself, and by which subjects it is found. Both
// the code that writes events and the code that checks the logs use this table.
import type { SubjectType } from '../domain/log/commit.ts'
import type { EventKind } from './kinds.ts'
import type { StoredRowName } from './stored-rows-store.ts'

export interface Coverage {
  /** Rows that the event changes: the leaf has a hash of each as it is after the event. */
  rows: readonly StoredRowName[]
  /** Other content that the writer of the event provides: the request's content, or the state of an environment. */
  contents: readonly ContentName[]
  /** The subjects that the event may name. Its leaf has tags only for those that it does name. */
  about: readonly SubjectType[]
  /** Fields of `data` with mail addresses: the body has hashes instead. */
  hidden: readonly string[]
}

export type ContentName = 'report' | 'policy_yaml' | 'state'

const NOTHING: Coverage = { rows: [], contents: [], about: [], hidden: [] }
/** For events whose data is complete. */
const DATA: Coverage = NOTHING
const PERSON: Coverage = { ...NOTHING, about: ['person'] }
const ORG: Coverage = { ...NOTHING, rows: ['org'] }
const MEMBER: Coverage = { ...PERSON, rows: ['member'] }
const USER: Coverage = { ...PERSON, hidden: ['email', 'previous'] }
const INVITATION: Coverage = { ...NOTHING, rows: ['invitation'], hidden: ['email'] }
const DECISION: Coverage = {
  ...NOTHING,
  rows: ['decision', 'decision_basis'],
  about: ['artifact', 'environment', 'trail', 'flow'],
}
const MAIL_DOMAIN: Coverage = { ...NOTHING, rows: ['mail_domain'] }
const SCIM_TOKEN: Coverage = { ...NOTHING, rows: ['scim_token', 'scim_token_owner'] }
const BADGE: Coverage = { ...NOTHING, rows: ['badge'], about: ['environment', 'flow'] }
const PROVISIONED_USER: Coverage = { ...NOTHING, rows: ['provisioned_user'], hidden: ['user_name'] }
const PROVISIONED_GROUP: Coverage = { ...NOTHING, rows: ['provisioned_group'] }
const ACCOUNT: Coverage = { ...NOTHING, rows: ['service_account'], about: ['account'] }
const KEY: Coverage = { ...NOTHING, rows: ['key'], about: ['account', 'person'] }
const TRUST_RULE: Coverage = { ...NOTHING, rows: ['trust_rule', 'trust_rule_issuer'] }
const FLOW: Coverage = { ...NOTHING, rows: ['flow'], about: ['flow'] }
const TRAIL: Coverage = { ...NOTHING, rows: ['trail'], about: ['trail', 'flow'] }
const CUSTOM_TYPE: Coverage = { ...NOTHING, rows: ['custom_type'] }
const ATTESTATION: Coverage = {
  ...NOTHING,
  contents: ['report'],
  about: ['trail', 'flow', 'artifact', 'control', 'evidence'],
}
const RUNNING: Coverage = { ...NOTHING, about: ['trail', 'flow', 'artifact', 'environment'] }
const ENVIRONMENT: Coverage = { ...NOTHING, rows: ['environment'], about: ['environment'] }
const WATCH: Coverage = { ...NOTHING, about: ['environment'] }
const POLICY: Coverage = { ...NOTHING, rows: ['policy'], about: ['policy'] }
const POLICY_VERSION: Coverage = { ...POLICY, contents: ['policy_yaml'] }
const ATTACHMENT: Coverage = { ...ENVIRONMENT, about: ['environment', 'policy'] }
const ALLOW_LIST: Coverage = { ...NOTHING, rows: ['allow_list_entry'], about: ['environment', 'artifact'] }
const NOTIFICATION: Coverage = { ...NOTHING, rows: ['notification'] }
const NOTIFICATION_CONFIG: Coverage = { ...NOTHING, rows: ['notification_config'] }
const CONTROL: Coverage = { ...NOTHING, rows: ['control'], about: ['control'] }

export const COVERAGE: Readonly<Record<EventKind, Coverage>> = {
  log_opened: DATA,
  log_reopened: DATA,
  log_key_added: DATA,
  log_key_retired: DATA,
  history_complete: DATA,
  // Covers the rows that the erased event named, whichever they are.
  body_erased: { ...NOTHING, about: ['flow', 'trail', 'environment', 'policy'] },
  log_fork_reported: DATA,
  org_created: ORG,
  org_changed: ORG,
  org_exported: DATA,
  audit_package_issued: DATA,
  org_delete_requested: ORG,
  org_restored: ORG,
  org_frozen: DATA,
  org_thawed: DATA,
  user_created: USER,
  user_changed: USER,
  email_change_requested: USER,
  signed_in: PERSON,
  signed_out: PERSON,
  sign_in_failed: USER,
  break_glass_sign_in: PERSON,
  member_added: MEMBER,
  member_role_changed: MEMBER,
  member_removed: MEMBER,
  invitation_sent: INVITATION,
  invitation_resent: INVITATION,
  invitation_withdrawn: INVITATION,
  invitation_accepted: INVITATION,
  decision_asked: DECISION,
  decision_confirmed: DECISION,
  decision_withdrawn: DECISION,
  decision_lapsed: DECISION,
  mail_domain_claimed: MAIL_DOMAIN,
  mail_domain_checked: MAIL_DOMAIN,
  mail_domain_proved: MAIL_DOMAIN,
  mail_domain_lost: MAIL_DOMAIN,
  mail_domain_released: MAIL_DOMAIN,
  badge_created: BADGE,
  badge_revoked: BADGE,
  scim_token_created: SCIM_TOKEN,
  scim_token_revoked: SCIM_TOKEN,
  scim_token_stopped: SCIM_TOKEN,
  scim_token_adopted: SCIM_TOKEN,
  user_provisioned: PROVISIONED_USER,
  user_deprovisioned: PROVISIONED_USER,
  provisioned_user_changed: PROVISIONED_USER,
  provisioned_group_created: PROVISIONED_GROUP,
  provisioned_group_changed: PROVISIONED_GROUP,
  provisioned_group_deleted: PROVISIONED_GROUP,
  service_account_created: ACCOUNT,
  service_account_changed: ACCOUNT,
  service_account_deleted: ACCOUNT,
  service_account_owner_left: { ...ACCOUNT, rows: ['service_account', 'former_owner'] },
  api_key_imported: KEY,
  api_key_created: KEY,
  api_key_revoked: KEY,
  api_key_rotated: KEY,
  trust_rule_created: TRUST_RULE,
  trust_rule_changed: TRUST_RULE,
  trust_rule_deleted: TRUST_RULE,
  ci_key_issued: DATA,
  flow_created: FLOW,
  flow_updated: FLOW,
  flow_archived: FLOW,
  flow_unarchived: FLOW,
  flow_renamed: FLOW,
  flow_tagged: FLOW,
  repo_tagged: { ...NOTHING, rows: ['repo_tags'] },
  trail_reported: TRAIL,
  trail_updated: TRAIL,
  custom_type_created: CUSTOM_TYPE,
  custom_type_updated: CUSTOM_TYPE,
  custom_type_archived: CUSTOM_TYPE,
  custom_type_unarchived: CUSTOM_TYPE,
  artifact_creation_reported: { ...NOTHING, contents: ['report'], about: ['trail', 'flow', 'artifact'] },
  trail_attestation_reported: ATTESTATION,
  trail_attestation_for_artifact_reported: ATTESTATION,
  artifact_attestation_reported: ATTESTATION,
  artifact_started_running: RUNNING,
  artifact_stopped_running: RUNNING,
  environment_created: ENVIRONMENT,
  environment_updated: ENVIRONMENT,
  environment_archived: ENVIRONMENT,
  environment_unarchived: ENVIRONMENT,
  environment_renamed: ENVIRONMENT,
  environment_tagged: ENVIRONMENT,
  environment_members_changed: ENVIRONMENT,
  environment_stale: WATCH,
  environment_reporting_again: WATCH,
  environment_confirmed: WATCH,
  environment_late_report: { ...WATCH, contents: ['report'] },
  snapshot_taken: { ...WATCH, contents: ['state'] },
  policy_created: POLICY_VERSION,
  policy_updated: POLICY_VERSION,
  policy_archived: POLICY,
  policy_unarchived: POLICY,
  policy_attached: ATTACHMENT,
  policy_detached: ATTACHMENT,
  artifact_allow_listed: ALLOW_LIST,
  allow_list_entry_removed: ALLOW_LIST,
  allow_list_entry_expired: ALLOW_LIST,
  environment_notification_created: NOTIFICATION,
  environment_notification_updated: NOTIFICATION,
  environment_notification_deleted: NOTIFICATION,
  flow_notification_created: NOTIFICATION,
  flow_notification_updated: NOTIFICATION,
  flow_notification_deleted: NOTIFICATION,
  notification_config_set: NOTIFICATION_CONFIG,
  notification_config_deleted: NOTIFICATION_CONFIG,
  notification_target_switched_off: DATA,
  notification_test_sent: DATA,
  notification_deliveries_replayed: DATA,
  control_created: CONTROL,
  control_updated: CONTROL,
  control_archived: CONTROL,
  control_unarchived: CONTROL,
  control_tagged: CONTROL,
  control_catalogue_imported: DATA,
  control_decision_expired: { ...NOTHING, about: ['trail', 'flow', 'artifact', 'control'] },
  approval_created: { ...NOTHING, rows: ['approval'], about: ['flow', 'trail', 'artifact'] },
}
