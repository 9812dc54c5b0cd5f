// Converts an event to the Open Cybersecurity Schema Framework, version 1.4.0: signing in is Authentication, changes
// of people and keys are Account Change, roles are User Access Management, and everything else is API Activity.
import type { SinkEvent } from './sink-event.ts'

const VERSION = '1.4.0'
const OTHER = 99

interface EventClass {
  category_uid: number
  category_name: string
  class_uid: number
  class_name: string
}

const IAM = { category_uid: 3, category_name: 'Identity & Access Management' }
const ACCOUNT_CHANGE: EventClass = { ...IAM, class_uid: 3001, class_name: 'Account Change' }
const AUTHENTICATION: EventClass = { ...IAM, class_uid: 3002, class_name: 'Authentication' }
const USER_ACCESS: EventClass = { ...IAM, class_uid: 3005, class_name: 'User Access Management' }
const API_ACTIVITY: EventClass = {
  category_uid: 6,
  category_name: 'Application Activity',
  class_uid: 6003,
  class_name: 'API Activity',
}

type Activity = readonly [id: number, name: string]

/** Kinds that are more than an API call. */
const IDENTITY_KINDS: Readonly<Record<string, { of: EventClass; activity: Activity; failed?: boolean }>> = {
  signed_in: { of: AUTHENTICATION, activity: [1, 'Logon'] },
  break_glass_sign_in: { of: AUTHENTICATION, activity: [1, 'Logon'] },
  sign_in_failed: { of: AUTHENTICATION, activity: [1, 'Logon'], failed: true },
  signed_out: { of: AUTHENTICATION, activity: [2, 'Logoff'] },
  user_created: { of: ACCOUNT_CHANGE, activity: [1, 'Create'] },
  user_provisioned: { of: ACCOUNT_CHANGE, activity: [1, 'Create'] },
  service_account_created: { of: ACCOUNT_CHANGE, activity: [1, 'Create'] },
  user_deprovisioned: { of: ACCOUNT_CHANGE, activity: [5, 'Disable'] },
  service_account_deleted: { of: ACCOUNT_CHANGE, activity: [6, 'Delete'] },
  email_change_requested: { of: ACCOUNT_CHANGE, activity: [OTHER, 'Other'] },
  user_changed: { of: ACCOUNT_CHANGE, activity: [OTHER, 'Other'] },
  provisioned_user_changed: { of: ACCOUNT_CHANGE, activity: [OTHER, 'Other'] },
  service_account_changed: { of: ACCOUNT_CHANGE, activity: [OTHER, 'Other'] },
  api_key_created: { of: ACCOUNT_CHANGE, activity: [OTHER, 'Other'] },
  api_key_imported: { of: ACCOUNT_CHANGE, activity: [OTHER, 'Other'] },
  api_key_revoked: { of: ACCOUNT_CHANGE, activity: [OTHER, 'Other'] },
  api_key_rotated: { of: ACCOUNT_CHANGE, activity: [OTHER, 'Other'] },
  member_added: { of: USER_ACCESS, activity: [1, 'Assign Privileges'] },
  member_role_changed: { of: USER_ACCESS, activity: [1, 'Assign Privileges'] },
  member_removed: { of: USER_ACCESS, activity: [2, 'Revoke Privileges'] },
}

/** Activities by the last word of the kind. */
const VERBS: Readonly<Record<string, Activity>> = {
  ...name(
    [1, 'Create'],
    'created',
    'added',
    'opened',
    'reported',
    'sent',
    'issued',
    'claimed',
    'taken',
    'imported',
  ),
  ...name(
    [3, 'Update'],
    'updated',
    'changed',
    'renamed',
    'tagged',
    'attached',
    'detached',
    'archived',
    'unarchived',
  ),
  ...name([3, 'Update'], 'set', 'rotated', 'accepted', 'proved', 'restored', 'frozen', 'thawed', 'confirmed'),
  ...name([4, 'Delete'], 'deleted', 'removed', 'revoked', 'withdrawn', 'released', 'erased', 'retired'),
}

function name(activity: Activity, ...words: string[]): Record<string, Activity> {
  return Object.fromEntries(words.map(word => [word, activity]))
}

const SEVERITIES: Readonly<Record<string, Activity>> = {
  log_fork_reported: [5, 'Critical'],
  break_glass_sign_in: [4, 'High'],
  sign_in_failed: [3, 'Medium'],
  environment_stale: [3, 'Medium'],
  mail_domain_lost: [3, 'Medium'],
}
const INFORMATIONAL: Activity = [1, 'Informational']

export function toOcsf(event: SinkEvent, product_version: string): Record<string, unknown> {
  const { kind, actor, timestamp, sentence, org } = event
  const known = Object.hasOwn(IDENTITY_KINDS, kind) ? IDENTITY_KINDS[kind] : undefined
  const [activity_id, activity_name] = known?.activity ?? getActivity(kind)
  const { of = API_ACTIVITY, failed = false } = known ?? {}
  const [severity_id, severity] = SEVERITIES[kind] ?? INFORMATIONAL
  const [status_id, status] = failed ? [2, 'Failure'] : [1, 'Success']
  const time = Math.round(timestamp * 1000)
  return {
    ...of,
    activity_id,
    activity_name,
    type_uid: of.class_uid * 100 + activity_id,
    type_name: `${of.class_name}: ${activity_name}`,
    time,
    severity_id,
    severity,
    status_id,
    status,
    message: sentence,
    metadata: {
      version: VERSION,
      product: { name: 'Waybill', vendor_name: 'Waybill', version: product_version },
      uid: event.id,
      event_code: kind,
      log_name: org,
      sequence: event.log.number,
      tenant_uid: org,
      original_time: new Date(time).toISOString(),
    },
    actor: { user: { name: actor } },
    ...describeSubject(of, event),
    unmapped: { org, log: event.log, html_url: event.html_url, data: event.data },
  }
}

function getActivity(kind: string): Activity {
  const word = kind.slice(kind.lastIndexOf('_') + 1)
  return Object.hasOwn(VERBS, word) ? (VERBS[word] ?? [OTHER, 'Other']) : [OTHER, 'Other']
}

/** The fields that each class requires besides the common ones. */
function describeSubject(of: EventClass, event: SinkEvent): Record<string, unknown> {
  const { actor, data, kind } = event
  const user = { name: String(data.user ?? data.service_account ?? data.owner ?? actor) }
  if (of === AUTHENTICATION) return { user: { name: actor }, service: { name: 'Waybill' } }
  if (of === ACCOUNT_CHANGE) return { user }
  if (of === USER_ACCESS) return { user, privileges: [String(data.role ?? data.previous_role ?? 'none')] }
  return {
    api: { operation: kind, service: { name: 'Waybill' } },
    // The class requires an endpoint. Events record who called, but not from where.
    src_endpoint: { name: 'not recorded' },
    resources: listResources(event),
  }
}

function listResources(event: SinkEvent): { type: string; name: string }[] {
  const named = {
    organization: event.org,
    flow: event.flow_name,
    trail: event.trail_name,
    environment: event.environment_name,
    policy: event.policy_name,
    control: event.control,
  }
  return Object.entries(named).flatMap(([type, value]) => (value === null ? [] : { type, name: value }))
}
