// The introduction of the OpenAPI document: conventions, limits, tags in a useful order for newcomers, and headers.
import { LIMITS } from '../api/limits.ts'
import { SESSION_COOKIE } from '../lib/session-token.ts'

type Json = Record<string, unknown>

const CONVENTIONS = `
Waybill records what was built, the evidence about it, where it is running, and whether it is allowed to run there.

**Requests.** Bodies are JSON in UTF-8; some operations also accept a form with a JSON part and files. Objects are
closed: unknown properties and parameters are rejected. Times are seconds since 1970-01-01T00:00:00Z, with a
fraction.

**Credentials.** An API key as \`Authorization: Bearer\` or as the user name of HTTP Basic, or a browser session.
\`x-access\` says who may call: \`public\` needs nothing, \`caller\` any valid credential, \`user\` a person, and a role
(\`reader\`, \`snapshotter\`, \`member\`, \`admin\`) a member of the organization of the path with that role or a higher
one. The role \`auditor\` may do what a reader may, and call the operations with \`x-auditors\`, which only read. With \`public_read\`, anyone can read an organization's public flows and their contents without a key, and nothing else. With \`public_log\`, anyone can read its log, without the bodies.

**Errors** are \`{"message": …}\`; for invalid input, \`errors\` has a sentence for each field. In addition to the
statuses of each operation: 404 for unknown paths, 405 if the method is not allowed, 408 for a request that arrives too
slowly, 414 for a URL and 431 for headers that are too long.

**Pages.** Lists accept \`page\`, counted from 1, and \`per_page\`; long histories accept \`cursor\`, the \`next\` of the
previous page. Some lists return a plain array unless a page is requested.

**Retries.** A POST that stores something accepts an \`Idempotency-Key\`: sent again with the same key, it stores nothing
and returns the same response; the same key with another body is rejected with 422. 429 and 503 say in
\`Retry-After\` when to try again.

**Changes.** \`x-beta\` and the header \`Waybill-Beta\` mark operations that may still change; \`deprecated\` and the header
\`Deprecation\` (RFC 9745) mark operations that should no longer be used.
`

/** In the order of the reference. */
export const TAGS: Readonly<Record<string, string>> = {
  Flows:
    'A flow is a process that builds or delivers software, with a template of the evidence that each run needs',
  Trails:
    'A trail is one run of a flow: a release, a ticket, a commit. It collects artifacts and attestations',
  Artifacts: 'What was built, identified by its SHA-256 fingerprint',
  Attestations: 'Evidence about a trail or an artifact: tests, scans, reviews, decisions',
  'Custom attestation types': 'Your own attestation types, with a schema and rules in jq',
  Asserts: 'Check whether an artifact is compliant, with the reasons',
  Environments: 'Places where artifacts run, physical or combined into logical ones',
  Reports: 'Reports of the artifacts running in an environment',
  Snapshots: 'The artifacts running in an environment at a point in time, and their compliance',
  Deployments: 'When and where each artifact started, and the lead time from its commit',
  Policies: 'Versioned rules for the artifacts that may run in an environment',
  'Allow-lists': 'Artifacts that count as compliant in an environment despite its policies',
  Controls: 'Requirements of auditors, the decisions on them, and the environments that enforce them',
  Repos: 'Source repositories named in reports',
  Search: 'Find artifacts by fingerprint or commit',
  Tags: 'Key-value labels on flows, environments and other resources, for filters and policies',
  Notifications: 'Messages to people, chats and webhooks, and their deliveries',
  'Audit packages': 'Everything about a trail, an artifact or an attestation, in one file',
  Audit: 'Events in the organization, and who caused them',
  Live: 'What changes in the organization, while it changes',
  Log: 'The events as a log that nobody can rewrite unnoticed: checkpoints, proofs and tiles',
  'Keyless CI': 'Short-lived keys for CI jobs, in exchange for a signed token (OIDC)',
  'Service accounts': 'Accounts for programs, and their keys',
  User: 'The caller: default organization, keys, sessions',
  Organizations: 'Organizations, their settings, export and deletion',
  Members: 'Members of an organization and their roles',
  Invitations: 'Invite people by mail',
  Decisions: 'Decisions that need a second person',
  'Mail domains': 'Mail domains whose users an organization may provision',
  Badges: 'Pictures of a state for pages outside of the service',
  'SCIM tokens': 'Tokens for SCIM provisioning of members and groups',
  Meta: 'The service itself',
  Approvals: 'Kept for existing users: nothing depends on approvals any more',
}

export function buildInfo(version: string): Json {
  return {
    title: 'Waybill',
    version: '2.0',
    summary: 'Supply-chain compliance: artifacts, evidence, environments, policies',
    description: `${CONVENTIONS.trim()}\n\n**Limits**\n\n${renderLimitsTable()}\n\nProduct version ${version}.`,
    license: { name: 'Apache-2.0', identifier: 'Apache-2.0' },
  }
}

/** The tags in use, in the order above; tags without a description come last. */
export function buildTags(used: ReadonlySet<string>): Json[] {
  const known = Object.keys(TAGS).filter(name => used.has(name))
  const others = [...used].filter(name => TAGS[name] === undefined)
  return [...known, ...others].map(name => ({
    name,
    ...(TAGS[name] === undefined ? {} : { description: TAGS[name] }),
  }))
}

export const SECURITY_SCHEMES: Json = {
  bearer: { type: 'http', scheme: 'bearer', description: 'An API key' },
  basic: { type: 'http', scheme: 'basic', description: 'An API key as the user name' },
  session: {
    type: 'apiKey',
    in: 'cookie',
    name: SESSION_COOKIE,
    description:
      'A browser session. Methods other than GET need the token from `GET /auth/session` as `X-CSRF-Token`. Ignored ' +
      'if there is an `Authorization` header',
  },
}

const buildHeader = (description: string, example: unknown, schema: Json = { type: 'string' }): Json => ({
  description,
  schema,
  example,
})

export const HEADERS: Json = {
  'X-Request-ID': buildHeader(
    'Id of the request, also in the log of the service. Callers may send their own: 8 to 64 letters, digits, dots, ' +
      'dashes or underscores',
    'req-0196f1c27a3b',
  ),
  'Retry-After': buildHeader('Seconds to wait before the next try', 1, { type: 'integer', minimum: 0 }),
  'WWW-Authenticate': buildHeader('How to authenticate', 'Bearer'),
  Deprecation: buildHeader(
    'The date since which the operation is deprecated, in the format of RFC 9745',
    '@1785196800',
  ),
  'Waybill-Warnings': buildHeader(
    'Warnings about input that was accepted but is probably a mistake: a JSON list of `field` and `message`',
    '[{"field":"policy.artifacts.attestations[0].type","message":"The custom attestation type \'load\' does not exist"}]',
  ),
  'Waybill-Archived-Count': buildHeader(
    'The number of matches that are left out because they are archived; `archived=true` lists them',
    2,
    { type: 'integer', minimum: 0 },
  ),
  Location: buildHeader(
    'The URL of the created resource',
    'https://waybill.example.com/api/v2/flows/acme/backend',
  ),
  'Waybill-Id': buildHeader('Id of the created resource', '0196f1c2-7a3b-7c4d-8e5f-1a2b3c4d'),
  'Waybill-Log': buildHeader(
    'Where the events of the request are in the log of the organization: the index of the first leaf, how many there ' +
      'are, the size of the log with them, and the hash of the first leaf. Missing if nothing was recorded',
    'index=940, count=2, size=942, leaf="6QzK3o5zqv0m0n0w1r8m1l6pWJ2g3u9m1T0m4bq3nXk="',
  ),
  'Waybill-Beta': buildHeader('`?1`: the operation may still change', '?1'),
  'Content-Disposition': buildHeader('The name of the file', 'attachment; filename="evidence.tgz"'),
  ETag: buildHeader('Changes with the picture', '"kYqM0s3dT1c2Qf8u"'),
  'Cache-Control': buildHeader('How long it may be kept', 'public, max-age=60, must-revalidate'),
  Link: buildHeader(
    'URLs of related pages: first, prev, next, last',
    '<https://waybill.example.com/api/v2/environments/acme/production/events?page=2>; rel="next"',
  ),
  'X-Total-Count': buildHeader('The number of items on all pages', 57, { type: 'integer' }),
  'X-Per-Page': buildHeader('The maximum number of items per page', 15, { type: 'integer' }),
  'X-Current-Page': buildHeader('Number of this page', 1, { type: 'integer' }),
  'X-Total-Pages': buildHeader('The number of pages', 4, { type: 'integer' }),
}

export const IDEMPOTENCY_KEY: Json = {
  name: 'Idempotency-Key',
  in: 'header',
  required: false,
  description:
    'A unique name for the request: if the same caller sends it again under the same name, it stores nothing and returns the same response',
  schema: { type: 'string', pattern: '^[\\x21-\\x7e]{1,255}$' },
  example: 'build-42-artifact',
}

export const LAST_EVENT_ID: Json = {
  name: 'Last-Event-ID',
  in: 'header',
  required: false,
  description: 'The id of the last event that was received: the stream goes on after it',
  schema: { type: 'string' },
  example: '1.940',
}

function renderLimitsTable(): string {
  const rows = Object.entries(LIMITS).map(([name, value]) => `| ${name.replaceAll('_', ' ')} | ${value} |`)
  return ['| limit | value |', '|---|---|', ...rows].join('\n')
}
