// The notation of snapshots: `production`, `production#3`, `production~1`, `production@{2.hours.ago}`.
import { failUsage } from '../program/problem.ts'

export const SNAPSHOT_NOTATION =
  'A snapshot is an environment (its latest), env#3 (its third), env~1 (one before the latest), ' +
  'env@{2.hours.ago} or env@{2026-03-01T12:00:00} (what ran then, in UTC).'

/** The path parameters of a snapshot. */
export function parseSnapshot(text: string): { env_name: string; snapshot_expression: string } {
  const at = text.search(/[#~@]/)
  if (at === 0) failUsage(`"${text}" names no environment`, SNAPSHOT_NOTATION)
  if (at === -1) return { env_name: text, snapshot_expression: '-1' }
  return { env_name: text.slice(0, at), snapshot_expression: text.slice(at) }
}
