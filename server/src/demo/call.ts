// What the story is made of: calls at moments, by somebody.
import * as company from './company.ts'

export interface Call {
  /** Epoch seconds. */
  at: number
  /** A person, or a robot of the company. */
  by: string
  method: 'PUT' | 'POST' | 'PATCH'
  /** Below /api/v2. */
  path: string
  /** Left out where nothing is sent. */
  body?: unknown
  /** Sent as a form, with the body as its JSON part. */
  file?: { part: string; name: string; content: string }
  /** The answer is a key: from then on this robot calls with it. */
  hands_key_to?: string
}

export const DAY = 24 * 60 * 60
export const HOUR = 60 * 60
export const MINUTE = 60
export const WEEK = 7 * DAY

export const ORG = company.DEMO_ORG
export const PIPELINE = company.ROBOTS.pipeline.name
export const WATCHER = company.ROBOTS.watcher.name

/** What somebody does, at one moment. */
export function makeCalls(by: string, at: number) {
  const call = (method: Call['method']) => (path: string, body?: unknown) => ({ at, by, method, path, body })
  return { put: call('PUT'), post: call('POST'), patch: call('PATCH') }
}
