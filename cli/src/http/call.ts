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

/** Keeps what shows later that writes are in the log. */
export interface Receipts {
  /** Sent with each write. */
  headers: Readonly<Record<string, string>>
  /** Called while the program waits for the answer. Never fails. */
  prepare(call: Call): void
  /** Never fails: the write is stored. */
  keep(call: Call, answer: Answer): Promise<void>
}

export interface Answer {
  status: number
  headers: Readonly<Record<string, string>>
  bytes: Buffer
  /** Undefined if the response is not JSON. */
  json: unknown
}
