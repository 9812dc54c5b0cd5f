// The fictional company of the demo: its people, services, environments, controls and policies.

export const DEMO_ORG = 'harbour-bank'
export const DEMO_DESCRIPTION = 'A fictional bank: half a year of releases and deployments, and two incidents'

export interface Person {
  name: string
  full_name: string
  role: 'admin' | 'member' | 'auditor' | 'reader'
}

export const PEOPLE: readonly Person[] = [
  { name: 'mara', full_name: 'Mara Lindqvist', role: 'admin' },
  { name: 'jonas', full_name: 'Jonas Okafor', role: 'member' },
  { name: 'priya', full_name: 'Priya Raman', role: 'member' },
  { name: 'teo', full_name: 'Teo Marchetti', role: 'member' },
  { name: 'ines', full_name: 'Ines Duarte', role: 'reader' },
  { name: 'odile', full_name: 'Odile Ferrand', role: 'auditor' },
]

export const ENGINEERS = ['jonas', 'priya', 'teo'] as const
export const MAIL_DOMAIN = 'harbour-bank.example'
export const toMailAddress = (name: string) => `${name}@${MAIL_DOMAIN}`

export const ROBOTS = {
  pipeline: { name: 'pipeline', privilege: 'member', description: 'Builds, tests and releases' },
  watcher: { name: 'cluster-watcher', privilege: 'snapshotter', description: 'Reports running artifacts' },
} as const

export interface Service {
  name: string
  description: string
  /** Approximate releases per week. */
  pace: number
  risk: 'high' | 'low'
  /** The environment besides staging. */
  runs_in: 'production' | 'edge'
}

export const SERVICES: readonly Service[] = [
  {
    name: 'payments-api',
    description: 'Accepts and settles payments',
    pace: 2.4,
    risk: 'high',
    runs_in: 'production',
  },
  {
    name: 'ledger',
    description: 'Records every transaction',
    pace: 1.2,
    risk: 'high',
    runs_in: 'production',
  },
  {
    name: 'web-banking',
    description: 'The web app for customers',
    pace: 3,
    risk: 'low',
    runs_in: 'production',
  },
  {
    name: 'fraud-scoring',
    description: 'Scores payments in real time',
    pace: 1.5,
    risk: 'high',
    runs_in: 'production',
  },
  {
    name: 'statement-mailer',
    description: 'Sends account statements overnight',
    pace: 0.6,
    risk: 'low',
    runs_in: 'edge',
  },
]

const TEMPLATE = `version: 1
trail:
  attestations:
    - name: change-ticket
      type: jira
  artifacts:
    - name: image
      attestations:
        - name: unit-tests
          type: junit
        - name: vulnerability-scan
          type: snyk
        - name: code-review
          type: pull_request
`

/** Fraud scoring runs in real time, so every build must pass a load test. */
const TEMPLATE_WITH_LOAD_TEST = `${TEMPLATE}        - name: load-test
          type: custom:load-test
`

export const getTemplate = ({ name }: Service) =>
  name === 'fraud-scoring' ? TEMPLATE_WITH_LOAD_TEST : TEMPLATE

const LOAD_TEST = {
  name: 'load-test',
  description: 'Replays an hour of payments against the build',
  summary: [
    { name: '95th percentile', expression: '"\\(.p95_ms) ms"' },
    { name: 'Errors', expression: '"\\(.errors) of \\(.requests)"' },
    { name: 'Customers at once', expression: '.customers' },
  ],
  type_schema: {
    type: 'object',
    properties: {
      requests: { type: 'integer', minimum: 1 },
      errors: { type: 'integer', minimum: 0 },
      p95_ms: { type: 'number', minimum: 0 },
      customers: { type: 'integer', minimum: 1 },
    },
    required: ['requests', 'errors', 'p95_ms'],
  },
}
const buildLoadTest = (ms: number) => ({
  ...LOAD_TEST,
  evaluator: { content_type: 'jq', rules: ['.errors * 1000 <= .requests', `.p95_ms <= ${ms}`] },
})
export const FIRST_LOAD_TEST = buildLoadTest(400)
/** Applies from week 12 on. */
export const MAX_P95_MS = 250
export const LATER_LOAD_TEST = buildLoadTest(MAX_P95_MS)

/** Nothing reports after the demo is created, and people may look at it for weeks. */
const NEVER_STALE = { expected_report_interval: null }

export const ENVIRONMENTS = [
  { name: 'production', type: 'K8S', description: 'Live systems. On call: platform team', ...NEVER_STALE },
  { name: 'staging', type: 'K8S', description: 'Pre-release testing', ...NEVER_STALE },
  { name: 'edge', type: 'lambda', description: 'Small jobs close to customers', ...NEVER_STALE },
  {
    name: 'archive-host',
    type: 'server',
    description: 'The last machine that has not been migrated',
    ...NEVER_STALE,
  },
  { name: 'all-live', type: 'logical', description: 'Everything that customers depend on' },
] as const

/** Existed in the beginning and has been archived since. */
export const RETIRED = {
  environment: {
    name: 'old-data-centre',
    type: 'server',
    description: 'In use until the lease ended',
    ...NEVER_STALE,
  },
  service: {
    name: 'card-portal',
    description: 'Card orders before web-banking supported them',
    pace: 0,
    risk: 'low',
    runs_in: 'edge',
  } satisfies Service,
  control: {
    identifier: 'OPS-00',
    name: 'Release notes are printed and signed',
    description: 'On paper, in the blue folder.',
    links: {},
    tags: { area: 'release' },
  },
} as const

export const LIVE = ['production', 'edge', 'archive-host'] as const

export const CONTROLS = [
  {
    identifier: 'SDLC-01',
    name: 'Every change is reviewed by a second person',
    description: 'No change reaches customers until someone other than its author has approved it.',
    links: { Standard: 'https://policies.harbour-bank.example/sdlc#review' },
    tags: { area: 'change' },
  },
  {
    identifier: 'SDLC-02',
    name: 'Every build is tested',
    description: 'Automated tests ran on the build, and none of them failed.',
    links: {},
    tags: { area: 'change' },
  },
  {
    identifier: 'SDLC-03',
    name: 'Every build is scanned for known vulnerabilities',
    description: 'The build was scanned, and no high-severity vulnerabilities were found.',
    links: {},
    tags: { area: 'security' },
  },
  {
    identifier: 'REL-01',
    name: 'Every release is approved',
    description: 'A person responsible for the service has approved the release.',
    links: { Form: 'https://policies.harbour-bank.example/release' },
    tags: { area: 'release' },
  },
  {
    identifier: 'OPS-01',
    name: 'Access to production is reviewed every quarter',
    description: null,
    links: {},
    tags: { area: 'access' },
  },
] as const

const SCHEMA = '_schema: https://waybill.example/schemas/policy/v1\n'

export const FIRST_LIVE_RULES = `${SCHEMA}artifacts:
  provenance:
    required: true
  attestations:
    - name: unit-tests
      type: junit
    - name: code-review
      type: pull_request
`

export const LIVE_RULES = `${SCHEMA}artifacts:
  provenance:
    required: true
  attestations:
    - name: unit-tests
      type: junit
    - name: code-review
      type: pull_request
    - name: vulnerability-scan
      type: snyk
      if: \${{ exists(flow.tags.risk) and flow.tags.risk == "high" }}
    - type: decision
      for_control: REL-01
      if: \${{ exists(flow.tags.risk) and flow.tags.risk == "high" }}
`

export const STAGING_RULES = `${SCHEMA}artifacts:
  provenance:
    required: true
  attestations:
    - name: unit-tests
      type: junit
`

export const TITLES = [
  'Round half to even',
  'Retry once when the ledger is busy',
  'Show pending payments first',
  'Drop the old report format',
  'Say which card was declined',
  'Limit transfers for new customers',
  'Translate the receipt',
  'Cache exchange rates for a minute',
  'Close idle connections',
  'Confirm before deleting a payee',
  'Log why a payment was declined',
  'Read the batch size from the settings',
] as const
