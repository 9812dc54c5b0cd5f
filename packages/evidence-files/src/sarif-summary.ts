// The summary of any tool's SARIF file, for a custom attestation.
import type { EvidenceFile } from './evidence-file.ts'
import { type Finding, makeFindingList } from './findings.ts'
import { readJson } from './json-file.ts'
import { BOOLEAN, COUNT, describeCounts, describeScan, type Preset } from './preset.ts'
import {
  readSarifRuns,
  SARIF_LEVELS,
  type SarifLevel,
  type SarifResult,
  SECURITY_LEVELS,
  type SecurityLevel,
} from './sarif.ts'
import { cutText } from './text.ts'

const MAX_TOOL = 200

export interface SarifSummary {
  /** The names of the tools if there are several runs. */
  tool: string
  tool_version: string | null
  runs: number
  /**
   * Whether every run reports that the tool succeeded; a run without this information counts as a success.
   */
  is_successful: boolean
  counts: Record<SarifLevel, number>
  total: number
  /** The same findings by `security-severity`, for tools that provide it. */
  security_counts: Record<SecurityLevel, number>
  /** Findings without a level and a `security-severity`. By the standard, they count as warnings. */
  unrated: number
  /** Findings that somebody accepted. They are not counted. */
  suppressed: number
  findings: Finding[]
  truncated: number
}

export function readSarif(file: EvidenceFile): SarifSummary {
  const runs = readSarifRuns(readJson(file))
  const list = makeFindingList(SARIF_LEVELS)
  const security = makeFindingList(SECURITY_LEVELS)
  const found = runs.flatMap(({ results }) => results).filter(({ is_absent }) => !is_absent)
  const open = found.filter(({ is_suppressed }) => !is_suppressed)
  for (const result of open) {
    list.add(toFinding(result))
    if (result.security) security.add({ id: result.rule_id, severity: result.security })
  }
  const versions = new Set(runs.flatMap(({ tool_version }) => tool_version ?? []))
  return {
    tool: cutText([...new Set(runs.map(({ tool }) => tool))].join(', '), MAX_TOOL),
    tool_version: versions.size === 0 ? null : cutText([...versions].join(', '), MAX_TOOL),
    runs: runs.length,
    is_successful: runs.every(({ is_successful }) => is_successful),
    counts: list.getCounts(),
    total: open.length,
    security_counts: security.getCounts(),
    unrated: open.filter(({ is_unrated }) => is_unrated).length,
    suppressed: found.length - open.length,
    ...list.cut(),
  }
}

function toFinding({ rule_id, level, message, locations: [first] }: SarifResult) {
  const location = first && (first.lines === undefined ? first.uri : `${first.uri}:${first.lines}`)
  return { id: rule_id, severity: level, title: message, location }
}

export const SARIF_PRESET: Preset = {
  name: 'sarif',
  description:
    'Results of a static analysis in SARIF: compliant without errors, critical and high findings, and unrated ones',
  schema: describeScan(SARIF_LEVELS, {
    runs: { ...COUNT, minimum: 1 },
    is_successful: BOOLEAN,
    security_counts: describeCounts(SECURITY_LEVELS),
    unrated: COUNT,
    suppressed: COUNT,
  }),
  rules: [
    '.is_successful',
    '.counts.error == 0',
    '.security_counts.critical == 0',
    '.security_counts.high == 0',
    '.unrated == 0',
  ],
  summary: [
    { name: 'Tool', expression: '.tool' },
    { name: 'Errors', expression: '.counts.error' },
    { name: 'Warnings', expression: '.counts.warning' },
    { name: 'Notes', expression: '.counts.note' },
  ],
}
