// Status texts in the OpenAPI document: a sentence for each, an example of each error, and response headers.
import { LIMITS } from '../api/limits.ts'
import type { Contract } from '../api/operation.ts'
import { isRole } from '../domain/roles.ts'

type Json = Record<string, unknown>

const TEXT: Readonly<Record<number, string>> = {
  400: 'The input is invalid; `errors` names each field',
  401: 'Credentials are missing or not valid',
  403: 'The caller has no access',
  404: 'Something named in the path or the body does not exist',
  409: 'Conflicts with the stored state',
  410: 'It was erased; the message says by whom, when and why',
  415: 'The content type is not supported',
  422: 'The Idempotency-Key was used for another request',
  429: 'Too many requests; see Retry-After',
  501: 'Not implemented; the message says what there is instead',
  503: 'Temporarily unavailable; see Retry-After',
  507: 'The attachment does not fit into the quota of the organization',
}

/** The message if the last parameter of a path does not exist. */
const MISSING: Readonly<Record<string, string>> = {
  flow_name: "Flow named 'backend-ci' does not exist for organization 'acme'",
  trail_name: "Trail with name 'release-1.4.2' does not exist for Organization 'acme' and Flow 'backend-ci'",
  env_name: "Environment named 'production' does not exist for organization 'acme'",
  fingerprint:
    "Artifact with fingerprint 'b5bb9d80' does not exist in flow 'backend-ci' belonging to organization 'acme'",
  sha: "Artifact with commit '4f2c1d0b' does not exist in flow 'backend-ci' belonging to organization 'acme'",
  value: "No matches for 'b5bb9d80'.",
  snapshot_expression:
    "Org: 'acme'. Snapshot 'production#99' resolves to 'production#99'. len(snapshots) == 42. Indexes are 1-based",
  decision_id: "Decision '0196f1c2-7a3b-7c4d-8e5f-1a2b3c4d' does not exist for control 'SDLC-7'",
  key_id: 'API key not found',
  badge_id: 'Badge not found',
  token: 'There is no such badge',
  token_id: 'SCIM token not found',
  invitation_id: 'Invitation not found',
  delivery_id: 'Delivery not found',
  session_id: "There is no session '0196f1c2-7a3b-7c4d-8e5f-1a2b3c4d' of yours",
  user: "User 'ada' is not a member of organization 'acme'",
  identifier: "Control 'SDLC-7' does not exist in org 'acme'",
  repo_name: "Repo 'acme/backend' not found",
  resource_id: "Flow named 'backend-ci' does not exist for organization 'acme'",
}
const MISSING_BY_TAG: Readonly<Record<string, string>> = {
  Approvals: "Approval number '23' does not exist in flow 'backend-ci' belonging to organization 'acme'",
  'Custom attestation types': "Custom attestation type 'coverage-metrics' does not exist for org 'acme'",
  'Keyless CI': "Trust rule named 'release-pipeline' does not exist for organization 'acme'",
  Notifications: "Notification number 1 does not exist for organization 'acme'",
  Policies: "Policy 'production-rules' does not exist in organization 'acme'",
  'Service accounts': 'Service account not found',
  Snapshots: "Environment named 'production' does not exist for organization 'acme'",
}
const CONFLICTS: Readonly<Record<string, string>> = {
  Badges: 'The organization already has 200 badges, the maximum; revoke one first',
  Controls: "A control with identifier 'SDLC-7' already exists in organization 'acme'",
  Invitations: "'ines@example.com' is already invited; resend or withdraw that invitation",
  'Keyless CI': "A trust rule named 'release-pipeline' already exists in organization 'acme'",
  Log: 'The body of leaf 0 (log_opened) cannot be erased: verifiers need it, and it is about the log alone',
  Members: "The last admin of 'acme' cannot be removed or demoted",
  Organizations: "The name 'acme' is taken",
  Policies: "Policy 'production-rules' is attached to production; detach it first",
  'Mail domains': 'The organization already has 100 mail domains; delete one first',
  'SCIM tokens': 'There are 5 SCIM tokens already; revoke one that is not needed',
}

const SHOWN_ONCE = 'A request with this Idempotency-Key was already answered; the secret is shown only once'

/** The statuses that an operation declares, and those that any operation can return. */
export function listFailures(contract: Contract): number[] {
  const { access, method } = contract
  const always = [400, 429, 503]
  const authenticated = access === 'public' ? [] : [401]
  // A session that changes something must prove that the request came from our own page.
  const denied = access === 'public' || (access === 'caller' && method === 'GET') ? [] : [403]
  const withBody = method === 'GET' ? [] : [413, 415]
  const withAttachment = contract.form ? [507] : []
  const absent = contract.unimplemented ? [501] : []
  const all = [
    ...contract.fails,
    ...always,
    ...authenticated,
    ...denied,
    ...withBody,
    ...withAttachment,
    ...absent,
  ]
  return [...new Set(all)].sort((a, b) => a - b)
}

export function buildFailure(contract: Contract, status: number, path: string): Json {
  const example =
    status === 400 ? buildInvalidExample(contract) : { message: buildMessage(contract, status, path) }
  return {
    description: describeStatus(contract, status),
    headers: buildHeaderRefs(['X-Request-ID', ...(ERROR_HEADERS[status] ?? [])]),
    content: { 'application/json': { schema: { $ref: '#/components/schemas/Error' }, example } },
  }
}

const ERROR_HEADERS: Readonly<Record<number, readonly string[]>> = {
  401: ['WWW-Authenticate'],
  429: ['Retry-After'],
  503: ['Retry-After'],
}

/** References to the headers that the document declares once. */
export function buildHeaderRefs(names: readonly string[]): Json {
  return Object.fromEntries(names.map(name => [name, { $ref: `#/components/headers/${name}` }]))
}

function describeStatus(contract: Contract, status: number): string | undefined {
  if (status === 413) return describeTooLarge(contract)
  const isChange = contract.method !== 'GET'
  return status === 403 && isChange
    ? `${TEXT[403]}, or a browser session did not send its \`X-CSRF-Token\``
    : TEXT[status]
}

function describeTooLarge({ form, max_body_bytes }: Contract): string {
  const limit = `The body is larger than ${max_body_bytes ?? LIMITS.json_body_bytes} bytes`
  if (!form) return limit
  if (form.evidence_part === undefined)
    return `${limit}, or a form is larger than ${LIMITS.multipart_request_bytes}`
  const { evidence_files: files, evidence_file_bytes: bytes, evidence_content_bytes: all } = LIMITS
  return `${limit}, a file is larger than ${bytes}, or there are more than ${files} files or ${all} bytes in them, decompressed`
}

function buildInvalidExample({ body }: Contract): Json {
  const [field] = (body as { required?: string[] } | undefined)?.required ?? []
  const errors =
    field === undefined
      ? { 'query.no_such_parameter': 'Extra inputs are not permitted [input: 1]' }
      : { [field]: 'Field required [input: None]' }
  return { message: 'Input payload validation failed', errors }
}

function buildMessage(contract: Contract, status: number, path: string): string {
  switch (status) {
    case 401:
      return 'Authentication is required'
    case 403:
      return isRole(contract.access)
        ? `Access denied to /api/v2${path}`
        : "You don't have permission to access this resource"
    case 404:
      return describeMissing(contract)
    case 409:
      return CONFLICTS[contract.tag] ?? SHOWN_ONCE
    case 410:
      return 'The body of leaf 940 was erased by ada on 2026-11-17T09:00:00.000Z (data_subject_request), as leaf 1000 records'
    case 413:
      return 'The request body is larger than allowed'
    case 415:
      return 'The content type is not supported here; send application/json'
    case 422:
      return 'This Idempotency-Key was already used for a different request. Use a new key for each request.'
    case 429:
      return 'Too many requests; slow down'
    case 501:
      return contract.unimplemented ?? ''
    case 507:
      return "The attachment has 401 bytes, and organization 'acme' has 400 of its quota of 1000 bytes of evidence left; the operator can raise the quota"
    default:
      return 'The database is not available at the moment; try again'
  }
}

function describeMissing({ path, tag }: Contract): string {
  const names = [...path.matchAll(/\{(\w+)\+?\}/g)]
    .map(([, name]) => name ?? '')
    .filter(name => name !== 'org')
  const last = names.at(-1) ?? ''
  return MISSING[last] ?? MISSING_BY_TAG[tag] ?? 'There is nothing at this address'
}
