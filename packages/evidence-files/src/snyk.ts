// A Snyk scan, from SARIF or Snyk's own JSON, as the API's `snyk` attestation expects it. The API has three
// severities: critical findings count as high.
import type { EvidenceFile } from './evidence-file.ts'
import { takeWithinBytes } from './findings.ts'
import { readJson } from './json-file.ts'
import { getField, isMissing, type JsonNode } from './json-node.ts'
import { readSarifRuns, type SarifLevel, type SarifResult, type SecurityLevel } from './sarif.ts'
import { readSnykProjects } from './snyk-json.ts'
import { cutText } from './text.ts'

/** The request form is limited to 1 MiB. */
const MAX_FINDINGS_BYTES = 512 * 1024
const MAX_TEXT = 2_000
const MAX_TOOL = 200
const MAX_LOCATIONS = 10
/** The limit of the API. */
const MAX_RUNS = 10_000

const SNYK_LEVELS = ['high', 'medium', 'low'] as const
type SnykLevel = (typeof SNYK_LEVELS)[number]

interface SnykFinding {
  id: string
  message: string
  locations?: { uri: string; lines?: string }[]
  priority_score?: number
}

/** Empty lists are omitted. */
type SnykRun = Record<`${SnykLevel}_count`, number> & Partial<Record<SnykLevel, SnykFinding[]>>

interface SnykResults {
  schema_version: 1
  tool: { name: string; version?: string }
  results: SnykRun[]
}

export interface SnykReport {
  snyk_results: SnykResults
  /** Findings that are counted but not listed, because there are too many. */
  truncated: number
}

/** A finding before it is listed. */
interface Leveled {
  level: SnykLevel
  finding: SnykFinding
}

export function readSnyk(file: EvidenceFile): SnykReport {
  const root = readJson(file)
  return isMissing(getField(root, 'runs')) ? readOwnFormat(root) : readSarifFormat(root)
}

const LEVELS: Record<SarifLevel, SnykLevel | undefined> = {
  error: 'high',
  warning: 'medium',
  note: 'low',
  none: undefined,
}

const SECURITY: Record<SecurityLevel, SnykLevel | undefined> = {
  critical: 'high',
  high: 'high',
  medium: 'medium',
  low: 'low',
  none: undefined,
}

/** The worse of level and `security-severity`. */
function rate({ level, security }: SarifResult): SnykLevel | undefined {
  const rated = [LEVELS[level], security && SECURITY[security]]
  return SNYK_LEVELS.find(each => rated.includes(each))
}

/** Accepted findings count too, as with other clients. */
function readSarifFormat(root: JsonNode): SnykReport {
  const runs = readSarifRuns(root)
  const [first] = runs
  const version = first?.tool_version
  const tool = {
    name: cutText(first?.tool ?? '', MAX_TOOL),
    ...(version === undefined ? {} : { version: cutText(version, MAX_TOOL) }),
  }
  const leveled = runs.map(({ results }) =>
    results.flatMap(result => {
      const level = rate(result)
      return level === undefined ? [] : [{ level, finding: toFinding(result) }]
    }),
  )
  return buildReport(tool, leveled)
}

function toFinding({ rule_id, message, locations, priority_score }: SarifResult): SnykFinding {
  const listed = locations.slice(0, MAX_LOCATIONS).map(({ uri, lines }) => ({
    uri: cutText(uri, MAX_TEXT),
    ...(lines === undefined ? {} : { lines }),
  }))
  return {
    id: cutText(rule_id, MAX_TEXT),
    message: cutText(message, MAX_TEXT),
    ...(listed.length === 0 ? {} : { locations: listed }),
    ...(priority_score ? { priority_score } : {}),
  }
}

function readOwnFormat(root: JsonNode): SnykReport {
  const projects = readSnykProjects(root)
  const leveled = projects.map(({ target, issues }) =>
    issues.map(({ id, title, severity }) => ({
      level: severity === 'critical' ? ('high' as const) : severity,
      finding: {
        id: cutText(id, MAX_TEXT),
        message: cutText(title, MAX_TEXT),
        ...(target === undefined ? {} : { locations: [{ uri: cutText(target, MAX_TEXT) }] }),
      },
    })),
  )
  return buildReport({ name: 'Snyk' }, leveled)
}

function buildReport(tool: SnykResults['tool'], runs: readonly (readonly Leveled[])[]): SnykReport {
  const counted = runs.slice(0, MAX_RUNS)
  // The worst of all runs are listed first, so that the limit drops the least severe.
  const ranked = counted
    .flat()
    .toSorted((a, b) => SNYK_LEVELS.indexOf(a.level) - SNYK_LEVELS.indexOf(b.level))
  const listed = new Set(takeWithinBytes(ranked, MAX_FINDINGS_BYTES))
  const results = counted.map(run => buildRun(run, listed))
  return {
    snyk_results: { schema_version: 1, tool, results },
    truncated: ranked.length - listed.size,
  }
}

function buildRun(run: readonly Leveled[], listed: ReadonlySet<Leveled>): SnykRun {
  const result: SnykRun = { high_count: 0, medium_count: 0, low_count: 0 }
  for (const level of SNYK_LEVELS) {
    const ofLevel = run.filter(each => each.level === level)
    const findings = ofLevel.filter(each => listed.has(each)).map(({ finding }) => finding)
    result[`${level}_count`] = ofLevel.length
    if (findings.length > 0) result[level] = findings
  }
  return result
}
