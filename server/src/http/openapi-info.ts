// What the document says before its first path: conventions, limits, tags in the order a newcomer needs them, headers.
import { LIMITS } from '../api/limits.ts'
import { SESSION_COOKIE } from '../lib/session-token.ts'

type Json = Record<string, unknown>

const CONVENTIONS = `
Waybill records what is built, what was found out about it, where it runs, and whether that is allowed.

**Requests.** Bodies are JSON in UTF-8; where it says so, a form with a JSON part and files. Objects are closed: a
property or parameter that is not described here is refused. Moments are seconds since 1970-01-01T00:00:00Z, with a
fraction.

**Credentials.** An API key as \`Authorization: Bearer\` or as the user name of HTTP Basic, or a browser session.
\`x-access\` says who may call: \`public\` needs nothing, \`caller\` any valid credential, \`user\` a person, and a role (\`reader\`, \`snapshotter\`, \`member\`,
\`admin\`) a member of the organization of the path with that role or a higher one. With
\`public_read\`, anyone can read an organization's public flows and what belongs to them without a key, and nothing else.

**Errors** are \`{"message": …}\`; where input is not valid, \`errors\` has a sentence for each field. Besides the statuses
of each operation: 404 where there is nothing, 405 where the method is not taken, 408 for a request that arrives too
slowly, 414 for an address and 431 for headers that are too long.

**Pages.** Lists take \`page\`, counted from 1, and \`per_page\`; long histories take \`cursor\`, the \`next\` of the page
before. Some lists answer a plain array until a page is asked for.

**Retries.** A POST that stores something takes an \`Idempotency-Key\`: sent again with the same key, it stores nothing
and answers as before; the same key with another body is refused with 422. 429 and 503 say in \`Retry-After\` when to try
again.

**Changes.** \`x-beta\` and the header \`Waybill-Beta\` mark what may still change; \`deprecated\` and the header
\`Deprecation\` (RFC 9745) what should not be used any more.
`

/** In the order of the reference. */
export const TAGS: Readonly<Record<string, string>> = {
  Flows:
    'A flow is a way in which something is built or delivered, with a template of what each run must prove',
  Trails:
    'A trail is one run of a flow: a release, a ticket, a commit. It collects artifacts and attestations',
  Artifacts: 'What was built, known by its SHA-256 fingerprint',
  Attestations: 'What was found out about a trail or an artifact: tests, scans, reviews, decisions',
  'Custom attestation types': 'Attestation types of your own, with a schema and rules in jq',
  Asserts: 'Whether an artifact may be used, with the reasons',
  Environments: 'Places where artifacts run, each alone or several combined',
  Reports: 'What runs in an environment, as its reporters see it',
  Snapshots: 'What ran in an environment at a moment, and how it was judged then',
  Deployments: 'When which artifact started where, and how long it took from the commit',
  Policies: 'Rules for what may run in an environment, in versions',
  'Allow-lists': 'Artifacts that may run in an environment although a policy refuses them',
  Controls: 'What auditors ask for, what was decided about it, and which environments are covered',
  Repos: 'Source repositories that reports named',
  Search: 'Find what a fingerprint or a commit leads to',
  Tags: 'Short facts on flows, environments and other resources, for filters',
  Notifications: 'Messages to people, chats and webhooks, and what became of them',
  'Audit packages': 'Everything about a trail, an artifact or an attestation, in one file',
  Audit: 'What happened in the organization, and who did it',
  'Keyless CI': 'Short-lived keys for CI jobs that prove who they are with a signed token',
  'Service accounts': 'Accounts for programs, and their keys',
  User: 'The caller: default organization, keys, sessions',
  Organizations: 'Organizations, their settings, export and deletion',
  Members: 'Who belongs to an organization, and with which role',
  Invitations: 'Letting people in by mail',
  Decisions: 'Decisions that wait for a second person',
  'Mail domains': 'Mail domains for which the directory of an organization may speak',
  'SCIM tokens': 'Tokens for a directory that provides members and groups',
  Meta: 'The service itself',
  Approvals: 'Kept for those who still use them: nothing depends on approvals any more',
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

/** Those that are used, in the order above; one that is not explained there comes last. */
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
      'A browser session. Methods other than GET need the token of `GET /auth/session` as `X-CSRF-Token`. Ignored ' +
      'when there is an `Authorization` header',
  },
}

const buildHeader = (description: string, example: unknown, schema: Json = { type: 'string' }): Json => ({
  description,
  schema,
  example,
})

export const HEADERS: Json = {
  'X-Request-ID': buildHeader(
    'Id of the request, which the log of the service has too; sent along when it is 8 to 64 letters, digits, dots, ' +
      'dashes or underscores',
    'req-0196f1c27a3b',
  ),
  'Retry-After': buildHeader('Seconds to wait before the next try', 1, { type: 'integer', minimum: 0 }),
  'WWW-Authenticate': buildHeader('How to authenticate', 'Bearer'),
  Deprecation: buildHeader(
    'Since when the operation should not be used any more, as RFC 9745 has it',
    '@1785196800',
  ),
  'Waybill-Warnings': buildHeader(
    'What was accepted but is probably not what was meant: a JSON list of `field` and `message`',
    '[{"field":"policy.artifacts.attestations[0].type","message":"The custom attestation type \'load\' does not exist"}]',
  ),
  'Waybill-Archived-Count': buildHeader(
    'How many match and are left out because they are archived; `archived=true` lists them',
    2,
    { type: 'integer', minimum: 0 },
  ),
  Location: buildHeader(
    'Where what was made can be read',
    'https://waybill.example.com/api/v2/flows/acme/backend',
  ),
  'Waybill-Id': buildHeader('Id of what was made', '0196f1c2-7a3b-7c4d-8e5f-1a2b3c4d'),
  'Waybill-Beta': buildHeader('`?1`: the operation may still change', '?1'),
  'Content-Disposition': buildHeader('The name of the file', 'attachment; filename="evidence.tgz"'),
  Link: buildHeader(
    'Addresses of the pages around this one: first, prev, next, last',
    '<https://waybill.example.com/api/v2/environments/acme/production/events?page=2>; rel="next"',
  ),
  'X-Total-Count': buildHeader('How many items there are on all pages', 57, { type: 'integer' }),
  'X-Per-Page': buildHeader('How many items a page has at most', 15, { type: 'integer' }),
  'X-Current-Page': buildHeader('Number of this page', 1, { type: 'integer' }),
  'X-Total-Pages': buildHeader('How many pages there are', 4, { type: 'integer' }),
}

export const IDEMPOTENCY_KEY: Json = {
  name: 'Idempotency-Key',
  in: 'header',
  required: false,
  description:
    'A name for the request: sent again under the same name by the same caller, it stores nothing and is answered alike',
  schema: { type: 'string', pattern: '^[\\x21-\\x7e]{1,255}$' },
  example: 'build-42-artifact',
}

function renderLimitsTable(): string {
  const rows = Object.entries(LIMITS).map(([name, value]) => `| ${name.replaceAll('_', ' ')} | ${value} |`)
  return ['| limit | value |', '|---|---|', ...rows].join('\n')
}
