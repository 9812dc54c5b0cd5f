// Checks every response that the fuzz test gets, whatever it sent: no server error, a documented status, a body of the
// documented shape, and no secret in it.
import { LIMITS } from '../../src/api/limits.ts'
import type { DocumentedOperation, FuzzDocument } from './document.ts'
import type { Draft, WrittenRequest } from './requests.ts'
import { PLANTED_PASSWORD, resolveRef, type Schema } from './schema-values.ts'

export interface Received {
  status: number
  headers: Record<string, unknown>
  text: string
}

const REQUEST_ID = /^[\w.-]{8,64}$/
const MAX_SEGMENT_LENGTH = 2_048
const SECRET_FIELDS = new Set(['token', 'secret', 'webhook'])
const MIN_SECRET_LENGTH = 12
/** Messages for violated constraints (`db/violations.ts`): validation must catch these cases before the database. */
const CONSTRAINT_MESSAGES = [
  'A value cannot be stored as given',
  'Another request stored the same thing at the same time',
  'Something this request refers to does not exist',
]

/** Every problem with a response, in sentences. */
export function findProblems(
  document: FuzzDocument,
  draft: Draft,
  sent: WrittenRequest,
  got: Received,
): string[] {
  const path = new URL(sent.url, 'http://waybill.test').pathname
  const served = document.operations.filter(operation => operation.serves(path))
  const meant = served.filter(({ method }) => method === sent.method)
  return [
    ...(got.status >= 500 && got.status !== 501 ? ['The service failed'] : []),
    ...(REQUEST_ID.test(String(got.headers['x-request-id'])) ? [] : ['X-Request-ID is missing']),
    ...(draft.broken?.is_certain && got.status < 400 ? ['An invalid request was accepted'] : []),
    ...(isGeneral(sent, got, served, meant)
      ? findErrorProblems(document, got)
      : findBodyProblems(document, meant, got)),
    ...CONSTRAINT_MESSAGES.filter(sentence => got.status >= 400 && got.text.includes(sentence)),
    ...findSecrets(draft, sent, got),
  ]
}

/** Whether the response comes before any operation is found, or is about the address as a whole. */
function isGeneral(
  sent: WrittenRequest,
  got: Received,
  served: DocumentedOperation[],
  meant: DocumentedOperation[],
): boolean {
  if (got.status === 404) return meant.length === 0 || got.text.includes('There is nothing at this address')
  if (got.status === 405) return served.length > 0 && String(got.headers.allow ?? '') !== ''
  if (got.status === 414) {
    const isLong = sent.url.split('/').some(segment => segment.length > MAX_SEGMENT_LENGTH)
    return isLong || sent.url.length > LIMITS.url_bytes
  }
  return got.status === 400 && meant.length === 0
}

function findBodyProblems(
  document: FuzzDocument,
  meant: readonly DocumentedOperation[],
  got: Received,
): string[] {
  const documented = meant.filter(({ answers }) => answers[got.status])
  if (documented.length === 0) {
    return [`${got.status} is not documented for ${meant.map(({ id }) => id).join(' or ') || 'this address'}`]
  }
  const problems = documented.map(operation => findContentProblems(document, operation, got))
  return problems.some(found => found.length === 0) ? [] : problems.flat()
}

function findContentProblems(
  document: FuzzDocument,
  { answers }: DocumentedOperation,
  got: Received,
): string[] {
  if (got.status >= 400) return findErrorProblems(document, got)
  const content = answers[got.status] ?? {}
  const [type = ''] = String(got.headers['content-type']).split(';')
  const schema = content[type]
  if (!schema) return [`The content type is ${type}, documented is ${Object.keys(content).join(' or ')}`]
  if (type !== 'application/json' || isFile(document, schema)) return []
  const problem = document.findProblem(schema, JSON.parse(got.text))
  return problem === undefined ? [] : [`The body is not as documented: ${problem}`]
}

/** A download may contain anything, even when it is JSON. */
function isFile(document: FuzzDocument, schema: Schema): boolean {
  const { $ref } = schema
  const { format } = typeof $ref === 'string' ? resolveRef(document.schemas, $ref) : schema
  return format === 'binary'
}

function findErrorProblems(document: FuzzDocument, got: Received): string[] {
  if (got.headers['content-type'] !== 'application/json; charset=utf-8') return ['The error is not JSON']
  const problem = document.findProblem({ $ref: '#/components/schemas/Error' }, JSON.parse(got.text))
  const hasMessage = /"message":"./.test(got.text)
  return [
    ...(problem ? [`The error is not as documented: ${problem}`] : []),
    ...(hasMessage ? [] : ['The error has no message']),
  ]
}

function findSecrets(draft: Draft, sent: WrittenRequest, got: Received): string[] {
  const shown = got.text + JSON.stringify(got.headers)
  const [, credential = ''] = (sent.headers.authorization ?? '').split(' ')
  const secrets = [credential, ...(got.status >= 400 ? listSecretFields(draft) : [])]
  const found = secrets.filter(secret => secret.length >= MIN_SECRET_LENGTH && shown.includes(secret))
  return [
    ...found.map(() => 'The response contains a secret'),
    ...(shown.includes(PLANTED_PASSWORD) ? ['The response contains a password'] : []),
  ]
}

/** The values of fields that are secret by their name. */
function listSecretFields({ json }: Draft): string[] {
  const found: string[] = []
  try {
    JSON.parse(json?.toString() ?? 'null', (key, value) => {
      if (SECRET_FIELDS.has(key) && typeof value === 'string') found.push(value)
      return value
    })
  } catch {
    // A body that is not JSON has no fields.
  }
  return found
}
