// An API request and its response.
import type { Part } from './multipart.ts'

export interface Call {
  method: 'GET' | 'PUT' | 'POST' | 'PATCH' | 'DELETE'
  /** The path below `/api/v2`. */
  path: string
  query?: Readonly<Record<string, QueryValue>>
  json?: unknown
  parts?: readonly Part[]
  /** Makes it safe to send a POST twice. */
  idempotency_key?: string
  /** Overrides how long the program retries. */
  timeout_ms?: number
}

type QueryValue = string | number | boolean | readonly string[] | undefined

export interface Answer {
  status: number
  headers: Readonly<Record<string, string>>
  bytes: Buffer
  /** Undefined if the response is not JSON. */
  json: unknown
}
