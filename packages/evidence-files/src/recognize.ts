// Recognizes the format of a file by its content. If several formats fit, it chooses none: the caller gets
// all candidates and must ask.
import { type EvidenceFile, openEvidence } from './evidence-file.ts'
import { findFirstCharacter } from './first-character.ts'
import { readJson } from './json-file.ts'
import { getDeepField, getField, isMissing, isObject, type JsonNode } from './json-node.ts'
import { EvidenceProblem } from './problem.ts'
import { readXmlRoot, type XmlElement } from './xml.ts'

export type EvidenceFormat =
  | 'cobertura'
  | 'ctrf'
  | 'cyclonedx-json'
  | 'cyclonedx-xml'
  | 'gitleaks'
  | 'grype'
  | 'junit'
  | 'sarif'
  | 'snyk-json'
  | 'snyk-sarif'
  | 'sonar-quality-gate'
  | 'sonar-report-task'
  | 'spdx-json'
  | 'spdx-tag-value'
  | 'trivy'

/** The kind of attestation for a format. */
export type EvidenceKind =
  | 'cobertura'
  | 'ctrf'
  | 'gitleaks'
  | 'grype'
  | 'junit'
  | 'sarif'
  | 'sbom'
  | 'snyk'
  | 'sonar'
  | 'trivy'

export interface Recognized {
  /** Set only if there is exactly one candidate. */
  format: EvidenceFormat | undefined
  kind: EvidenceKind | undefined
  candidates: EvidenceFormat[]
  /** Why the file cannot be read, if it has no candidate for that reason. */
  problem: string | undefined
}

const KINDS: Record<EvidenceFormat, EvidenceKind> = {
  cobertura: 'cobertura',
  ctrf: 'ctrf',
  'cyclonedx-json': 'sbom',
  'cyclonedx-xml': 'sbom',
  gitleaks: 'gitleaks',
  grype: 'grype',
  junit: 'junit',
  sarif: 'sarif',
  'snyk-json': 'snyk',
  'snyk-sarif': 'snyk',
  'sonar-quality-gate': 'sonar',
  'sonar-report-task': 'sonar',
  'spdx-json': 'sbom',
  'spdx-tag-value': 'sbom',
  trivy: 'trivy',
}

const TEXT_BYTES = 64 * 1024

/** Throws only if the file cannot be decompressed. */
export const recognizeEvidence = (bytes: Uint8Array, name: string): Recognized =>
  recognizeFile(openEvidence(name, bytes))

export function recognizeFile(file: EvidenceFile): Recognized {
  try {
    const candidates = listCandidates(file)
    const format = candidates.length === 1 ? candidates[0] : undefined
    return { format, kind: format && KINDS[format], candidates, problem: undefined }
  } catch (error) {
    if (!(error instanceof EvidenceProblem)) throw error
    return { format: undefined, kind: undefined, candidates: [], problem: error.message }
  }
}

function listCandidates(file: EvidenceFile): EvidenceFormat[] {
  const first = findFirstCharacter(file)
  if (first === '<') return recognizeXml(readXmlRoot(file))
  if (first === '{' || first === '[') return recognizeJson(readJson(file))
  return recognizeText(Buffer.from(file.content.subarray(0, TEXT_BYTES)).toString('utf8'))
}

function recognizeXml({ name, namespace }: XmlElement): EvidenceFormat[] {
  if (name === 'testsuites' || name === 'testsuite') return ['junit']
  if (name === 'coverage') return ['cobertura']
  return name === 'bom' && /^https?:\/\/cyclonedx\.org\/schema\/bom\//.test(namespace)
    ? ['cyclonedx-xml']
    : []
}

const isList = ({ value }: JsonNode): boolean => Array.isArray(value)
const isFromSnyk = (root: JsonNode): boolean =>
  /^snyk/i.test(String(getDeepField(getFirst(getField(root, 'runs')), 'tool', 'driver', 'name').value))

/** The first element of a list, if any. */
function getFirst({ file, path, value }: JsonNode): JsonNode {
  return { file, path: `${path}[0]`, value: Array.isArray(value) ? value[0] : undefined }
}

const hasAll = (node: JsonNode, ...keys: string[]): boolean =>
  isObject(node) && keys.every(key => !isMissing(getField(node, key)))

const isSarif = (root: JsonNode): boolean => hasAll(root, 'version') && isList(getField(root, 'runs'))
const isSnykProject = (node: JsonNode): boolean =>
  hasAll(node, 'ok') &&
  (isList(getField(node, 'vulnerabilities')) || isList(getField(node, 'infrastructureAsCodeIssues')))

const JSON_FORMATS: readonly (readonly [EvidenceFormat, (root: JsonNode) => boolean])[] = [
  ['ctrf', root => hasAll(getField(root, 'results'), 'tool', 'summary', 'tests')],
  ['cyclonedx-json', root => getField(root, 'bomFormat').value === 'CycloneDX'],
  ['gitleaks', root => hasAll(getFirst(root), 'RuleID', 'File')],
  ['grype', root => isList(getField(root, 'matches')) && hasAll(root, 'descriptor')],
  ['sarif', root => isSarif(root) && !isFromSnyk(root)],
  ['snyk-json', root => isSnykProject(root) || isSnykProject(getFirst(root))],
  ['snyk-sarif', root => isSarif(root) && isFromSnyk(root)],
  ['sonar-quality-gate', root => hasAll(getField(root, 'projectStatus'), 'status')],
  ['spdx-json', root => hasAll(root, 'spdxVersion')],
  ['trivy', root => hasAll(root, 'SchemaVersion', 'ArtifactName')],
]

const recognizeJson = (root: JsonNode): EvidenceFormat[] =>
  JSON_FORMATS.filter(([, fits]) => fits(root)).map(([format]) => format)

function recognizeText(text: string): EvidenceFormat[] {
  const found: EvidenceFormat[] = []
  if (/^\s*SPDXVersion:\s*SPDX-/m.test(text)) found.push('spdx-tag-value')
  if (/^ceTaskId=/m.test(text) && /^projectKey=/m.test(text)) found.push('sonar-report-task')
  return found
}
