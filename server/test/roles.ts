// Who can call what: the lowest role that each operation needs. This table is written by hand. Never generate it from
// the operations: the tests compare the two, so that an operation cannot change its own expected role.
import type { Contract } from '../src/api/operation.ts'
import { ATTESTATION_TYPES } from '../src/domain/attestation/types.ts'
import { FOR_AUDITORS } from './for-auditors.ts'
import { ROLES_FOR_CONTROLS } from './roles-for-controls.ts'

export type Role = 'reader' | 'auditor' | 'snapshotter' | 'member' | 'admin'

/** `public`: anyone. `caller`: a valid key or session. `user`: a person, by key or session. A role: in the path's org. */
export type Needed = 'public' | 'caller' | 'user' | Role

/** The roles that satisfy each role. Spelled out, because the server computes it from an order. */
const ALLOWED: Record<Role, readonly Role[]> = {
  reader: ['reader', 'auditor', 'snapshotter', 'member', 'admin'],
  auditor: ['auditor', 'admin'],
  snapshotter: ['snapshotter', 'member', 'admin'],
  member: ['member', 'admin'],
  admin: ['admin'],
}

/** The roles of the people in every test. There is no auditor among them. */
export const ROLES = ['reader', 'snapshotter', 'member', 'admin'] as const

export function suffices(actual: Role, needed: Role): boolean {
  return ALLOWED[needed].includes(actual)
}

/** Every type needs the same role, so a new one needs no row. */
const REPORTING_ANY_TYPE = Object.fromEntries(
  ATTESTATION_TYPES.map(({ operation }): [string, Needed] => [
    `POST /attestations/{org}/{flow_name}/trail/{trail_name}/${operation}`,
    'member',
  ]),
)

const BY_RESOURCE: Record<string, Record<string, Needed>> = {
  flows: {
    'PUT /flows/{org}': 'member',
    'PUT /flows/{org}/template_file': 'member',
    'GET /flows/{org}': 'reader',
    'GET /flows/{org}/{flow_name}': 'reader',
    'PUT /flows/{org}/{flow_name}/archive': 'member',
    'PUT /flows/{org}/{flow_name}/rename': 'member',
  },
  tags: {
    'PATCH /tags/{org}/{resource_type}/{resource_id}': 'member',
  },
  trails: {
    'PUT /trails/{org}/{flow_name}': 'member',
    'PUT /flows/{org}/{flow_name}/unarchive': 'member',
    'GET /trails/{org}': 'reader',
    'GET /trails/{org}/{flow_name}': 'reader',
    'GET /trails/{org}/{flow_name}/{trail_name}': 'reader',
  },
  artifacts: {
    'POST /artifacts/{org}/{flow_name}': 'member',
    'GET /artifacts/{org}': 'reader',
    'GET /artifacts/{org}/{flow_name}/fingerprint/{fingerprint}': 'reader',
    'GET /artifacts/{org}/{flow_name}/commit_sha/{sha}': 'reader',
    'GET /artifacts/{org}/{flow_name}/{fingerprint}/latest_commit': 'reader',
    'GET /build-frequency/{org}': 'reader',
    'GET /builds/{org}': 'reader',
    'GET /builds/{org}/statistics': 'reader',
  },
  attestations: {
    ...REPORTING_ANY_TYPE,
    'POST /attestations/{org}/{flow_name}/trail/{trail_name}/generic': 'member',
    'POST /attestations/{org}/{flow_name}/trail/{trail_name}/junit': 'member',
    'POST /attestations/{org}/{flow_name}/trail/{trail_name}/snyk': 'member',
    'POST /attestations/{org}/{flow_name}/trail/{trail_name}/jira': 'member',
    'POST /attestations/{org}/{flow_name}/trail/{trail_name}/sonar': 'member',
    'POST /attestations/{org}/{flow_name}/trail/{trail_name}/pull_request': 'member',
    'POST /attestations/{org}/{flow_name}/trail/{trail_name}/custom': 'member',
    'POST /attestations/{org}/{flow_name}/trail/{trail_name}/system': 'member',
    'POST /attestations/{org}/{flow_name}/trail/{trail_name}/override': 'member',
    'GET /attestations/{org}/{flow_name}/trail/{trail_name}/{attestation_name}': 'reader',
    'GET /attestations/{org}/{flow_name}/artifact/{fingerprint}/{attestation_name}': 'reader',
    'GET /attestations/{org}': 'reader',
    'GET /attestations/{org}/{flow_name}': 'reader',
    'GET /attestations/{org}/list_attestations_for_criteria': 'reader',
  },
  'custom attestation types': {
    'POST /custom-attestation-types/{org}': 'member',
    'POST /custom-attestation-types/{org}/try': 'member',
    'GET /custom-attestation-types/{org}': 'reader',
    'GET /custom-attestation-types/{org}/{name}': 'reader',
    'PUT /custom-attestation-types/{org}/{name}/archive': 'member',
  },
  'evidence and audit packages': {
    'PUT /custom-attestation-types/{org}/{name}/unarchive': 'member',
    'GET /attestations/{org}/{flow_name}/trail/{trail_name}/attestation/{attestation_id}/evidence': 'reader',
    'GET /trails/{org}/{flow_name}/{trail_name}/audit_package': 'reader',
    'GET /trails/{org}/{flow_name}/{trail_name}/audit_pdf': 'reader',
    'GET /artifacts/{org}/{flow_name}/fingerprint/{fingerprint}/audit_package': 'reader',
    'GET /artifacts/{org}/{flow_name}/fingerprint/{fingerprint}/audit_pdf': 'reader',
    'GET /attestations/{org}/attestation/{attestation_id}/audit_package': 'reader',
    'GET /environments/{org}/{env_name}/audit_package': 'reader',
    'GET /snapshots/{org}/{env_name}/{snapshot_expression}/audit_package': 'reader',
    'GET /organizations/{org}/audit_package': 'admin',
  },
  'the log': {
    'GET /log/{org}/checkpoint': 'reader',
    'GET /log/{org}/proof': 'reader',
    'GET /log/{org}/consistency': 'reader',
    'GET /log/{org}/leaves': 'reader',
    'GET /log/{org}/bodies/{index}': 'reader',
    'POST /log/{org}/bodies/{index}/erase': 'admin',
    'POST /log/{org}/people/{user}/erase': 'admin',
    'GET /log/{org}/keys': 'reader',
    'GET /log/{org}/leaf': 'reader',
    'GET /log/{org}/status': 'reader',
    'GET /log/{org}/witnesses': 'reader',
    'GET /log/{org}/tiles/{epoch}/{file+}': 'reader',
  },
  repositories: {
    'GET /repos/{org}': 'reader',
    'GET /repos/{org}/{repo_name+}': 'reader',
    'GET /repos/{org}/live-artifacts/{repo_name+}': 'reader',
    'GET /repos/{org}/filter-options': 'reader',
    'GET /repos/{org}/tags': 'reader',
  },
  search: {
    'GET /search/{org}/sha/{value}': 'reader',
    'GET /search/{org}/commit/{sha}/trails': 'reader',
  },
  environments: {
    'GET /running/{org}': 'reader',
    'GET /running/{org}/csv': 'reader',
    'PUT /environments/{org}': 'snapshotter',
    'GET /environments/{org}': 'reader',
    'GET /environments/{org}/{env_name}': 'reader',
    'PATCH /environments/{org}/{env_name}': 'snapshotter',
    'PUT /environments/{org}/{env_name}/rename': 'member',
    'PUT /environments/{org}/{env_name}/archive': 'member',
    'PUT /environments/{org}/{env_name}/join': 'member',
    'POST /environments/{org}/{env_name}/policies': 'member',
    'DELETE /environments/{org}/{env_name}/policies': 'member',
    'PUT /environments/{org}/{env_name}/unarchive': 'member',
    'GET /environments/{org}/{env_name}/compliance': 'reader',
    'GET /environments/{org}/{env_name}/timeline': 'reader',
    'GET /environments/{org}/{env_name}/policy-changes': 'reader',
    'GET /environment-timelines/{org}': 'reader',
    'GET /attention/{org}': 'reader',
    'GET /environments/{org}/{env_name}/events': 'reader',
    'GET /environments/{org}/{env_name}/late-reports': 'reader',
    'GET /environments/{org}/{env_name}/auditlog': 'reader',
  },
  reports: {
    'PUT /environments/{org}/{env_name}/report/K8S': 'snapshotter',
    'PUT /environments/{org}/{env_name}/report/ECS': 'snapshotter',
    'PUT /environments/{org}/{env_name}/report/lambda': 'snapshotter',
    'PUT /environments/{org}/{env_name}/report/S3': 'snapshotter',
    'PUT /environments/{org}/{env_name}/report/docker': 'snapshotter',
    'PUT /environments/{org}/{env_name}/report/server': 'snapshotter',
    'PUT /environments/{org}/{env_name}/report/cloudx-apps': 'snapshotter',
    'PUT /environments/{org}/{env_name}/report/cloud-run': 'snapshotter',
  },
  snapshots: {
    'GET /snapshots/{org}/{env_name}': 'reader',
    'GET /snapshots/{org}/{env_name}/{snapshot_expression}': 'reader',
    'GET /snapshots/{org}/{env_name}/{snapshot_expression}/artifacts': 'reader',
    'GET /env-diff/{org}': 'reader',
  },
  deployments: {
    'GET /deployment-trends/{org}': 'reader',
    'GET /coverage-trends/{org}': 'reader',
    'GET /deployments/{org}': 'reader',
    'GET /repos/{org}/{repo_id}/deployments': 'reader',
    'GET /repos/{org}/{repo_id}/deployment-statistics': 'reader',
    'GET /environments/{org}/{env_name}/deployments': 'reader',
    'GET /deployments/{org}/{env_name}/{fingerprint}': 'reader',
    'GET /environments/{org}/{env_name}/deployment_frequency': 'reader',
  },
  policies: {
    'PUT /policies/{org}': 'member',
    'PUT /policies/{org}/{name}': 'member',
    'GET /policies/{org}': 'reader',
    'GET /policies/{org}/{name}': 'reader',
    'GET /policies/{org}/{name}/versions/{version}': 'reader',
    'PUT /policies/{org}/{name}/archive': 'admin',
    'PUT /policies/{org}/{name}/unarchive': 'admin',
    'POST /policies/{org}/{name}/try': 'reader',
    'POST /policies/{org}/try': 'reader',
    'POST /evaluations/{org}': 'reader',
    'GET /evaluations/{org}/{evaluation_id}': 'reader',
  },
  'allow-lists': {
    'PUT /allowlists/{org}/{env_name}': 'member',
    'GET /allowlists/{org}': 'reader',
    'GET /allowlists/{org}/{env_name}': 'reader',
    'DELETE /allowlists/{org}/{env_name}/{fingerprint}': 'member',
  },
  asserts: {
    'GET /asserts/{org}/fingerprint/{fingerprint}': 'reader',
  },
  'service accounts': {
    'POST /service-accounts/{org}': 'snapshotter',
    'GET /service-accounts/{org}': 'snapshotter',
    'GET /service-accounts/{org}/{name}': 'snapshotter',
    'PATCH /service-accounts/{org}/{name}': 'snapshotter',
    'DELETE /service-accounts/{org}/{name}': 'snapshotter',
    'POST /service-accounts/{org}/{name}/api-keys': 'snapshotter',
    'GET /service-accounts/{org}/{name}/api-keys': 'snapshotter',
    'GET /service-accounts/{org}/{name}/api-keys/{key_id}': 'snapshotter',
    'POST /service-accounts/{org}/{name}/api-keys/{key_id}/rotate': 'snapshotter',
    'DELETE /service-accounts/{org}/{name}/api-keys/{key_id}': 'snapshotter',
  },
  "one's own keys": {
    'POST /user/api-keys': 'user',
    'GET /user/api-keys': 'user',
    'GET /user/api-keys/{key_id}': 'user',
    'DELETE /user/api-keys/{key_id}': 'user',
    'POST /user/api-keys/{key_id}/rotate': 'user',
  },
  organizations: {
    'POST /organizations': 'user',
    'GET /organizations': 'user',
    'GET /organizations/{org}': 'reader',
    'GET /organizations/{org}/usage': 'admin',
    'PATCH /organizations/{org}': 'admin',
    'PUT /organizations/{org}/experimental_features': 'admin',
    'GET /organizations/{org}/export': 'admin',
    'DELETE /organizations/{org}': 'admin',
  },
  members: {
    'GET /members/{org}': 'reader',
    'PUT /members/{org}/{user}': 'admin',
    // Readers can leave; FOR_OTHERS says who can remove others.
    'DELETE /members/{org}/{user}': 'reader',
    'GET /membership-audit-log/{org}': 'admin',
    'GET /membership-audit-log/{org}/csv': 'admin',
    'GET /membership-audit-log/{org}/json': 'admin',
  },
  invitations: {
    'POST /invitations/{org}': 'admin',
    'GET /invitations/{org}': 'admin',
    'POST /invitations/{org}/{invitation_id}/resend': 'admin',
    'DELETE /invitations/{org}/{invitation_id}': 'admin',
    'POST /user/invitations/accept': 'user',
  },
  sessions: {
    'GET /user/sessions': 'user',
    'DELETE /user/sessions/{session_id}': 'user',
    'DELETE /user/sessions': 'user',
  },
  'SCIM tokens': {
    'GET /decisions/{org}': 'reader',
    'DELETE /decisions/{org}/{decision_id}': 'member',
    'GET /mail-domains/{org}': 'admin',
    'PUT /mail-domains/{org}/{domain}': 'admin',
    'POST /mail-domains/{org}/{domain}/check': 'admin',
    'DELETE /mail-domains/{org}/{domain}': 'admin',
    'POST /scim-tokens/{org}': 'admin',
    'GET /scim-tokens/{org}': 'admin',
    'DELETE /scim-tokens/{org}/{token_id}': 'admin',
    'PUT /scim-tokens/{org}/{token_id}/adopt': 'admin',
  },
  badges: {
    'POST /badge-tokens/{org}': 'admin',
    'GET /badge-tokens/{org}': 'admin',
    'DELETE /badge-tokens/{org}/{badge_id}': 'admin',
    'GET /badges/{token}.svg': 'public',
  },
  'keyless CI': {
    'POST /trust-rules/{org}': 'admin',
    'GET /trust-rules/{org}': 'admin',
    'GET /trust-rules/{org}/{name}': 'admin',
    'PUT /trust-rules/{org}/{name}': 'admin',
    'DELETE /trust-rules/{org}/{name}': 'admin',
    'POST /keyless/{org}/exchange': 'public',
  },
  'user and product': {
    'GET /user/default-org': 'caller',
    'GET /user/organizations': 'user',
    'GET /user/profile': 'user',
    'PUT /user/settings/display-name': 'user',
    'PUT /user/settings/email': 'user',
    'PUT /user/settings/time-zone': 'user',
    'PUT /user/{org}': 'reader',
    'GET /meta': 'public',
    'GET /schemas/attestation-types/v1': 'public',
    'GET /attestations/system-attestation-types': 'public',
    'GET /schemas/flow-template/v1': 'public',
    'GET /schemas/environment-policy/v1': 'public',
  },
  'audit events': {
    'GET /audit-events/{org}': 'admin',
    'GET /audit-events/{org}/events/{event_id}': 'admin',
    'GET /audit-events/{org}/export': 'admin',
    'GET /audit-events/{org}/values': 'admin',
    'GET /events/{org}/stream': 'reader',
  },
  controls: ROLES_FOR_CONTROLS,
  'environment notifications': {
    'PUT /organizations/{org}/environments_notifications': 'member',
    'GET /organizations/{org}/environments_notifications': 'reader',
    'GET /organizations/{org}/environments_notifications/{number}': 'reader',
    'PUT /organizations/{org}/environments_notifications/{number}': 'member',
    'DELETE /organizations/{org}/environments_notifications/{number}': 'member',
    'POST /organizations/{org}/environments_notifications/{number}/test': 'member',
    'PUT /organizations/{org}/flows_notifications': 'member',
    'GET /organizations/{org}/flows_notifications': 'reader',
    'GET /organizations/{org}/flows_notifications/{number}': 'reader',
    'PUT /organizations/{org}/flows_notifications/{number}': 'member',
    'DELETE /organizations/{org}/flows_notifications/{number}': 'member',
    'POST /organizations/{org}/flows_notifications/{number}/test': 'member',
  },
  'notification configuration': {
    'PUT /notification-config/{org}/{notification_type}': 'admin',
    'GET /notification-config/{org}/{notification_type}': 'reader',
    'DELETE /notification-config/{org}/{notification_type}': 'admin',
    'POST /notification-config/{org}/{notification_type}/test': 'admin',
  },
  deliveries: {
    'GET /notification-deliveries/{org}': 'reader',
    'GET /notification-deliveries/{org}/{delivery_id}': 'reader',
    'POST /notification-deliveries/{org}/{delivery_id}/replay': 'member',
    'POST /notification-deliveries/{org}/replay': 'member',
  },
  approvals: {
    'POST /approvals/{org}/{flow_name}': 'member',
    'GET /approvals/{org}/{flow_name}': 'reader',
    'GET /approvals/{org}/{flow_name}/{number}': 'reader',
    'GET /approvals/{org}/{flow_name}/artifact-commit/{env_name}': 'reader',
    'GET /artifacts/{org}/{flow_name}/{fingerprint}/approvals': 'reader',
  },
}

const NEEDED = new Map(Object.values(BY_RESOURCE).flatMap(rows => Object.entries(rows)))

/** Whether a member with this role in the path's organization may call the operation. */
export function mayCall(role: Role, contract: Pick<Contract, 'method' | 'path'>): boolean {
  if (role === 'auditor' && FOR_AUDITORS.includes(getName(contract))) return true
  return suffices(role, getNeededAccess(contract) as Role)
}

/** Anyone can do this to themselves, but only this role to others. */
export const FOR_OTHERS: Record<string, Role> = { 'DELETE /members/{org}/{user}': 'admin' }

/** Rejects service accounts and CI jobs, whatever their role. */
export const PEOPLE_ONLY = ['PUT /user/{org}']

/** Returns 403 in an organization without the feature `controls`. */
export const NEEDS_CONTROLS = Object.keys(BY_RESOURCE.controls ?? {})

export const rows = (): string[] => [...NEEDED.keys()]

export const getName = ({ method, path }: Pick<Contract, 'method' | 'path'>): string => `${method} ${path}`

/** The access that an operation needs. An operation without a row is an error. */
export function getNeededAccess(contract: Pick<Contract, 'method' | 'path'>): Needed {
  const needed = NEEDED.get(getName(contract))
  if (needed === undefined) throw new Error(`${getName(contract)} has no row in server/test/roles.ts`)
  return needed
}

export function isRole(needed: Needed): needed is Role {
  return Object.hasOwn(ALLOWED, needed)
}

/** Operations that read public flows of an organization with `public_read` without a key. */
const FOR_VISITORS = [
  'GET /flows/{org}',
  'GET /flows/{org}/{flow_name}',
  'GET /trails/{org}/{flow_name}/{trail_name}',
  'GET /artifacts/{org}/{flow_name}/fingerprint/{fingerprint}',
  'GET /artifacts/{org}/{flow_name}/commit_sha/{sha}',
  'GET /artifacts/{org}/{flow_name}/{fingerprint}/latest_commit',
  'GET /attestations/{org}/{flow_name}/trail/{trail_name}/{attestation_name}',
  'GET /attestations/{org}/{flow_name}/artifact/{fingerprint}/{attestation_name}',
  'GET /attestations/{org}/{flow_name}/trail/{trail_name}/attestation/{attestation_id}/evidence',
  'GET /trails/{org}/{flow_name}/{trail_name}/audit_package',
  'GET /artifacts/{org}/{flow_name}/fingerprint/{fingerprint}/audit_package',
  'GET /trails/{org}/{flow_name}',
  'GET /attestations/{org}/{flow_name}',
  'GET /trails/{org}/{flow_name}/{trail_name}/audit_pdf',
  'GET /artifacts/{org}/{flow_name}/fingerprint/{fingerprint}/audit_pdf',
]

/** Operations that read the log of an organization with `public_log` without a key. */
const FOR_VISITORS_OF_LOG = [
  'GET /log/{org}/checkpoint',
  'GET /log/{org}/proof',
  'GET /log/{org}/consistency',
  'GET /log/{org}/leaves',
  'GET /log/{org}/keys',
  'GET /log/{org}/tiles/{epoch}/{file+}',
]

export function isForVisitors(contract: Pick<Contract, 'method' | 'path'>): boolean {
  return FOR_VISITORS.includes(getName(contract))
}

export function isForVisitorsOfLog(contract: Pick<Contract, 'method' | 'path'>): boolean {
  return FOR_VISITORS_OF_LOG.includes(getName(contract))
}
