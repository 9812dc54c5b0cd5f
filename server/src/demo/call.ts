// The API calls that make up the demo: each has a time and a caller.
import * as company from './company.ts'

export interface Call {
  /** Epoch seconds. */
  at: number
  /** A person or a service account of the company. */
  by: string
  method: 'PUT' | 'POST' | 'PATCH'
  /** Below /api/v2. */
  path: string
  /** Undefined for a request without a body. */
  body?: unknown
  /** Sent as a multipart form, with the body as its JSON part. */
  file?: { part: string; name: string; content: string }
  /** The response is an API key, which this service account uses from then on. */
  hands_key_to?: string
}

export const DAY = 24 * 60 * 60
export const HOUR = 60 * 60
export const MINUTE = 60
export const WEEK = 7 * DAY

export const ORG = company.DEMO_ORG
export const PIPELINE = company.ROBOTS.pipeline.name
export const WATCHER = company.ROBOTS.watcher.name

/** Builds calls of one caller at one time. */
export function makeCalls(by: string, at: number) {
  const call = (method: Call['method']) => (path: string, body?: unknown) => ({ at, by, method, path, body })
  return { put: call('PUT'), post: call('POST'), patch: call('PATCH') }
}
