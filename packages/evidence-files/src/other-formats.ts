// Formats that are recognized but not read, with what to do instead: a report that nobody understood must not count as
// one without findings.
import type { EvidenceFile } from './evidence-file.ts'
import { getField, isMissing, isObject, type JsonNode } from './json-node.ts'
import type { XmlElement } from './xml.ts'

/** A format by its name, with the way to record it. */
export interface OtherFormat {
  name: string
  /** A sentence. */
  advice: string
  /** Whether it has the results of tests. */
  has_tests?: boolean
}

const JUNIT = 'Let the tool write JUnit XML'
const SARIF = 'Let the tool write SARIF, and record it with attest sarif'
const CUSTOM = 'Record it with attest custom, with rules of your own'

const has = (node: JsonNode, ...keys: string[]): boolean =>
  isObject(node) && keys.every(key => !isMissing(getField(node, key)))
const getFirst = (node: JsonNode): JsonNode => ({ ...node, value: (node.value as unknown[])[0] })
/** Whether this is an object, or a list whose first element is one, with these fields. */
const hasInAny = (root: JsonNode, ...keys: string[]): boolean =>
  has(root, ...keys) || (Array.isArray(root.value) && has(getFirst(root), ...keys))

interface JsonFormat extends OtherFormat {
  fits(root: JsonNode): boolean
}

const JSON_FORMATS: readonly JsonFormat[] = [
  {
    name: 'Semgrep JSON',
    advice: `${SARIF}: semgrep --sarif.`,
    fits: root => has(root, 'results', 'errors', 'paths'),
  },
  {
    name: 'OSV-Scanner JSON',
    advice: `${SARIF}: osv-scanner --format sarif.`,
    fits: root => has(root, 'results', 'experimental_config') || isOsvResult(getField(root, 'results')),
  },
  { name: 'an npm audit report', advice: `${CUSTOM}.`, fits: root => has(root, 'auditReportVersion') },
  { name: 'a ZAP report', advice: `${SARIF}.`, fits: root => has(root, '@programName', 'site') },
  {
    name: 'a Checkov report',
    advice: `${SARIF}: checkov -o sarif.`,
    fits: root => hasInAny(root, 'check_type', 'results'),
  },
  {
    name: 'a pip-audit report',
    advice: `${CUSTOM}.`,
    fits: root => isPipAudit(getField(root, 'dependencies')),
  },
  {
    name: 'a Dependency-Check report',
    advice: `${SARIF}: --format SARIF.`,
    fits: root => has(root, 'reportSchema', 'scanInfo'),
  },
  {
    name: 'a Hadolint report',
    advice: `${SARIF}: hadolint --format sarif.`,
    fits: root => Array.isArray(root.value) && has(getFirst(root), 'code', 'level', 'line', 'message'),
  },
  {
    name: 'a KICS report',
    advice: `${SARIF}: kics --report-formats sarif.`,
    fits: root => has(root, 'kics_version'),
  },
  {
    name: 'a Bandit report',
    advice: `${SARIF}: bandit --format sarif.`,
    fits: root => has(root, 'metrics', 'results', 'generated_at'),
  },
  {
    name: 'SPDX 3',
    advice: 'SPDX 2.2 and 2.3 are understood, and CycloneDX.',
    fits: root => /spdx\.org\/rdf\/3/.test(JSON.stringify(getField(root, '@context').value ?? '')),
  },
]

const isOsvResult = (results: JsonNode): boolean =>
  Array.isArray(results.value) && has(getFirst(results), 'source', 'packages')
const isPipAudit = (dependencies: JsonNode): boolean =>
  Array.isArray(dependencies.value) && has(getFirst(dependencies), 'name', 'vulns')

const XML_FORMATS: Record<string, OtherFormat> = {
  'test-run': { name: 'NUnit 3', advice: `${JUNIT}.`, has_tests: true },
  'test-results': { name: 'NUnit 2', advice: `${JUNIT}.`, has_tests: true },
  assemblies: { name: 'xUnit 2', advice: `${JUNIT}: dotnet test --logger junit.`, has_tests: true },
  assembly: { name: 'xUnit 2', advice: `${JUNIT}: dotnet test --logger junit.`, has_tests: true },
  TestRun: { name: 'TRX', advice: `${JUNIT}: dotnet test --logger junit.`, has_tests: true },
  'testng-results': { name: 'TestNG', advice: 'Use the files in its junitreports folder.', has_tests: true },
  report: {
    name: 'JaCoCo',
    advice: 'Let the tool write Cobertura XML, and record it with attest cobertura.',
  },
  OWASPZAPReport: { name: 'a ZAP report', advice: `${SARIF}.` },
  checkstyle: { name: 'Checkstyle', advice: `${SARIF}.` },
  pmd: { name: 'PMD', advice: `${SARIF}.` },
  BugCollection: { name: 'SpotBugs', advice: `${SARIF}.` },
}

export function findOtherXml({ name, attributes, namespace }: XmlElement): OtherFormat | undefined {
  if (name === 'coverage' && !attributes.has('line-rate')) {
    return { name: 'Clover', advice: 'Let the tool write Cobertura XML.' }
  }
  if (name === 'analysis' && namespace.includes('dependency-check')) {
    return { name: 'a Dependency-Check report', advice: `${SARIF}: --format SARIF.` }
  }
  return XML_FORMATS[name]
}

export const findOtherJson = (root: JsonNode): OtherFormat | undefined =>
  JSON_FORMATS.find(({ fits }) => fits(root))

/** Formats of several JSON documents in one file, and of plain text. */
export function findOtherText(file: EvidenceFile): OtherFormat | undefined {
  const start = Buffer.from(file.content.subarray(0, 4096)).toString('utf8')
  if (/^\s*\{\s*"config"\s*:\s*\{\s*"protocol_version"/.test(start)) {
    return { name: 'a govulncheck report', advice: `${SARIF}: govulncheck -format sarif.` }
  }
  if (/^\s*\{.*"SourceMetadata"\s*:/.test(start)) {
    return { name: 'a TruffleHog report', advice: `${CUSTOM}.` }
  }
  if (/^(?:TN:.*\n)?SF:/.test(start)) {
    return { name: 'LCOV', advice: 'Let the tool write Cobertura XML, and record it with attest cobertura.' }
  }
  return undefined
}
