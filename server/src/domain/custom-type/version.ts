// What makes a new version of a custom attestation type: another schema, other rules or another summary, compared as
// JSON. The description belongs to the type, not to a version.
import { applyPatch } from '../trail/changes.ts'

export interface SummaryEntry {
  name: string
  expression: string
}

export interface TypeVersion {
  type_schema: Record<string, unknown> | null
  rules: string[] | null
  summary: SummaryEntry[] | null
}

/** The fields that differ, in the order of the alphabet; none means that the version stays. */
export function listVersionChanges(before: TypeVersion, after: TypeVersion): string[] {
  const { type_schema, rules, summary } = after
  return applyPatch(before, { type_schema, rules, summary }).changes
}
