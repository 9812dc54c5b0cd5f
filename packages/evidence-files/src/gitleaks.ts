// Gitleaks' JSON report: secrets in a repository. The summary contains their locations, never the secrets
// themselves.
import type { EvidenceFile } from './evidence-file.ts'
import { type Finding, makeFindingList } from './findings.ts'
import { readJson } from './json-file.ts'
import {
  expectObject,
  getField,
  type JsonNode,
  listItems,
  readOptionalNumber,
  readOptionalText,
  readText,
} from './json-node.ts'
import { BOOLEAN, describeScan, type Preset } from './preset.ts'

const LEVELS = ['leak'] as const
const REDACTED = /^(?:REDACTED|\*+)?$/

export interface GitleaksSummary {
  tool: 'gitleaks'
  tool_version: null
  counts: { leak: number }
  total: number
  /**
   * Whether the report contains no secrets, so that it can be attached. `gitleaks --redact` writes such a
   * report.
   */
  is_redacted: boolean
  findings: Finding[]
  truncated: number
}

export function readGitleaks(file: EvidenceFile): GitleaksSummary {
  const leaks = listItems(readJson(file), 'a list of leaks, empty if there are none')
  const list = makeFindingList(LEVELS)
  for (const leak of leaks) list.add(readLeak(leak))
  return {
    tool: 'gitleaks',
    tool_version: null,
    counts: list.getCounts(),
    total: leaks.length,
    is_redacted: leaks.every(leak =>
      REDACTED.test(readOptionalText(getField(leak, 'Secret'), 'a value') ?? ''),
    ),
    ...list.cut(),
  }
}

function readLeak(leak: JsonNode) {
  expectObject(leak, 'a leak')
  const file = readText(getField(leak, 'File'), 'the file')
  const line = readOptionalNumber(getField(leak, 'StartLine'), 'the line')
  const commit = readOptionalText(getField(leak, 'Commit'), 'the commit')
  return {
    id: readText(getField(leak, 'RuleID'), 'the id of the rule'),
    severity: LEVELS[0],
    title: readOptionalText(getField(leak, 'Description'), 'the description'),
    location: `${commit === undefined ? '' : `${commit}:`}${file}${line === undefined ? '' : `:${line}`}`,
  }
}

export const GITLEAKS_PRESET: Preset = {
  name: 'gitleaks',
  description: 'A search for secrets by Gitleaks: compliant without a leak',
  schema: describeScan(LEVELS, {
    tool: { const: 'gitleaks' },
    tool_version: { type: 'null' },
    is_redacted: BOOLEAN,
  }),
  rules: ['.total == 0'],
  summary: [{ name: 'Leaks', expression: '.total' }],
}
