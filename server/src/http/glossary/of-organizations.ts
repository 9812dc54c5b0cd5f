// Words that mean something of their own in what people manage: organizations, members, keys, notifications; and in
// paths and queries.
import type { SchemaWords, Words } from './word.ts'

const TARGET: Words = {
  type: ['What kind of target it is, in the word that was last sent', 'EMAIL'],
  neutral_type: ['What kind of target it is, in the word that this document uses', 'EMAIL'],
  last_error: ['What went wrong last; null when nothing did', null],
  payload_version: ['Version of the format that is sent', '1.0'],
  webhook: [
    'Where messages are sent; shown whole only to those who may change it',
    'https://hooks.example.com/1',
  ],
  webhook_origin: ['Scheme, host and port of the address', 'https://hooks.example.com'],
}
const DELIVERY: Words = {
  event_type: ['What the message tells', 'NON_COMPLIANT_ENV'],
  notification: ['The environment notification that asked for it; null for any other message'],
  notification_type: ['The kind of account notification that asked for it; null for any other', null],
  target: ['Where it is sent'],
  status: ['How far it got', 'delivered'],
  error: ['Why it failed last; null when it did not', null],
  description: ['The message in a sentence', 'Environment production is not compliant'],
  attempts: ['How often it was tried', 1],
}
const KEY: Words = {
  description: ['What the key is for', 'Nightly build'],
  id: ['Id of the key; it is no secret', '0196f1c2-7a3b-7c4d-8e5f-1a2b3c4d'],
  key: ['The secret itself; shown this once and kept only as a hash', 'wb_user_0123456789ab_secret'],
  hint: ['How the secret begins, to tell it apart', 'wb_user_0123'],
  last_used_from: ['The address that it was last used from; null when it never was', '192.0.2.7'],
  operations: [
    'What it may do, as far as the role of its owner allows; null for everything',
    ['read', 'attest'],
  ],
  flows: ['The only flows that it is good for; null for all', ['backend-ci']],
  environments: ['The only environments that it is good for; null for all', ['production']],
  allowed_addresses: ['Where it may be used from; none means anywhere', ['192.0.2.0/24']],
}
const TRUST_RULE: Words = {
  name: ['Name of the rule', 'release-pipeline'],
  description: ['What the rule is for', 'The release pipeline of the backend'],
  issuer: ['Who signs the tokens', 'https://token.actions.example.com'],
  audience: ['Whom the tokens must be made for', 'https://waybill.example.com'],
  claims: ['What the tokens must say, claim by claim', { repository: 'acme/backend' }],
  privilege: ['The role that the key gets', 'member'],
  operations: ['What the key may do, as far as its privilege allows', ['read', 'report', 'attest']],
  flow_name: ['The only flow that the key is good for; null for all', 'backend-ci'],
}
const MAIL_DOMAIN: Words = {
  domain: ['The mail domain', 'example.com'],
  state: ['Whether DNS proves that the domain belongs to the organization', 'proved'],
  record_type: ['The type of the DNS record', 'TXT'],
  record_name: ['The name of the DNS record', '_waybill-challenge.example.com'],
  record_value: ['What the DNS record must hold', 'waybill-domain=0196f1c27a3b7c4d8e5f1a2b3c4d'],
  problem: ['Why the latest check did not find the record; null when it did', null],
  checked_at: ['When DNS was last asked; null before the first check'],
  proved_at: ['Since when the domain is proved; null when it is not'],
}
const ORGANIZATION: Words = {
  name: ['Name of the organization, unique in the service', 'acme'],
  kind: ['Whether it belongs to one person or is shared', 'shared'],
  description: ['What the organization is', 'Everything that acme delivers'],
  settings: ['How the organization behaves; shown to its members'],
  experimental_features_enabled: ['Whether experimental features are switched on', false],
}
const DECISION: Words = {
  id: ['Id of the decision', '0196f1c2-7a3b-7c4d-8e5f-1a2b3c4d'],
  kind: ['Whether an attestation is overridden or an artifact allowed', 'override'],
  subject: [
    'What is decided',
    {
      flow_name: 'backend-ci',
      trail_name: 'release-7',
      attestation_name: 'scan',
      artifact_fingerprint: null,
      target_artifacts: [],
      original_attestation_type: 'snyk',
      new_compliance_status: true,
    },
  ],
  reason: ['Why, as the first person said', 'A false alarm'],
  asked_by: ['Who asked first', 'mia'],
  expires_at: ['When it has to be asked for again'],
}
const SETTINGS: Words = {
  break_glass: ['Names of admins who may come in without single sign-on', ['ada']],
  mail_domains: ['Domains of mail addresses', ['example.com']],
  max_key_lifetime_days: ['How long keys live at most; null for no maximum', 365],
  allowed_addresses: ['Where its members may call from; none means anywhere', ['192.0.2.0/24']],
  service_account_creators: ['The least role that may create service accounts', 'admin'],
  decision_role: ['The least role that may override, approve and allow', 'member'],
  decision_groups: [
    'Groups of the directory whose people may do so; none for everybody',
    ['release-managers'],
  ],
  separate_duties: ['Whether nobody may override what they made', false],
  two_person_decisions: ['What a second person has to confirm', ['override']],
  leaver_grace_days: ['How long keys work after the owner of their account has left', 7],
}
const ACCOUNT: Words = {
  name: ['Name of the service account', 'build-server'],
  description: ['What the account is for', 'Reports what is built'],
  owner: ['Who is responsible for it; null for the organization', 'mia'],
  keys_stop_at: ['When its keys stop because its owner has left; null when they do not', null],
}

const ATTESTATION_FILTERS: Words = {
  name_regex: ['Only attestations whose name matches', '^unit-'],
  type: ['Only attestations of this type', 'junit'],
  after: ['The `after` of the page before', '0196f1c2-7a3b-7c4d-8e5f-1a2b3c4d'],
}

const MANAGED: SchemaWords = {
  MailDomain: MAIL_DOMAIN,
  WaitingDecision: DECISION,
  Organization: ORGANIZATION,
  OwnOrganization: ORGANIZATION,
  OrganizationUsage: {
    requests_per_second: ['Requests of all keys of the organization together'],
    evidence_bytes: ['Bytes of attachments'],
    jq_seconds_per_hour: ['Processor time of jq programs and schemas'],
  },
  OrganizationPost: ORGANIZATION,
  OrganizationPatch: ORGANIZATION,
  OrganizationDeletion: ORGANIZATION,
  ExperimentalFeaturesPut: ORGANIZATION,
  OrganizationSettings: SETTINGS,
  OrganizationSettingsPatch: SETTINGS,
  OrganizationFeatures: { controls: ['Whether controls can be used', true] },
  DefaultOrg: { default_org_name: ['Name of the organization; null when none is set', 'acme'] },
  Member: { source: ['How the member came in; null when that is not known', 'invitation'] },
  MembershipEvent: {
    previous_role: ['The role before', 'reader'],
    source: ['Where the change came from', 'app'],
  },
  MembershipHistoryPage: { events: ['The changes of the page'] },
  Invitation: { state: ['Whether it can still be accepted', 'pending'] },
  InvitationPost: { email: ['Where the invitation is sent', 'ines@example.com'] },
  AuditEvent: {
    kind: ['What happened', 'flow_created'],
    data: ['What is known about it', { flow_name: 'backend-ci' }],
  },
  AuditEvents: { events: ['The events, newest first'] },
  Session: {
    session_id: ['Id of the session', '0196f1c2-7a3b-7c4d-8e5f-1a2b3c4d'],
    user_agent: ['The browser, as it names itself', 'Mozilla/5.0'],
    address: ['Where the person signed in from; null if it is not known', '203.0.113.7'],
  },
  EndedSessions: { ended: ['How many sessions were ended', 2] },
  Meta: {
    product: ['Name of the product', 'Waybill'],
    version: ['Version of the product', '0.1.0'],
    api_version: ['Version of the API', '2.0'],
    region: ['Where this installation runs; null when that is not set', null],
    limits: ['The limits that callers meet, by name', { json_body_bytes: 1_048_576 }],
    features: ['What this installation offers, by name', {}],
  },
  ApiKey: KEY,
  CreatedApiKey: KEY,
  RotatedApiKey: KEY,
  ScimToken: { ...KEY, description: ['What the token is for', 'The directory'] },
  CreatedScimToken: {
    description: ['What the token is for', 'The directory'],
    token: ['The token itself; shown this once and kept only as a hash', 'wb_scim_0123456789ab_secret'],
    address: ['What the directory asks for as the address', 'https://waybill.example.com/scim/v2/acme'],
    hint: ['How the secret begins, to tell it apart', 'wb_user_0123'],
  },
  ServiceAccount: {
    ...ACCOUNT,
    creating_user_id: ['Id of whoever created it', '0196f1c2-7a3b-7c4d-8e5f-1a2b3c4d'],
    for_webhook: ['Whether it was made for a webhook', false],
  },
  ServiceAccountPost: ACCOUNT,
  ServiceAccountPatch: ACCOUNT,
  TrustRule: TRUST_RULE,
  TrustRulePost: TRUST_RULE,
  TrustRulePut: TRUST_RULE,
  CiKey: {
    key: ['The key itself; shown this once and kept only as a hash', 'wb_ci_0123456789ab_secret'],
    privilege: ['The role that the key acts with', 'member'],
    flow_name: ['The only flow that the key is good for; null for all', 'backend-ci'],
  },
  TagPatch: {
    set_tags: ['Tags to add or to replace, by key', { team: 'payments' }],
    remove_tags: ['Keys of the tags to remove', ['owner']],
  },
  EnvironmentNotification: {
    name: ['Name of the notification', 'Production alarm'],
    number: ['Number of the notification, counted from 1 in the organization', 1],
    type: ['What it is about: environments', 'env'],
    triggers: ['What it tells about', ['ON_NON_COMPLIANT_ENV']],
    targets: ['Where it is sent'],
    is_created_from_chat_app: ['Whether it was set up from within a chat', false],
  },
  EnvironmentNotificationPut: {
    name: ['Name of the notification', 'Production alarm'],
    type: ['What it is about: environments', 'env'],
    triggers: ['What it tells about', ['ON_NON_COMPLIANT_ENV']],
    targets: ['Where it is sent'],
  },
  FlowNotification: {
    name: ['Name of the notification', 'Evidence for the backend'],
    number: ['Number of the notification, counted from 1 in the organization', 2],
    type: ['What it is about: flows', 'flow'],
    flows: ['Names of the flows', ['backend-ci']],
    triggers: ['What it tells about', ['ON_ATTESTATION']],
    targets: ['Where it is sent'],
    is_created_from_chat_app: ['Whether it was set up from within a chat', false],
  },
  FlowNotificationPut: {
    name: ['Name of the notification', 'Evidence for the backend'],
    type: ['What it is about: flows', 'flow'],
    flows: ['Names of the flows', ['backend-ci']],
    triggers: ['What it tells about', ['ON_ATTESTATION']],
    targets: ['Where it is sent'],
  },
  NotificationConfigPut: { targets: ['Where it is sent'] },
  TestDeliveries: { deliveries: ['Ids of the messages', ['0196f1c2-7a3b-7c4d-8e5f-1a2b3c4d']] },
  NotificationConfigResponse: {
    scope: ['What it applies to; null means the whole organization', null],
    detection: ['What counts as a condition', { first_notice_days: 7, last_notice_days: 1 }],
    notification_type: ['The kind of account notification', 'api_key_expiry'],
    last_failure: ['What went wrong last; null when nothing did', null],
  },
  NotificationFailure: { error: ['What went wrong', 'The target answered 500'] },
  ChatTarget: TARGET,
  ChatTargetInput: TARGET,
  'ChatTargetInput.context': {
    channel_id: ['Id of the channel', 'C042'],
    channel_name: ['Name of the channel', 'alarms'],
    team_id: ['Id of the team', 'T007'],
  },
  EmailTarget: TARGET,
  EmailTargetInput: TARGET,
  WebhookTarget: TARGET,
  WebhookTargetInput: TARGET,
  NotificationDelivery: DELIVERY,
  NotificationDeliveryWithAttempts: DELIVERY,
  NotificationDeliveries: { deliveries: ['The messages, newest first'] },
  NotificationDeliveriesReplay: { notification_type: ['Only messages of this kind of account notification'] },
  NotificationDeliveriesReplayed: { replayed: ['How many messages are sent again', 3] },
  NotificationOfDelivery: {
    number: ['Number of the notification', 1],
    name: ['Name of the notification', 'Production alarm'],
  },
  TargetOfDelivery: {
    type: ['What kind of target it is', 'EMAIL'],
    shown: ['As much of its address as the caller may see', 'ada@example.com'],
  },
  DeliveryAttempt: {
    duration_ms: ['How many milliseconds it took', 120],
    status: ['HTTP status of the answer; null when there was none', 200],
    error: ['What went wrong; null when it was delivered', null],
    answer: ['The beginning of the answer; null when there was none', null],
  },
  PageLinks: {
    self: ['This page'],
    first: ['The first page'],
    prev: ['The page before; missing on the first'],
    next: ['The next page; missing on the last'],
    last: ['The last page'],
  },
  Error: {
    message: ['What went wrong, as a sentence', 'Input payload validation failed'],
    errors: [
      'Of input that is not valid: the path of each field, with a sentence',
      { name: 'Field required' },
    ],
  },
}

const PARAMETERS: SchemaWords = {
  PolicyPath: { name: ['Name of the policy', 'production-rules'] },
  NewPolicyPath: { name: ['Name of the policy', 'production-rules'] },
  PolicyVersionPath: { name: ['Name of the policy', 'production-rules'] },
  CustomAttestationTypePath: { name: ['Name of the custom attestation type', 'coverage-metrics'] },
  TrustRulePath: { name: ['Name of the trust rule', 'release-pipeline'] },
  ServiceAccountPath: { name: ['Name of the service account', 'build-server'] },
  ServiceAccountKeyPath: { name: ['Name of the service account', 'build-server'] },
  NotificationPath: { number: ['Number of the notification, counted from 1 in the organization', 1] },
  NotificationConfigPath: { notification_type: ['The kind of account notification', 'api_key_expiry'] },
  NotificationDeliveryPath: { delivery_id: ['Id of the delivery', '0196f1c2-7a3b-7c4d-8e5f-1a2b3c4d'] },
  ArtifactByFingerprintPath: { fingerprint: ['The first 5 to 64 characters of the fingerprint', 'b5bb9d80'] },
  AssertPath: { fingerprint: ['The first 5 to 64 characters of the fingerprint', 'b5bb9d80'] },
  ArtifactByCommitPath: { sha: ['The first 5 to 40 characters of the SHA-1 of the commit', '4f2c1d0b'] },
  CommitPath: { sha: ['The first characters of the SHA-1 of the commit', '4f2c1d0b'] },
  ShaPath: { value: ['The first characters of a fingerprint or of a commit', 'b5bb9d80'] },
  TagPath: {
    resource_type: ['What is tagged', 'flow'],
    resource_id: ['Name of what is tagged', 'backend-ci'],
  },
  RepoQuery: { provider: ['Where the repository is, when the name is taken more than once', 'github'] },
  TrailListQuery: {
    flow_tag: ['Only trails of flows with this tag, as key=value', 'team=payments'],
    from: ['Only trails that did not begin before: ISO 8601 or epoch seconds', '2026-03-01'],
    to: ['Only trails that did not begin after: ISO 8601 or epoch seconds', '2026-03-31T18:00:00Z'],
  },
  EnvironmentEventsQuery: {
    start: ['The first snapshot, by number or expression', '1'],
    end: ['The last snapshot, by number or expression', '42'],
  },
  AuditLogQuery: {
    flow_names: ['Only artifacts of these flows', 'backend-ci'],
    repo_names: ['Only artifacts of these repositories', 'acme/backend'],
  },
  EnvironmentDeploymentsQuery: { to: ['The end of the time', 'now'] },
  AuditEventsQuery: { control: ['Only events about this control', 'SDLC-7'] },
  RepoListQuery: {
    repo_id: ['Only the repository with this id at its provider', '311'],
    tag: ['Only repositories with this tag', 'team:payments'],
    provider: ['Only repositories of this provider', 'github'],
  },
  EnvironmentDiffQuery: {
    snappish2: ['The snapshot that the first is compared with, written alike', 'prod'],
  },
  AttestationListQuery: ATTESTATION_FILTERS,
  AttestationsOfFlowQuery: ATTESTATION_FILTERS,
  BuildListQuery: {
    repo_id: ['Only builds of the repository with this id at its provider', '311'],
    repo_inner_id: [
      'Only builds of the repository with this id in the service',
      '0196f1c2-7a3b-7c4d-8e5f-1a2b3c4d',
    ],
  },
  TrailsOfFlowQuery: { search_by_name: ['Only trails with this part in their name', 'release-2026'] },
  MembershipHistoryFilter: { event_type: ['Only changes of this kind', 'member_added'] },
  MembershipHistoryQuery: { event_type: ['Only changes of this kind', 'member_added'] },
  NotificationDeliveriesQuery: {
    notification_type: ['Only messages of this kind of account notification', 'api_key_expiry'],
    event_type: ['Only messages that tell of this', 'NON_COMPLIANT_ENV'],
    status: ['Only messages that got so far', 'failed'],
  },
  LatestCommitQuery: { branch: ['Only artifacts that were built from this branch', 'main'] },
  ScimTokenPath: { token_id: ['Id of the token', '0196f1c2-7a3b-7c4d-8e5f-1a2b3c4d'] },
  SessionPath: { session_id: ['Id of the session', '0196f1c2-7a3b-7c4d-8e5f-1a2b3c4d'] },
  DecisionPath: { decision_id: ['Id of the decision', '0196f1c2-7a3b-7c4d-8e5f-1a2b3c4d'] },
  MailDomainPath: { domain: ['The mail domain', 'example.com'] },
  InvitationPath: { invitation_id: ['Id of the invitation', '0196f1c2-7a3b-7c4d-8e5f-1a2b3c4d'] },
}

export const ORGANIZATION_WORDS: SchemaWords = { ...MANAGED, ...PARAMETERS }
