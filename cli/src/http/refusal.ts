// Interprets a response that is not a success: its message, exit code and what to do.
import type { Exit } from '../program/exit-codes.ts'
import { Problem } from '../program/problem.ts'
import type { Answer, Call } from './call.ts'

const EXITS: readonly (readonly [readonly number[], Exit])[] = [
  [[400, 411, 413, 415, 422], 'usage'],
  [[401, 403], 'not_allowed'],
  [[404, 410], 'not_found'],
  [[409, 412], 'conflict'],
]

const HINTS: Partial<Record<number, string>> = {
  401: 'Check the key with "waybill whoami", or sign in with "waybill login".',
  403: 'The key is valid, but its role or its limits do not allow this.',
  429: 'The limit of requests is reached; try again later.',
}

function getExit(status: number): Exit {
  if (status >= 500 || status === 408 || status === 429) return 'unreachable'
  return EXITS.find(([statuses]) => statuses.includes(status))?.[1] ?? 'failure'
}

export function describeRefusal(answer: Answer, { method, path }: Pick<Call, 'method' | 'path'>): Problem {
  const { status, headers } = answer
  const said = readMessage(answer.json)
  const message = said ?? `The service answered ${status} to ${method} ${path}`
  return new Problem(message, {
    exit: getExit(status),
    hint: HINTS[status],
    request_id: headers['x-request-id'],
    status,
  })
}

interface ErrorBody {
  message?: unknown
  errors?: unknown
}

function readMessage(json: unknown): string | undefined {
  if (typeof json !== 'object' || json === null) return undefined
  const { message, errors } = json as ErrorBody
  if (typeof message !== 'string') return undefined
  const fields = typeof errors === 'object' && errors !== null ? listFields(errors) : []
  return [message, ...fields.map(([field, problem]) => `  ${field}: ${problem}`)].join('\n')
}

function listFields(errors: object): [string, string][] {
  return Object.entries(errors).map(([field, problem]) => [
    field,
    typeof problem === 'string' ? problem : JSON.stringify(problem),
  ])
}
