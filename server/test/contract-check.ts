// Compares every JSON response in a test with its operation's contract, strictly: a field that the schema lacks fails
// the test, whatever the test is about.
import type { IncomingMessage } from 'node:http'
import type { FastifyInstance } from 'fastify'
import type { TSchema } from 'typebox'
import type { Contract } from '../src/api/operation.ts'
import { operations } from '../src/api/operations.ts'
import { BRANDED_KEYS, BRANDED_RECORD_KEYS } from '../src/http/compat.ts'
import { ERROR_SCHEMA } from '../src/http/openapi.ts'
import { makeBodyShapeCheck } from '../src/lib/shape.ts'

const contracts = new Map(operations.map(({ contract }) => [contract.id, contract]))
const asked = new WeakMap<object, Contract>()

/** Records the operation of every request, for `findContractProblems`. */
export function watchOperations(server: FastifyInstance): void {
  server.addHook('onRequest', async request => {
    const contract = contracts.get(request.routeOptions.config.operation_id ?? '')
    if (contract) asked.set(request.raw, contract)
  })
}

export interface CheckedAnswer {
  statusCode: number
  headers: Record<string, unknown>
  body: string
  raw: { req: IncomingMessage | object }
}

/** Undefined if the response has the shape that its operation promises. */
export function findContractProblems(answer: CheckedAnswer): string | undefined {
  const contract = asked.get(answer.raw.req)
  const isJson = String(answer.headers['content-type'] ?? '').startsWith('application/json')
  if (!contract || !isJson || answer.body === '') return undefined
  const schema = findSchema(contract, answer.statusCode)
  if (!schema) return undefined
  const found = makeBodyShapeCheck(schema)(readNeutral(answer.body), '')
  return (
    found && `${contract.id} answered ${answer.statusCode} against its contract: ${JSON.stringify(found)}`
  )
}

/** Undefined for a download, which may contain anything. */
function findSchema({ returns, waits, download }: Contract, status: number): TSchema | undefined {
  if (status >= 400) return ERROR_SCHEMA as unknown as TSchema
  if (status === 202) return waits
  return download === undefined ? returns : undefined
}

/** As in the contracts: without what http/compat.ts adds and renames for existing clients. */
function readNeutral(text: string): unknown {
  const brands = [...Object.values(BRANDED_KEYS), ...Object.values(BRANDED_RECORD_KEYS)]
  return JSON.parse(text, (key, value) => {
    if (brands.includes(key)) return undefined
    const { type, neutral_type } = Object(value) as Record<string, unknown>
    return type !== undefined && neutral_type !== undefined ? { ...value, type: neutral_type } : value
  })
}
