// The company of the demo: who works there, what they build, where it runs and what they demand of it. Invented.

export const DEMO_ORG = 'harbour-bank'
export const DEMO_DESCRIPTION = 'A made-up bank: half a year of releases, deployments and two bad days'

export interface Person {
  name: string
  full_name: string
  role: 'admin' | 'member' | 'reader'
}

export const PEOPLE: readonly Person[] = [
  { name: 'mara', full_name: 'Mara Lindqvist', role: 'admin' },
  { name: 'jonas', full_name: 'Jonas Okafor', role: 'member' },
  { name: 'priya', full_name: 'Priya Raman', role: 'member' },
  { name: 'teo', full_name: 'Teo Marchetti', role: 'member' },
  { name: 'ines', full_name: 'Ines Duarte', role: 'reader' },
]

export const ENGINEERS = ['jonas', 'priya', 'teo'] as const
export const MAIL_DOMAIN = 'harbour-bank.example'
export const toMailAddress = (name: string) => `${name}@${MAIL_DOMAIN}`

export const ROBOTS = {
  pipeline: { name: 'pipeline', privilege: 'member', description: 'Builds, tests and releases' },
  watcher: { name: 'cluster-watcher', privilege: 'snapshotter', description: 'Reports what runs' },
} as const

export interface Service {
  name: string
  description: string
  /** How many releases a week, about. */
  pace: number
  risk: 'high' | 'low'
  /** Where it runs besides staging. */
  runs_in: 'production' | 'edge'
}

export const SERVICES: readonly Service[] = [
  {
    name: 'payments-api',
    description: 'Takes and settles payments',
    pace: 2.4,
    risk: 'high',
    runs_in: 'production',
  },
  {
    name: 'ledger',
    description: 'Books every movement of money',
    pace: 1.2,
    risk: 'high',
    runs_in: 'production',
  },
  { name: 'web-banking', description: 'What customers see', pace: 3, risk: 'low', runs_in: 'production' },
  {
    name: 'fraud-scoring',
    description: 'Judges payments while they happen',
    pace: 1.5,
    risk: 'high',
    runs_in: 'production',
  },
  {
    name: 'statement-mailer',
    description: 'Sends statements at night',
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

/** What judges payments while they happen has to be quick, and shows it for every build. */
const TEMPLATE_WITH_LOAD_TEST = `${TEMPLATE}        - name: load-test
          type: custom:load-test
`

export const getTemplate = ({ name }: Service) =>
  name === 'fraud-scoring' ? TEMPLATE_WITH_LOAD_TEST : TEMPLATE

const LOAD_TEST = {
  name: 'load-test',
  description: 'An hour of payments, played back against the build',
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
export const LOAD_TEST_AT_FIRST = buildLoadTest(400)
/** In milliseconds, since the twelfth week. */
export const QUICK_ENOUGH_MS = 250
export const LOAD_TEST_LATER = buildLoadTest(QUICK_ENOUGH_MS)

/** Nobody reports when the story is over, and the demo may be looked at for weeks. */
const NEVER_STALE = { expected_report_interval: null }

export const ENVIRONMENTS = [
  { name: 'production', type: 'K8S', description: 'Real money. On call: the platform team', ...NEVER_STALE },
  { name: 'staging', type: 'K8S', description: 'Where releases wait for their turn', ...NEVER_STALE },
  { name: 'edge', type: 'lambda', description: 'Small jobs near the customers', ...NEVER_STALE },
  {
    name: 'archive-host',
    type: 'server',
    description: 'The one machine nobody has moved yet',
    ...NEVER_STALE,
  },
  { name: 'all-live', type: 'logical', description: 'Everything that customers depend on' },
] as const

/** What there was at first, and is archived by now. */
export const RETIRED = {
  environment: {
    name: 'old-data-centre',
    type: 'server',
    description: 'Until the lease ended',
    ...NEVER_STALE,
  },
  service: {
    name: 'card-portal',
    description: 'Where cards were ordered before web-banking could',
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
    description: 'No change reaches customers before somebody other than its author has approved it.',
    links: { Standard: 'https://policies.harbour-bank.example/sdlc#review' },
    tags: { area: 'change' },
  },
  {
    identifier: 'SDLC-02',
    name: 'Every build is tested',
    description: 'Automated tests ran on the build itself, and none of them failed.',
    links: {},
    tags: { area: 'change' },
  },
  {
    identifier: 'SDLC-03',
    name: 'Known vulnerabilities are looked for',
    description: 'The build was scanned, and nothing of high severity was found.',
    links: {},
    tags: { area: 'security' },
  },
  {
    identifier: 'REL-01',
    name: 'A release is decided on',
    description: 'Somebody who answers for the service has released it.',
    links: { Form: 'https://policies.harbour-bank.example/release' },
    tags: { area: 'release' },
  },
  {
    identifier: 'OPS-01',
    name: 'Access to production is reviewed each quarter',
    description: null,
    links: {},
    tags: { area: 'access' },
  },
] as const

const SCHEMA = '_schema: https://waybill.example/schemas/policy/v1\n'

export const LIVE_RULES_AT_FIRST = `${SCHEMA}artifacts:
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
  'Say which card was refused',
  'Limit transfers of new customers',
  'Translate the receipt',
  'Cache exchange rates for a minute',
  'Close idle connections',
  'Ask again before a payee is deleted',
  'Log the reason of a refusal',
  'Read the batch size from the settings',
] as const
