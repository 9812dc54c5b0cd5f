// The parts of a custom attestation type for this package's summaries: a JSON Schema, jq rules and the values
// to show.
import { type Finding, SEVERITIES } from './findings.ts'

export type JsonSchema = Record<string, unknown>

export interface Preset {
  /** The name of the custom attestation type. */
  name: string
  description: string
  /** JSON Schema 2020-12 of the summary. */
  schema: JsonSchema
  /** jq programs, each of which must yield `true`. */
  rules: readonly string[]
  /** Values to show for an attestation: labels and jq programs. */
  summary: readonly { name: string; expression: string }[]
}

export const COUNT: JsonSchema = { type: 'integer', minimum: 0 }
export const TEXT: JsonSchema = { type: 'string' }
export const RATE: JsonSchema = { type: 'number', minimum: 0, maximum: 1 }
export const BOOLEAN: JsonSchema = { type: 'boolean' }
export const TEXT_OR_NULL: JsonSchema = { type: ['string', 'null'] }

/** Requires every property except those in `optional`, and accepts no others. */
export function describeObject(required: JsonSchema, optional: JsonSchema = {}): JsonSchema {
  return {
    type: 'object',
    properties: { ...required, ...optional },
    required: Object.keys(required),
    additionalProperties: false,
  }
}

export const describeCounts = (names: readonly string[]): JsonSchema =>
  describeObject(Object.fromEntries(names.map(name => [name, COUNT])))

const OPTIONAL_OF_FINDING: readonly Exclude<keyof Finding, 'id' | 'severity'>[] = [
  'title',
  'package',
  'version',
  'fixed_version',
  'location',
]

/** The fields that all scanner summaries share. */
export const describeScan = (levels: readonly string[], more: JsonSchema): JsonSchema => ({
  $schema: 'https://json-schema.org/draft/2020-12/schema',
  ...describeObject({
    tool: TEXT,
    tool_version: TEXT_OR_NULL,
    counts: describeCounts(levels),
    total: COUNT,
    findings: {
      type: 'array',
      items: describeObject(
        { id: TEXT, severity: { enum: levels } },
        Object.fromEntries(OPTIONAL_OF_FINDING.map(name => [name, TEXT])),
      ),
    },
    truncated: COUNT,
    ...more,
  }),
})

/** No severe finding, and none of unknown severity. */
export const SEVERITY_RULES: readonly string[] = [
  '.counts.critical == 0',
  '.counts.high == 0',
  '.counts.unknown == 0',
]

export const SEVERITY_SUMMARY = SEVERITIES.map(severity => ({
  name: severity.charAt(0).toUpperCase() + severity.slice(1),
  expression: `.counts.${severity}`,
}))
