// Trivy's JSON report: vulnerabilities, misconfigurations, secrets and licenses in everything that it
// scanned.
import type { EvidenceFile } from './evidence-file.ts'
import {
  type Finding,
  type FoundFinding,
  makeFindingList,
  SEVERITIES,
  type SeverityCounts,
  toSeverity,
} from './findings.ts'
import { readJson } from './json-file.ts'
import {
  expectObject,
  failAt,
  getDeepField,
  getField,
  type JsonNode,
  listOptionalItems,
  readOptionalText,
  readText,
} from './json-node.ts'
import { COUNT, describeScan, type Preset, SEVERITY_RULES, SEVERITY_SUMMARY, TEXT } from './preset.ts'
import { cutText } from './text.ts'

const MAX_NAME = 500
const SCHEMA_VERSION = 2

export interface TrivySummary {
  tool: 'trivy'
  /** Older versions do not write it. */
  tool_version: string | null
  artifact_name: string
  artifact_type: string
  /** Number of scanned targets, such as lock files and the system's packages. */
  targets: number
  counts: SeverityCounts
  total: number
  /** Findings ignored on purpose. They are not counted. */
  suppressed: number
  findings: Finding[]
  truncated: number
}

type Read = (item: JsonNode, target: string) => FoundFinding | undefined

export function readTrivy(file: EvidenceFile): TrivySummary {
  const root = expectObject(readJson(file), 'a report of Trivy')
  const version = getField(root, 'SchemaVersion')
  if (version.value !== SCHEMA_VERSION) failAt(version, `version ${SCHEMA_VERSION} of the format`)
  const list = makeFindingList(SEVERITIES)
  const results = listOptionalItems(getField(root, 'Results'), 'the results')
  let total = 0
  let suppressed = 0
  for (const result of results) {
    const target = readText(getField(expectObject(result, 'a result'), 'Target'), 'what was scanned')
    suppressed += listOptionalItems(getField(result, 'ExperimentalModifiedFindings'), 'findings').length
    for (const [key, read] of Object.entries(READERS)) {
      for (const item of listOptionalItems(getField(result, key), 'findings')) {
        const found = read(expectObject(item, 'a finding'), target)
        if (!found) continue
        total++
        list.add({ ...found, severity: toSeverity(found.severity) })
      }
    }
  }
  const tool_version = readOptionalText(getDeepField(root, 'Trivy', 'Version'), 'the version of Trivy')
  return {
    tool: 'trivy',
    tool_version: tool_version === undefined ? null : cutText(tool_version, MAX_NAME),
    artifact_name: cutText(readText(getField(root, 'ArtifactName'), 'the name of the artifact'), MAX_NAME),
    artifact_type: cutText(
      readOptionalText(getField(root, 'ArtifactType'), 'the type of the artifact') ?? '',
      MAX_NAME,
    ),
    targets: results.length,
    counts: list.getCounts(),
    total,
    suppressed,
    ...list.cut(),
  }
}

const readField = (item: JsonNode, key: string): string | undefined =>
  readOptionalText(getField(item, key), 'a value')

const READERS: Record<string, Read> = {
  Vulnerabilities: (item, target) => ({
    id: readText(getField(item, 'VulnerabilityID'), 'the id of the vulnerability'),
    severity: readField(item, 'Severity') ?? '',
    title: readField(item, 'Title'),
    package: readField(item, 'PkgName'),
    version: readField(item, 'InstalledVersion'),
    fixed_version: readField(item, 'FixedVersion'),
    location: readField(item, 'PkgPath') ?? target,
  }),
  // Passed checks are listed on request.
  Misconfigurations: (item, target) =>
    readField(item, 'Status') === 'PASS'
      ? undefined
      : {
          id: readText(getField(item, 'ID'), 'the id of the check'),
          severity: readField(item, 'Severity') ?? '',
          title: readField(item, 'Title'),
          location: target,
        },
  // Without the secret itself.
  Secrets: (item, target) => ({
    id: readText(getField(item, 'RuleID'), 'the id of the rule'),
    severity: readField(item, 'Severity') ?? '',
    title: readField(item, 'Title'),
    location: target,
  }),
  Licenses: (item, target) => ({
    id: readText(getField(item, 'Name'), 'the name of the licence'),
    severity: readField(item, 'Severity') ?? '',
    package: readField(item, 'PkgName'),
    location: readField(item, 'FilePath') ?? target,
  }),
}

export const TRIVY_PRESET: Preset = {
  name: 'trivy',
  description:
    'A scan by Trivy: compliant without critical, high and unrated findings, if anything was scanned',
  schema: describeScan(SEVERITIES, {
    tool: { const: 'trivy' },
    artifact_name: TEXT,
    artifact_type: TEXT,
    targets: COUNT,
    suppressed: COUNT,
  }),
  // Trivy writes no results when it found nothing that it can scan.
  rules: [...SEVERITY_RULES, '.targets > 0'],
  summary: [{ name: 'Artifact', expression: '.artifact_name' }, ...SEVERITY_SUMMARY],
}
