// Requests that test one limit each, built for a given size. Used by server/test/limits.slow.test.ts.
import { SHA } from './reports.ts'

export interface LimitExample {
  what: string
  limit: number
  /** The field that is rejected above the limit. */
  field: RegExp
  request(size: number): { method: string; path: string; body?: unknown }
}

const ATTEST = '/attestations/acme/ci/trail/run'
const FINGERPRINT = 'b'.repeat(64)

const makeText = (size: number) => 'x'.repeat(size)
const makeMany = <T>(size: number, one: (i: number) => T) => Array.from({ length: size }, (_, i) => one(i))
const makeObject = <T>(size: number, value: (i: number) => T) =>
  Object.fromEntries(makeMany(size, i => [`key-${i}`, value(i)]))
const makeAddress = (size: number) => 'https://a.example/'.padEnd(size, 'x')
const commit = (i: number) => ({ sha1: i.toString(16).padStart(40, '0') })

function body(
  what: string,
  limit: number,
  field: RegExp,
  [method, path]: readonly [string, string],
  make: (size: number) => unknown,
): LimitExample {
  return { what, limit, field, request: size => ({ method, path, body: make(size) }) }
}

function query(what: string, limit: number, field: RegExp, make: (size: number) => string): LimitExample {
  return { what, limit, field, request: size => ({ method: 'GET', path: make(size) }) }
}

const makeGeneric = (more: object) => ({ attestation_name: 'a', is_compliant: true, ...more })
const makeArtifact = (more: object) => ({
  fingerprint: FINGERPRINT,
  filename: 'image:1',
  git_commit: SHA,
  build_url: 'https://ci.example.com/1',
  commit_url: 'https://git.example.com/1',
  trail_name: 'run',
  template_reference_name: 'image',
  ...more,
})
const makePod = (more: object = {}) => ({
  podName: 'p',
  namespace: 'n',
  owners: null,
  creationTimestamp: 1,
  digests: {},
  ...more,
})

const PUT_FLOW = ['PUT', '/flows/acme'] as const
const BEGIN = ['PUT', '/trails/acme/ci'] as const
const PUT_ENVIRONMENT = ['PUT', '/environments/acme'] as const
const REPORT = ['PUT', '/environments/acme/prod/report/K8S'] as const
const ARTIFACT = ['POST', '/artifacts/acme/ci'] as const
const GENERIC = ['POST', `${ATTEST}/generic`] as const
const CUSTOM_TYPE = ['POST', '/custom-attestation-types/acme'] as const
const TAGS = ['PATCH', '/tags/acme/flow/ci'] as const
const RULE = ['POST', '/trust-rules/acme'] as const
const makeRule = (more: object) => ({ name: 'r', issuer: 'https://gitlab.com', privilege: 'reader', ...more })

const NOTIFICATION = ['PUT', '/organizations/acme/environments_notifications'] as const
const makeNotification = (more: object) => ({
  name: 'n',
  environments: ['prod'],
  triggers: ['ON_COMPLIANT_ENV'],
  targets: [{ type: 'EMAIL', emails: ['a@example.com'] }],
  ...more,
})

const NAMES = [
  body('name of a flow', 255, /^name$/, PUT_FLOW, n => ({ name: makeText(n), description: '' })),
  body('name of a trail', 255, /^name$/, BEGIN, n => ({ name: makeText(n) })),
  body('name of an environment', 255, /^name$/, PUT_ENVIRONMENT, n => ({ name: makeText(n), type: 'K8S' })),
  body('name of a custom type', 255, /^name$/, CUSTOM_TYPE, n => ({ name: makeText(n) })),
  body('name of a policy', 255, /^name$/, ['PUT', '/policies/acme'], n => ({ name: makeText(n) })),
  body('name of an attestation', 255, /^attestation_name$/, GENERIC, n =>
    makeGeneric({ attestation_name: makeText(n) }),
  ),
  body('name of an artifact in a report', 255, /^template_reference_name$/, ARTIFACT, n =>
    makeArtifact({ template_reference_name: makeText(n) }),
  ),
  body('file name of an artifact', 4096, /^filename$/, ARTIFACT, n =>
    makeArtifact({ filename: makeText(n) }),
  ),
  body('name of a new organization', 64, /^name$/, ['POST', '/organizations'], n => ({ name: makeText(n) })),
  body('name of a service account', 64, /^name$/, ['POST', '/service-accounts/acme'], n => ({
    name: makeText(n),
  })),
  body('name of a trust rule', 255, /^name$/, RULE, n => makeRule({ name: makeText(n), claims: {} })),
]

const TEXTS = [
  body('free text', 65_536, /^description$/, BEGIN, n => ({ name: 'text', description: makeText(n) })),
  body('web address', 2048, /^origin_url$/, BEGIN, n => ({ name: 'address', origin_url: makeAddress(n) })),
  body('key of a tag', 128, /^set_tags/, TAGS, n => ({ set_tags: { [makeText(n)]: 'x' } })),
  body('value of a tag', 1024, /^set_tags/, TAGS, n => ({ set_tags: { a: makeText(n) } })),
  body('reason in an allow-list', 65_536, /^description$/, ['PUT', '/allowlists/acme/prod'], n => ({
    artifact_fingerprint: FINGERPRINT,
    artifact_name: 'a',
    description: makeText(n),
  })),
  body('name in an allow-list', 4096, /^artifact_name$/, ['PUT', '/allowlists/acme/prod'], n => ({
    artifact_fingerprint: FINGERPRINT,
    artifact_name: makeText(n),
    description: 'x',
  })),
  body(
    'description of a key',
    256,
    /^description$/,
    ['POST', '/service-accounts/acme/robot/api-keys'],
    n => ({ description: makeText(n) }),
  ),
  body('description of a SCIM token', 256, /^description$/, ['POST', '/scim-tokens/acme'], n => ({
    description: makeText(n),
  })),
  body('label of a badge', 48, /^label$/, ['POST', '/badge-tokens/acme'], n => ({
    environment_name: 'prod',
    label: makeText(n),
  })),
  body('expiry of a key', 4_102_444_800, /^expires_at$/, ['POST', '/user/api-keys'], n => ({
    description: 'x',
    expires_at: n,
  })),
  body(
    'grace period of a rotation',
    720,
    /^grace_period_hours$/,
    ['POST', '/user/api-keys/none/rotate'],
    n => ({ grace_period_hours: n }),
  ),
  body('value of a claim', 1024, /^claims/, RULE, n =>
    makeRule({ claims: { project_id: '1', other: makeText(n) } }),
  ),
  body('name of a claim', 255, /^claims/, RULE, n =>
    makeRule({ claims: { project_id: '1', [makeText(n)]: 'x' } }),
  ),
  body('token of a CI job', 16_384, /^token$/, ['POST', '/keyless/acme/exchange'], n => ({
    token: makeText(n),
  })),
  body('mail address', 254, /^email$/, ['POST', '/invitations/acme'], n => ({
    email: `${makeText(60)}@${makeMany(4, () => makeText(60)).join('.')}`.slice(0, n - 8).concat('.example'),
    role: 'reader',
  })),
]

const LISTS = [
  body('external links', 100, /^external_urls$/, GENERIC, n =>
    makeGeneric({ external_urls: makeObject(n, () => 'https://a.example') }),
  ),
  body('annotations', 100, /^annotations$/, GENERIC, n =>
    makeGeneric({ annotations: makeObject(n, () => 'x') }),
  ),
  body('target_artifacts', 1000, /^target_artifacts$/, GENERIC, n =>
    makeGeneric({ target_artifacts: makeMany(n, i => `a-${i}`), git_commit_info: { sha1: SHA } }),
  ),
  body('commits of an artifact', 1000, /^commits_list$/, ARTIFACT, n =>
    makeArtifact({ commits_list: makeMany(n, commit) }),
  ),
  body('parents of a commit', 1000, /^commits_list\[0\]\.parents$/, ARTIFACT, n =>
    makeArtifact({ commits_list: [{ sha1: SHA, parents: makeMany(n, i => commit(i).sha1) }] }),
  ),
  body('suites of a test report', 10_000, /^junit_results$/, ['POST', `${ATTEST}/junit`], n => ({
    attestation_name: 'a',
    junit_results: makeMany(n, () => ({
      name: 's',
      failures: 0,
      errors: 0,
      skipped: 0,
      total: 1,
      duration: 1,
    })),
  })),
  body('findings of a severity', 10_000, /results\[0\]\.low$/, ['POST', `${ATTEST}/snyk`], n => ({
    attestation_name: 'a',
    snyk_results: {
      schema_version: 1,
      tool: { name: 's' },
      results: [
        { high_count: 0, medium_count: 0, low_count: n, low: makeMany(n, () => ({ id: 'i', message: 'm' })) },
      ],
    },
  })),
  body('issues', 10_000, /^jira_results$/, ['POST', `${ATTEST}/jira`], n => ({
    attestation_name: 'a',
    jira_results: makeMany(n, i => ({ issue_id: `A-${i}`, issue_exists: true })),
  })),
  body('pull requests', 10_000, /^pull_requests$/, ['POST', `${ATTEST}/pull_request`], n => ({
    attestation_name: 'a',
    git_provider: 'github',
    pull_requests: makeMany(n, () => ({ url: 'https://a.example', state: 'OPEN' })),
  })),
  body('rules of a custom type', 100, /^evaluator\.rules$/, CUSTOM_TYPE, n => ({
    name: 'rules',
    evaluator: { content_type: 'jq', rules: makeMany(n, () => '.') },
  })),
  body('summary entries of a custom type', 100, /^summary$/, CUSTOM_TYPE, n => ({
    name: 'summary',
    summary: makeMany(n, i => ({ name: `s${i}`, expression: '.' })),
  })),
  body('elements of a report', 50_000, /^artifacts$/, REPORT, n => ({
    artifacts: makeMany(n, () => makePod()),
  })),
  body('digests of an element', 1000, /^artifacts\[0\]\.digests$/, REPORT, n => ({
    artifacts: [makePod({ digests: makeObject(n, () => FINGERPRINT) })],
  })),
  body('owners of an element', 100, /^artifacts\[0\]\.owners$/, REPORT, n => ({
    artifacts: [makePod({ owners: makeMany(n, () => ({})) })],
  })),
  body('texts of an element', 4096, /^artifacts\[0\]\.podName$/, REPORT, n => ({
    artifacts: [makePod({ podName: makeText(n) })],
  })),
  body('included_environments', 500, /^included_environments$/, PUT_ENVIRONMENT, n => ({
    name: 'all',
    type: 'logical',
    included_environments: makeMany(n, i => `e-${i}`),
  })),
  body('policies of an environment', 100, /^policies$/, PUT_ENVIRONMENT, n => ({
    name: 'prod',
    type: 'K8S',
    policies: makeMany(n, i => `p-${i}`),
  })),
  body('policy_names', 100, /^policy_names$/, ['POST', '/environments/acme/prod/policies'], n => ({
    policy_names: makeMany(n, i => `p-${i}`),
  })),
  body('mail domains', 100, /mail_domains$/, ['PATCH', '/organizations/acme'], n => ({
    settings: { mail_domains: makeMany(n, i => `d${i}.example`) },
  })),
  body('environments of a notification', 100, /^environments$/, NOTIFICATION, n =>
    makeNotification({ environments: makeMany(n, i => `e-${i}`) }),
  ),
  body('targets of a notification', 20, /^targets$/, NOTIFICATION, n =>
    makeNotification({ targets: makeMany(n, i => ({ type: 'EMAIL', emails: [`a${i}@example.com`] })) }),
  ),
  body('mail addresses of a target', 50, /^targets\[0\]\.emails$/, NOTIFICATION, n =>
    makeNotification({ targets: [{ type: 'EMAIL', emails: makeMany(n, i => `a${i}@example.com`) }] }),
  ),
  body('claims of a trust rule', 50, /^claims$/, RULE, n =>
    makeRule({ claims: { project_id: '1', ...makeObject(n - 1, () => 'x') } }),
  ),
  body('keys of a trust rule', 10, /^jwks(\.keys)?$/, RULE, n =>
    makeRule({
      issuer: 'https://cluster.example',
      claims: { project_id: '1' },
      jwks: { keys: makeMany(n, i => ({ kty: 'OKP', crv: 'Ed25519', kid: `${i}`, x: 'A'.repeat(43) })) },
    }),
  ),
]

const repeatParameter = (name: string, size: number) => makeMany(size, i => `${name}=n${i}`).join('&')

const QUERIES = [
  query(
    'policies named in an assertion',
    100,
    /policy_name$/,
    n => `/asserts/acme/fingerprint/${FINGERPRINT}?${repeatParameter('policy_name', n)}`,
  ),
  query(
    'tags that environments are filtered by',
    100,
    /tag$/,
    n => `/environments/acme?${repeatParameter('tag', n)}`,
  ),
  query(
    'repositories that events are filtered by',
    100,
    /repo_name$/,
    n => `/environments/acme/prod/events?${repeatParameter('repo_name', n)}`,
  ),
  query(
    'names in a list of the audit log',
    100,
    /flow_names$/,
    n => `/environments/acme/prod/auditlog?flow_names=${makeMany(n, i => `f${i}`).join(',')}`,
  ),
  query(
    'part of a name of a trail',
    200,
    /search_by_name$/,
    n => `/trails/acme?search_by_name=${makeText(n)}`,
  ),
  query('characters of name_regex', 500, /name_regex$/, n => `/attestations/acme?name_regex=${makeText(n)}`),
  query('page', 1_000_000, /page$/, n => `/flows/acme?page=${n}`),
  query('page size', 1000, /per_page$/, n => `/flows/acme?per_page=${n}`),
  query('page size of repositories', 50, /per_page$/, n => `/repos/acme?per_page=${n}`),
  query('page size of deployments', 50, /per_page$/, n => `/deployments/acme?per_page=${n}`),
  query(
    'page size of trails by commit',
    50,
    /per_page$/,
    n => `/search/acme/commit/${SHA}/trails?per_page=${n}`,
  ),
  query(
    'page size of deployments of an environment',
    100,
    /page_size$/,
    n => `/environments/acme/prod/deployments?page_size=${n}`,
  ),
  query(
    'page size of artifacts of a snapshot',
    50,
    /per_page$/,
    n => `/snapshots/acme/prod/-1/artifacts?per_page=${n}`,
  ),
  query('buckets of a timeline', 400, /buckets$/, n => `/environments/acme/prod/timeline?buckets=${n}`),
  query('buckets of trends', 366, /buckets$/, n => `/deployment-trends/acme?buckets=${n}`),
  query('buckets of coverage trends', 90, /buckets$/, n => `/coverage-trends/acme?buckets=${n}`),
  query('page size of what runs where', 50, /per_page$/, n => `/running/acme?per_page=${n}`),
  query(
    'environments of what runs where',
    100,
    /environment_per_page$/,
    n => `/running/acme?environment_per_page=${n}`,
  ),
  query('page size of controls', 100, /per_page$/, n => `/controls/acme?per_page=${n}`),
  query(
    'page size of versions of a control',
    100,
    /per_page$/,
    n => `/controls/acme/C/versions?per_page=${n}`,
  ),
  query('page size of decisions', 100, /per_page$/, n => `/controls/acme/C/decisions?per_page=${n}`),
  query('page size of coverage', 100, /per_page$/, n => `/controls/acme/C/coverage?per_page=${n}`),
  query(
    'page size of the coverage of all controls',
    500,
    /per_page$/,
    n => `/control-coverage/acme?per_page=${n}`,
  ),
  query('page size of states of controls', 100, /per_page$/, n => `/control-states/acme?per_page=${n}`),
  query(
    'environments of states of controls',
    50,
    /environment_per_page$/,
    n => `/control-states/acme?environment_per_page=${n}`,
  ),
  query(
    'tags that environments of states of controls are filtered by',
    100,
    /tag$/,
    n => `/control-states/acme?${repeatParameter('tag', n)}`,
  ),
  query(
    'page size of the evidence of a control',
    50,
    /per_page$/,
    n => `/controls/acme/C/environments/cluster?per_page=${n}`,
  ),
  query(
    'page size of the history of members',
    100,
    /per_page$/,
    n => `/membership-audit-log/acme?per_page=${n}`,
  ),
  query('page size of the audit list', 100, /per_page$/, n => `/audit-events/acme?per_page=${n}`),
]

export const examples: readonly LimitExample[] = [...NAMES, ...TEXTS, ...LISTS, ...QUERIES]
