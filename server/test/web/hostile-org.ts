// The hostile org: the calls that create it, in order, and the pages that show it.
import { type Call, NO_ADDRESSES, PAYLOADS, writeLong, writeOnly, writeShort } from './hostile.ts'
import {
  ADDRESS,
  COMMIT,
  EVIDENCE,
  FINGERPRINT,
  FLOW,
  ORG,
  REPO_INFO,
  TRAIL,
  WHEN,
} from './hostile-evidence.ts'

const OTHER_FINGERPRINT = 'ef'.repeat(32)

const ENVIRONMENT_TYPES = [
  'K8S',
  'ECS',
  'lambda',
  'S3',
  'docker',
  'server',
  'cloudx-apps',
  'cloud-run',
] as const
const nameEnvironment = (type: string) => `hostile-${type.toLowerCase()}`

/** Running artifacts, with the fields of each type of environment. */
const CONTEXTS: Record<(typeof ENVIRONMENT_TYPES)[number], Record<string, unknown>> = {
  K8S: {
    podName: writeLong('K8S:pod'),
    namespace: writeLong('K8S:namespace'),
    owners: [
      {
        apiVersion: writeLong('K8S:owner-version'),
        kind: writeLong('K8S:owner-kind'),
        name: writeLong('K8S:owner-name'),
        uid: writeLong('K8S:owner-uid'),
        controller: true,
        blockOwnerDeletion: true,
      },
    ],
  },
  ECS: {
    taskArn: writeLong('ECS:task'),
    cluster_name: writeLong('ECS:cluster'),
    service_name: writeLong('ECS:service'),
  },
  lambda: {},
  S3: {},
  docker: {},
  server: {},
  'cloudx-apps': { app_name: writeLong('cloudx-apps:app'), app_kind: writeLong('cloudx-apps:kind') },
  'cloud-run': {
    kind: writeLong('cloud-run:kind'),
    serviceName: writeLong('cloud-run:service'),
    revisionName: writeLong('cloud-run:revision'),
    jobName: writeLong('cloud-run:job'),
  },
}

function reportOf(type: (typeof ENVIRONMENT_TYPES)[number], fingerprint: string): Call {
  const digests = { [writeOnly(`${type}:artifact`, PAYLOADS[0])]: fingerprint }
  const artifact = { digests, creationTimestamp: WHEN, ...CONTEXTS[type] }
  const path = `environments/${ORG}/${nameEnvironment(type)}/report/${type}`
  return { method: 'PUT', path, body: { artifacts: [artifact] } }
}

const ENVIRONMENTS: Call[] = [
  ...ENVIRONMENT_TYPES.flatMap((type): Call[] => {
    const description = writeLong('environment:description')
    return [
      {
        method: 'PUT',
        path: `environments/${ORG}`,
        body: { name: nameEnvironment(type), type, description },
      },
      reportOf(type, OTHER_FINGERPRINT),
    ]
  }),
  {
    method: 'PUT',
    path: `policies/${ORG}`,
    body: {
      name: 'hostile-rules',
      description: writeLong('policy:description'),
      comment: writeLong('policy:comment'),
      type: 'env',
      policy_yaml: `# ${writeLong('policy:yaml')}\n_schema: https://waybill.dev/schemas/policy/environment/v1\nartifacts:\n  provenance:\n    required: true\n`,
    },
  },
  {
    method: 'POST',
    path: `environments/${ORG}/${nameEnvironment('server')}/policies`,
    body: { policy_names: ['hostile-rules'] },
  },
  {
    method: 'PUT',
    path: `allowlists/${ORG}/${nameEnvironment('server')}`,
    body: {
      artifact_fingerprint: OTHER_FINGERPRINT,
      artifact_name: writeLong('allowed:name'),
      description: writeLong('allowed:reason'),
    },
  },
]

const makeTagCall = (type: string, name: string): Call => ({
  method: 'PATCH',
  path: `tags/${ORG}/${type}/${encodeURIComponent(name)}`,
  body: { set_tags: { note: writeShort(`${type}:tag`) } },
})

const TAGS = [
  makeTagCall('flow', FLOW),
  makeTagCall('env', nameEnvironment('server')),
  makeTagCall('control', 'HOSTILE-1'),
]

/** Created before the environments change again, so that there is something to deliver. */
const SETTINGS: Call[] = [
  {
    method: 'PUT',
    path: `organizations/${ORG}/environments_notifications`,
    body: {
      name: writeShort('notification:name'),
      environments: [nameEnvironment('server')],
      triggers: ['ON_STARTED_ARTIFACT', 'ON_EXITED_ARTIFACT'],
      targets: [
        { type: 'WEBHOOK', webhook: ADDRESS, payload_version: '1.0' },
        {
          type: 'CHAT',
          webhook: ADDRESS,
          context: {
            channel_id: writeShort('notification:channel-id'),
            channel_name: writeShort('notification:channel'),
            team_id: writeShort('notification:team'),
          },
        },
      ],
    },
  },
  {
    method: 'PUT',
    path: `organizations/${ORG}/flows_notifications`,
    body: {
      name: writeShort('flow-notification:name'),
      flows: [FLOW],
      triggers: ['ON_APPROVAL'],
      targets: [{ type: 'WEBHOOK', webhook: ADDRESS, payload_version: '1.0' }],
    },
  },
  {
    method: 'POST',
    path: `service-accounts/${ORG}`,
    body: { name: 'hostile', description: writeLong('service-account:description'), privilege: 'reader' },
  },
  {
    method: 'POST',
    path: `service-accounts/${ORG}/hostile/api-keys`,
    body: { description: writeShort('service-account:key') },
  },
  {
    method: 'POST',
    path: `trust-rules/${ORG}`,
    body: {
      name: 'hostile',
      description: writeLong('trust-rule:description'),
      issuer: 'https://gitlab.com',
      claims: { project_id: '1', ref: writeShort('trust-rule:claim') },
      privilege: 'reader',
    },
  },
  { method: 'POST', path: `scim-tokens/${ORG}`, body: { description: writeShort('scim-token:description') } },
  { method: 'POST', path: 'user/api-keys', body: { description: writeShort('user:key') } },
  {
    method: 'POST',
    path: `invitations/${ORG}`,
    body: { email: "invitation{{7*7}}'onload=alert`1`@hostile.example", role: 'reader' },
  },
  ...ENVIRONMENT_TYPES.map(type => reportOf(type, FINGERPRINT)),
]

export const HOSTILE_CALLS: readonly Call[] = [...EVIDENCE, ...ENVIRONMENTS, ...TAGS, ...SETTINGS]

const listTabs = (page: string, name: string, tabs: readonly string[]) =>
  tabs.map(tab => `/${ORG}/${page}?${name}=${tab}`)

/** Pages that the crawl would miss: tabs, every type of environment, the search. */
export const HOSTILE_PAGES: readonly string[] = [
  `/${ORG}`,
  '/',
  ...ENVIRONMENT_TYPES.map(type => `/${ORG}/environments/${nameEnvironment(type)}`),
  ...listTabs(`environments/${nameEnvironment('server')}`, 'tab', [
    'timeline',
    'log',
    'compare',
    'allow-list',
  ]),
  ...listTabs(`environments/${nameEnvironment('server')}`, 'tab', ['policies', 'settings']),
  ...listTabs(`environments/${nameEnvironment('K8S')}`, 'tab', ['log']),
  ...listTabs(`flows/${FLOW}`, 'tab', ['trails', 'template', 'settings']),
  ...listTabs('controls/HOSTILE-1', 'tab', ['decisions', 'coverage', 'versions']),
  `/${ORG}/control-coverage`,
  `/${ORG}/controls/HOSTILE-1/environments/${nameEnvironment('server')}`,
  ...listTabs(`repos/${REPO_INFO.name.split('/').map(encodeURIComponent).join('/')}`, 'view', [
    'release',
    'run',
  ]),
  ...['hostile', FINGERPRINT, PAYLOADS[0], PAYLOADS[1]].map(q => `/${ORG}/search?q=${encodeURIComponent(q)}`),
]

/** Calls with hostile URLs, all of which must be rejected. */
export const REFUSED_CALLS: readonly Call[] = NO_ADDRESSES.flatMap((href): Call[] => [
  { method: 'PUT', path: `trails/${ORG}/${FLOW}`, body: { name: TRAIL, origin_url: href } },
  { method: 'PUT', path: `trails/${ORG}/${FLOW}`, body: { name: TRAIL, external_urls: { note: { href } } } },
  {
    method: 'PUT',
    path: `trails/${ORG}/${FLOW}`,
    body: { name: TRAIL, git_commit_info: { sha1: COMMIT, url: href } },
  },
  {
    method: 'PUT',
    path: `trails/${ORG}/${FLOW}`,
    body: { name: TRAIL, repo_info: { ...REPO_INFO, url: href } },
  },
  {
    method: 'POST',
    path: `attestations/${ORG}/${FLOW}/trail/${TRAIL}/jira`,
    body: {
      attestation_name: 'x',
      jira_results: [{ issue_id: 'X-1', issue_url: href, issue_exists: true }],
    },
  },
  {
    method: 'POST',
    path: `attestations/${ORG}/${FLOW}/trail/${TRAIL}/sonar`,
    body: { attestation_name: 'x', sonar_results: { project: { url: href } } },
  },
  {
    method: 'POST',
    path: `attestations/${ORG}/${FLOW}/trail/${TRAIL}/pull_request`,
    body: { attestation_name: 'x', git_provider: 'github', pull_requests: [{ url: href, state: 'MERGED' }] },
  },
  {
    method: 'POST',
    path: `controls/${ORG}`,
    body: { identifier: 'HOSTILE-2', name: 'x', links: { note: href } },
  },
  {
    method: 'PUT',
    path: `organizations/${ORG}/environments_notifications`,
    body: {
      name: 'x',
      environments: [nameEnvironment('server')],
      triggers: ['ON_STARTED_ARTIFACT'],
      targets: [{ type: 'WEBHOOK', webhook: href, payload_version: '1.0' }],
    },
  },
])
