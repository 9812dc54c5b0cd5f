// The subjects in a query key: its organization, and the environment, flow, trail or artifact that it is
// about. Every first word of a key is here (server/test/web-queries.test.ts).

export interface Subject {
  environment?: string | null
  flow?: string | null
  trail?: string | null
  artifact?: string | null
}

export interface SubjectOfKey extends Subject {
  /** Undefined for queries without an organization. */
  org?: string | undefined
}

type Read = (key: readonly unknown[]) => SubjectOfKey

const text = (value: unknown): string | undefined => (typeof value === 'string' ? value : undefined)
const inOrg: Read = ([, org]) => ({ org: text(org) })
const ofEnvironment: Read = ([, org, environment]) => ({
  org: text(org),
  environment: text(environment) ?? null,
})
const ofNobody: Read = () => ({})

const SUBJECTS: Readonly<Record<string, Read>> = {
  session: ofNobody,
  'user-sessions': ofNobody,
  'default-org': ofNobody,
  profile: ofNobody,
  'organization states': ofNobody,
  'built-in attestation types': ofNobody,
  'policy check': ofNobody,
  'policy tried': ofNobody,
  suggestions: ofNobody,
  'api-keys': ([, , org]) => ({ org: text(org) }),
  search: ([, , org]) => ({ org: text(org) }),
  artifact: ([, path]) => {
    const { org, flow_name, fingerprint } = path as Record<string, string | undefined>
    return { org, flow: flow_name ?? null, artifact: fingerprint ?? null }
  },
  // For an environment, or for a request with several filters.
  deployments: ([, request, environment]) => {
    if (typeof request === 'string') return { org: request, environment: text(environment) ?? null }
    const { org, environment: wanted } = request as Record<string, string | undefined>
    return { org, environment: wanted ?? null }
  },
  flow: ([, org, flow]) => ({ org: text(org), flow: text(flow) ?? null }),
  trail: ([, org, flow, trail]) => ({ org: text(org), flow: text(flow) ?? null, trail: text(trail) ?? null }),
  environment: ofEnvironment,
  snapshots: ofEnvironment,
  'snapshot page': ofEnvironment,
  'snapshot artifacts': ofEnvironment,
  timeline: ofEnvironment,
  'environment trends': ofEnvironment,
  events: ofEnvironment,
  'allow-list': ofEnvironment,
  'deployment frequency': ofEnvironment,
  environments: inOrg,
  'environment page': inOrg,
  'env-diff': inOrg,
  flows: inOrg,
  trails: inOrg,
  attestation: inOrg,
  attestations: inOrg,
  'reports of name': inOrg,
  policies: inOrg,
  'policy page': inOrg,
  organization: inOrg,
  badges: inOrg,
  'log place': inOrg,
  'log status': inOrg,
  'waiting-decisions': inOrg,
  'overview deployments': inOrg,
  'overview changes': inOrg,
  attention: inOrg,
  'environment timelines': inOrg,
  controls: inOrg,
  notifications: inOrg,
  'notification page': inOrg,
  'notification subjects': inOrg,
  'notification-config': inOrg,
  deliveries: inOrg,
  'service-accounts': inOrg,
  members: inOrg,
  'scim-tokens': inOrg,
  'mail-domains': inOrg,
  usage: inOrg,
  'trust-rules': inOrg,
  'attestation types': inOrg,
  'attestation type': inOrg,
  repos: inOrg,
  repo: inOrg,
  builds: inOrg,
  'build frequency': inOrg,
  running: inOrg,
  'deployment trends': inOrg,
  'coverage trends': inOrg,
  'running matrix': inOrg,
  invitations: inOrg,
  'membership-audit-log': inOrg,
  'audit-events': inOrg,
  'audit-event': inOrg,
  'audit-event-values': inOrg,
}

export const KNOWN_ROOTS: readonly string[] = Object.keys(SUBJECTS)

export function readSubject(key: readonly unknown[]): SubjectOfKey {
  return (SUBJECTS[String(key[0])] ?? ofNobody)(key)
}
