// Decides when a custom attestation type gets a new version: when its schema, rules or summary change, compared as
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

/** The fields that differ, in alphabetical order; empty if no new version is needed. */
export function listVersionChanges(before: TypeVersion, after: TypeVersion): string[] {
  const { type_schema, rules, summary } = after
  return applyPatch(before, { type_schema, rules, summary }).changes
}
