// A request to the API, and its answer.
import type { Part } from './multipart.ts'

export interface Call {
  method: 'GET' | 'PUT' | 'POST' | 'PATCH' | 'DELETE'
  /** Below `/api/v2`. */
  path: string
  query?: Readonly<Record<string, QueryValue>>
  json?: unknown
  parts?: readonly Part[]
  /** Makes it safe to send a POST twice. */
  idempotency_key?: string
  /** How long to retry, if not as long as the program was asked to. */
  timeout_ms?: number
}

type QueryValue = string | number | boolean | readonly string[] | undefined

export interface Answer {
  status: number
  headers: Readonly<Record<string, string>>
  bytes: Buffer
  /** Undefined if the answer is not JSON. */
  json: unknown
}
