// Describes each kind of event in a sentence. Lists, files and pages use this table; `domain/event-sentence.ts`
// explains how the placeholders are filled.
import { toWrittenType } from '../domain/attestation/types.ts'
import { type DescribedEvent, type SentencePart, writeSentence } from '../domain/event-sentence.ts'
import { DECISION_TYPE } from '../domain/policy/policy.ts'
import type { EventKind } from './kinds.ts'

/** A template, or a function that chooses one by the event's details. */
type Sentence = string | ((data: Readonly<Record<string, unknown>>) => string)

const REPORTED = '{actor} reported {attestation} ({verdict})'

/** Events have the stored form, `system:decision`. */
export const isDecision = (type: unknown) => typeof type === 'string' && toWrittenType(type) === DECISION_TYPE

/** Decisions are attestations, and `control` names what was decided on. */
const attest =
  (about: string): Sentence =>
  ({ attestation_type, is_compliant }) => {
    if (!isDecision(attestation_type))
      return `${REPORTED}${about}[ in trail {trail}][ of flow {flow}][, as {asked_by} asked]`
    const verb = is_compliant === true ? 'approved' : 'rejected'
    return `{actor} ${verb}[ control {control}]${about}[ in trail {trail}][ of flow {flow}]`
  }

export const SENTENCES: Readonly<Record<EventKind, Sentence>> = {
  log_opened: '{actor} opened the log {origin}',
  log_reopened: '{actor} opened a new log[: {reason}]',
  log_key_added: '{actor} added key {number} of the log',
  log_key_retired: '{actor} retired key {number} of the log',
  body_erased: '{actor} erased the content of leaf {index} of the log ({kind}): {reason}',
  history_complete: '{actor} added {count} earlier events to the log',
  log_fork_reported: 'Witness {witness} saw another history of the log: {message}',
  org_created: '{actor} created organization {org}',
  org_changed: '{actor} changed the settings of organization {org}',
  org_exported: '{actor} exported organization {org}',
  audit_package_issued: ({ format }) =>
    format === 'package'
      ? '{actor} downloaded the audit package of {scope}[ {subject}]'
      : '{actor} downloaded {scope}[ {subject}] as {format}',
  org_delete_requested: '{actor} requested the deletion of organization {org}',
  org_restored: '{actor} restored organization {org}',
  org_frozen: '{actor} froze organization {org}[: {reason}]',
  org_thawed: '{actor} thawed organization {org}',
  user_created: '{actor} created user {user}',
  user_changed: ({ deactivated }) =>
    deactivated === undefined
      ? '{actor} changed user {user}'
      : `{actor} ${deactivated === true ? 'deactivated' : 'reactivated'} user {user}`,
  email_change_requested: '{user} asked to change their mail address',
  signed_in: '{user} signed in[ by {method}][ from {address}]',
  signed_out: '{user} signed out and ended {sessions} sessions',
  sign_in_failed: '{user} could not sign in[ by {method}][: {reason}][ (from {address})]',
  break_glass_sign_in: '{user} signed in without single sign-on[ by {method}][ from {address}]',
  member_added: '{actor} added {user} as {role}[ (by {source})]',
  member_role_changed: '{actor} changed the role of {user} from {previous_role} to {role}[ (by {source})]',
  member_removed: '{actor} removed {user}[, who was {previous_role}][ (by {source})]',
  invitation_sent: '{actor} invited {email} as {role}',
  invitation_resent: '{actor} sent {email} a new invitation[ as {role}]',
  invitation_withdrawn: '{actor} withdrew the invitation of {email}',
  invitation_accepted: '{actor} accepted the invitation of {email}[ as {role}]',
  decision_asked: '{actor} asked a second person to confirm a decision ({decision})[: {reason}]',
  decision_confirmed: '{actor} confirmed a decision ({decision})[ of {asked_by}][: {confirmed_reason}]',
  decision_withdrawn: '{actor} withdrew a decision ({decision})[ of {asked_by}]',
  decision_lapsed: 'A decision ({decision})[ of {asked_by}] lapsed[: {lapse_reason}]',
  mail_domain_claimed: '{actor} claimed the mail domain {domain}',
  mail_domain_checked: '{actor} checked the mail domain {domain}[: {problem}]',
  mail_domain_proved: '{actor} proved the mail domain {domain}',
  mail_domain_lost: '{actor} lost the mail domain {domain}[: {problem}]',
  mail_domain_released: '{actor} released the mail domain {domain}',
  badge_created: '{actor} created a badge[ of flow {flow}][ of environment {environment}]',
  badge_revoked: '{actor} revoked a badge[ of flow {flow}][ of environment {environment}]',
  scim_token_created: '{actor} created the SCIM token {hint}',
  scim_token_revoked: '{actor} revoked the SCIM token {hint}',
  scim_token_stopped: 'The SCIM token {hint} stopped working, because {owner} is no longer an admin',
  scim_token_adopted: '{actor} adopted the SCIM token {hint}',
  user_provisioned: '{actor} provisioned user {user_name}',
  user_deprovisioned: '{actor} deprovisioned user {user_name}',
  provisioned_user_changed: '{actor} changed the provisioned user {user_name}[: {changed}]',
  provisioned_group_created: '{actor} created the group {group}[ with role {role}]',
  provisioned_group_changed: '{actor} changed the group {group}[ with role {role}]',
  provisioned_group_deleted: '{actor} deleted the group {group}',
  service_account_created: '{actor} created the service account {service_account}[ as {privilege}]',
  service_account_changed: '{actor} changed the service account {service_account}',
  service_account_deleted: '{actor} deleted the service account {service_account}',
  service_account_owner_left: '{owner}, who owned the service account {service_account}, left',
  api_key_imported: '{actor} imported the API key {hint} of {owner}',
  api_key_created: '{actor} created the API key {hint} of {owner}',
  api_key_revoked: '{actor} revoked the API key {hint} of {owner}',
  api_key_rotated: '{actor} rotated the API key {hint} of {owner}',
  trust_rule_created: '{actor} created the trust rule {rule_name}',
  trust_rule_changed: '{actor} changed the trust rule {rule_name}',
  trust_rule_deleted: '{actor} deleted the trust rule {rule_name}',
  ci_key_issued: 'The trust rule {rule_name} issued a key to {subject}',
  flow_created: '{actor} created flow {flow}',
  flow_updated: '{actor} changed flow {flow}',
  flow_archived: '{actor} archived flow {flow}',
  flow_unarchived: '{actor} unarchived flow {flow}',
  flow_renamed: '{actor} renamed flow {old_name} to {new_name}',
  flow_tagged: '{actor} tagged flow {flow}',
  repo_tagged: '{actor} tagged repository {repo_name}',
  trail_reported: '{actor} began trail {trail} of flow {flow}',
  trail_updated: '{actor} changed trail {trail} of flow {flow}',
  custom_type_created: '{actor} created the attestation type {type_name}',
  custom_type_updated: '{actor} changed the attestation type {type_name}[ to version {version}]',
  custom_type_archived: '{actor} archived the attestation type {type_name}',
  custom_type_unarchived: '{actor} unarchived the attestation type {type_name}',
  artifact_creation_reported: '{actor} reported artifact {artifact}[ in trail {trail}][ of flow {flow}]',
  trail_attestation_reported: attest(''),
  trail_attestation_for_artifact_reported: attest(' for artifact {artifact}'),
  artifact_attestation_reported: attest(' for artifact {artifact}'),
  artifact_started_running: 'Artifact {artifact} started running in environment {environment}[ ({snapshot})]',
  artifact_stopped_running: 'Artifact {artifact} stopped running in environment {environment}[ ({snapshot})]',
  environment_created: '{actor} created environment {environment}[ of type {type}]',
  environment_updated: '{actor} changed environment {environment}',
  environment_archived: '{actor} archived environment {environment}',
  environment_unarchived: '{actor} unarchived environment {environment}',
  environment_renamed: '{actor} renamed environment {old_name} to {new_name}',
  environment_tagged: '{actor} tagged environment {environment}',
  environment_members_changed:
    '{actor} changed what environment {environment} includes[; added {added}][; removed {removed}]',
  environment_stale: 'Environment {environment} became stale: its reports stay away',
  environment_reporting_again: 'Environment {environment} is being reported again',
  environment_confirmed: '{actor} reported environment {environment} {reports} times without changes',
  environment_late_report: '{actor} sent a late report of environment {environment}',
  snapshot_taken: ({ cause }) =>
    cause === 'expired-decision'
      ? 'The expiry of {expired} caused {snapshot} of environment {environment} ({verdict})'
      : '{actor} caused {snapshot} of environment {environment} ({verdict})',
  policy_created: '{actor} created policy {policy}',
  policy_updated: '{actor} changed policy {policy}[ to version {version}]',
  policy_archived: '{actor} archived policy {policy}',
  policy_unarchived: '{actor} unarchived policy {policy}',
  policy_attached: '{actor} attached policy {policy} to environment {environment}',
  policy_detached: '{actor} detached policy {policy} from environment {environment}',
  artifact_allow_listed:
    '{actor} allowed artifact {artifact} in environment {environment}[, as {asked_by} asked][: {description}]',
  allow_list_entry_removed: '{actor} no longer allows artifact {artifact} in environment {environment}',
  allow_list_entry_expired: 'The permission of artifact {artifact} in environment {environment} expired',
  environment_notification_created: '{actor} created notification {name}[ about {environments}]',
  environment_notification_updated: '{actor} changed notification {name}[ about {environments}]',
  environment_notification_deleted: '{actor} deleted notification {name}',
  flow_notification_created: '{actor} created notification {name}[ about {flows}]',
  flow_notification_updated: '{actor} changed notification {name}[ about {flows}]',
  flow_notification_deleted: '{actor} deleted notification {name}',
  notification_config_set: '{actor} set the notifications of {notification_type}',
  notification_config_deleted: '{actor} deleted the notifications of {notification_type}',
  notification_target_switched_off: '{actor} switched off a target of notifications[: {error}]',
  notification_test_sent: '{actor} sent a test message[ of notification {name}]',
  notification_deliveries_replayed: '{actor} sent {deliveries} messages again',
  control_created: '{actor} created control {control}',
  control_updated: '{actor} changed control {control}[ to version {version}]',
  control_archived: '{actor} archived control {control}',
  control_unarchived: '{actor} unarchived control {control}',
  control_tagged: '{actor} tagged control {control}',
  control_catalogue_imported: '{actor} imported a catalogue of controls',
  control_decision_expired:
    'Decision {attestation} on control {control}[ for artifact {artifact}][ in trail {trail}][ of flow {flow}] expired',
  approval_created:
    '{actor} requested approval {approval_number} of artifact {artifact}[ in flow {flow}][ ({state})]',
}

/** After a downgrade, a kind of event from a later version is shown by its name. */
export function describeEvent(event: DescribedEvent & { kind: string }): SentencePart[] {
  const known: Readonly<Record<string, Sentence>> = SENTENCES
  const sentence = Object.hasOwn(SENTENCES, event.kind) ? known[event.kind] : undefined
  const template = typeof sentence === 'function' ? sentence(event.data) : sentence
  return writeSentence(
    template ?? `{actor}: ${event.kind.replaceAll(/\W/g, ' ').replaceAll('_', ' ')}`,
    event,
  )
}
