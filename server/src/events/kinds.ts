// Every kind of event the service records. An event is written in the transaction of the change it tells of.

export const EVENT_KINDS = [
  'org_created',
  'org_changed',
  'user_created',
  'user_changed',
  'member_added',
  'member_role_changed',
  'service_account_created',
  'service_account_changed',
  'api_key_imported',
  'api_key_created',
  'flow_created',
  'flow_updated',
  'flow_archived',
  'flow_renamed',
  'flow_tagged',
  'repo_tagged',
  'trail_reported',
  'trail_updated',
  'custom_type_created',
  'custom_type_updated',
  'custom_type_archived',
  'artifact_creation_reported',
  'trail_attestation_reported',
  'trail_attestation_for_artifact_reported',
  'artifact_attestation_reported',
] as const

export type EventKind = (typeof EVENT_KINDS)[number]
