// Grype's JSON report: the vulnerabilities that it matched to packages.
import type { EvidenceFile } from './evidence-file.ts'
import { type Finding, makeFindingList, SEVERITIES, type SeverityCounts, toSeverity } from './findings.ts'
import { readJson } from './json-file.ts'
import {
  expectObject,
  failAt,
  getDeepField,
  getField,
  type JsonNode,
  listItems,
  listOptionalItems,
  readOptionalText,
  readText,
} from './json-node.ts'
import { COUNT, describeScan, type Preset, SEVERITY_RULES, SEVERITY_SUMMARY } from './preset.ts'
import { cutText } from './text.ts'

const MAX_NAME = 500

export interface GrypeSummary {
  tool: 'grype'
  tool_version: string | null
  counts: SeverityCounts
  total: number
  /** Matches ignored on purpose. They are not counted. */
  suppressed: number
  findings: Finding[]
  truncated: number
}

export function readGrype(file: EvidenceFile): GrypeSummary {
  const root = expectObject(readJson(file), 'a report of Grype')
  const name = getDeepField(root, 'descriptor', 'name')
  if (name.value !== 'grype') failAt(name, "'grype'")
  const version = readOptionalText(getDeepField(root, 'descriptor', 'version'), 'the version of Grype')
  const list = makeFindingList(SEVERITIES)
  const matches = listItems(getField(root, 'matches'), 'the matches, empty if there are none')
  for (const match of matches) list.add(readMatch(match))
  return {
    tool: 'grype',
    tool_version: version === undefined ? null : cutText(version, MAX_NAME),
    counts: list.getCounts(),
    total: matches.length,
    suppressed: listOptionalItems(getField(root, 'ignoredMatches'), 'the ignored matches').length,
    ...list.cut(),
  }
}

function readMatch(match: JsonNode) {
  const vulnerability = getField(match, 'vulnerability')
  const artifact = getField(match, 'artifact')
  const [location] = listOptionalItems(getField(artifact, 'locations'), 'the locations')
  const fixes = listOptionalItems(getDeepField(vulnerability, 'fix', 'versions'), 'the fixed versions')
  return {
    id: readText(getField(vulnerability, 'id'), 'the id of the vulnerability'),
    severity: toSeverity(readOptionalText(getField(vulnerability, 'severity'), 'the severity')),
    title: readOptionalText(getField(vulnerability, 'description'), 'the description'),
    package: readOptionalText(getField(artifact, 'name'), 'the name of the package'),
    version: readOptionalText(getField(artifact, 'version'), 'the version of the package'),
    fixed_version: fixes.map(fix => readText(fix, 'a version')).join(', '),
    location: location && readOptionalText(getField(location, 'path'), 'the path'),
  }
}

export const GRYPE_PRESET: Preset = {
  name: 'grype',
  description: 'A scan by Grype: compliant without critical, high and unrated findings',
  schema: describeScan(SEVERITIES, { tool: { const: 'grype' }, suppressed: COUNT }),
  rules: SEVERITY_RULES,
  summary: SEVERITY_SUMMARY,
}
