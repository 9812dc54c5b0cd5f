// Snapshot expressions: how a caller names one snapshot of an environment, by index, by distance from the latest or
// by time. Only the database knows whether the snapshot exists.

import { ENVIRONMENT_NAME } from '../names.ts'
import { parseUtcTime, subtractTime, type TimeUnit } from './utc-time.ts'

// An index counts from 1, a negative one from the latest (-1). It is never 0.
export type SnapshotExpression =
  | { kind: 'index'; index: number }
  | { kind: 'behind'; behind: number }
  | { kind: 'at'; time: Date }

export interface Snappish {
  environment_name: string
  expression: SnapshotExpression
  // How the error message names it.
  asked: string
}

// Any number is an index. Numbers too large for the column become this one, which no snapshot will ever have.
const MAX_INDEX = 2 ** 31 - 1

// Each number has one spelling: `01` is an error, not snapshot 1.
const INDEX = /^#?(-?[1-9]\d*)$/
const BEHIND = /^~(0|[1-9]\d*)$/
const AT_TIME = /^@\{(.*)\}$/
const AGO = /^(\d+)\.(hour|day|week|month)s?\.ago$/
const NAMED = new RegExp(ENVIRONMENT_NAME, 'u')

export function parseExpression(text: string, now: Date): SnapshotExpression | undefined {
  const index = INDEX.exec(text)?.[1]
  if (index !== undefined) return { kind: 'index', index: toIndex(index) }
  const behind = BEHIND.exec(text)?.[1]
  if (behind !== undefined) return { kind: 'behind', behind: toIndex(behind) }
  const inBraces = AT_TIME.exec(text)?.[1]
  // By number, not by time: another process may have just taken a snapshot that is ahead of this process's clock.
  if (inBraces === 'now') return { kind: 'behind', behind: 0 }
  const time = inBraces === undefined ? undefined : parseTime(inBraces, now)
  return time && { kind: 'at', time }
}

// An expression that includes its environment; the bare name means the latest snapshot.
export function parseSnappish(text: string, now: Date): Snappish | undefined {
  const environment_name = cutEnvironmentName(text)
  if (!NAMED.test(environment_name)) return undefined
  const rest = text.slice(environment_name.length)
  const expression = parseExpression(rest === '' ? '-1' : rest, now)
  return expression && { environment_name, expression, asked: formatRequested(environment_name, rest) }
}

/** `prod` of `prod#12`, `prod~3` and `prod@{now}`. */
export function cutEnvironmentName(text: string): string {
  return text.split(/[#~@]/, 1)[0] ?? text
}

// May be outside of 1 to latest_index, and always is if the environment has no snapshot (latest_index 0).
export function resolveIndex(
  expression: Exclude<SnapshotExpression, { kind: 'at' }>,
  latest_index: number,
): number {
  if (expression.kind === 'behind') return latest_index - expression.behind
  return expression.index > 0 ? expression.index : latest_index + 1 + expression.index
}

export function formatRequested(environment_name: string, text: string): string {
  return /^[-\d]/.test(text) ? `${environment_name}#${text}` : environment_name + text
}

function toIndex(digits: string): number {
  return Math.max(-MAX_INDEX, Math.min(MAX_INDEX, Number(digits)))
}

function parseTime(text: string, now: Date): Date | undefined {
  const [, amount, unit] = AGO.exec(text) ?? []
  if (amount === undefined) return parseUtcTime(text)
  return Number(amount) > 0 ? subtractTime(now, Number(amount), unit as TimeUnit) : undefined
}
