// Recognizes the format of a file by its content. If several formats fit, it chooses none: the caller gets
// all candidates and must ask.
import { type EvidenceFile, openEvidence } from './evidence-file.ts'
import { findFirstCharacter } from './first-character.ts'
import { readJson } from './json-file.ts'
import { getDeepField, getField, isMissing, isObject, type JsonNode } from './json-node.ts'
import { findOtherJson, findOtherText, findOtherXml, type OtherFormat } from './other-formats.ts'
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
  /** A format that is known but not read. */
  other: OtherFormat | undefined
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
  const nothing = { format: undefined, kind: undefined, candidates: [], other: undefined, problem: undefined }
  try {
    const { candidates, other } = findFormats(file)
    const format = candidates.length === 1 ? candidates[0] : undefined
    return { ...nothing, format, kind: format && KINDS[format], candidates, other }
  } catch (error) {
    if (!(error instanceof EvidenceProblem)) throw error
    const other = findOtherText(file)
    return { ...nothing, other, problem: other ? undefined : error.message }
  }
}

interface Found {
  candidates: EvidenceFormat[]
  other: OtherFormat | undefined
}

function findFormats(file: EvidenceFile): Found {
  const first = findFirstCharacter(file)
  if (first === '<') {
    const root = readXmlRoot(file)
    return choose(recognizeXml(root), () => findOtherXml(root))
  }
  if (first === '{' || first === '[') {
    const root = readJson(file)
    return choose(recognizeJson(root), () => findOtherJson(root))
  }
  const text = Buffer.from(file.content.subarray(0, TEXT_BYTES)).toString('utf8')
  return choose(recognizeText(text), () => findOtherText(file))
}

const choose = (candidates: EvidenceFormat[], find: () => OtherFormat | undefined): Found => ({
  candidates,
  other: candidates.length === 0 ? find() : undefined,
})

function recognizeXml({ name, namespace, attributes }: XmlElement): EvidenceFormat[] {
  if (name === 'testsuites' || name === 'testsuite') return ['junit']
  if (name === 'coverage' && attributes.has('line-rate')) return ['cobertura']
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

/** Refuses a file that is recognized as something else. What is not recognized is left to the reader, which says why. */
export function expectKind(file: EvidenceFile, kind: EvidenceKind): void {
  const { candidates, other } = recognizeFile(file)
  if (candidates.some(format => KINDS[format] === kind || (kind === 'sarif' && format === 'snyk-sarif')))
    return
  const [found] = candidates
  if (found !== undefined) refuse(file, kind, `found ${found}. Record it with attest ${KINDS[found]}.`)
  if (other !== undefined) refuse(file, kind, `found ${other.name}, which is not read. ${other.advice}`)
}

function refuse(file: EvidenceFile, kind: EvidenceKind, found: string): never {
  throw new EvidenceProblem(file.name, undefined, `expected a file for attest ${kind}, ${found}`)
}
