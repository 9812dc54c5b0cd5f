// The content of an SPDX document in either format: its packages, and which of them it describes.

import { EvidenceProblem } from './problem.ts'
import {
  buildSubject,
  buildTools,
  checkCreatedAt,
  checkSha256,
  type Place,
  type ReadSbom,
  type SbomSubject,
} from './sbom-document.ts'
import { quote } from './text.ts'

const VERSIONS: readonly string[] = ['SPDX-2.1', 'SPDX-2.2', 'SPDX-2.3']
const DOCUMENT = 'SPDXRef-DOCUMENT'

export interface SpdxPackage {
  id: string | undefined
  name: string | undefined
  version: string | undefined
  purl: string | undefined
  sha256: { text: string; place: Place } | undefined
}

export interface SpdxFacts {
  version: { text: string | undefined; place: Place }
  id: { text: string | undefined; place: Place }
  created: { text: string | undefined; place: Place }
  /** For example `Tool: syft-1.0`. */
  creators: string[]
  package_count: number
  /** Ids of the packages that the document describes. */
  described: Set<string>
  /** The packages that may be the subject. */
  packages: SpdxPackage[]
}

/** The package that the document describes according to a relationship. */
export function findDescribed(from: string, type: string, to: string): string | undefined {
  if (type === 'DESCRIBES' && from === DOCUMENT) return to
  return type === 'DESCRIBED_BY' && to === DOCUMENT ? from : undefined
}

export function buildSpdx(facts: SpdxFacts): ReadSbom {
  const { version, id, created, creators, package_count } = facts
  if (!VERSIONS.includes(version.text ?? '')) {
    fail(
      version.place,
      `expected an SPDX document of version ${VERSIONS.join(', ')}, found ${quote(version.text ?? '')}.`,
    )
  }
  if (!id.text) fail(id.place, `expected the SPDXID of the document (${DOCUMENT}).`)
  const tools = creators.flatMap(creator => /^Tool:\s*(.*)$/.exec(creator.trim())?.[1]?.trim() ?? [])
  return {
    format: `spdx-${version.text?.slice('SPDX-'.length)}`,
    document: {
      created_at: checkCreatedAt(created.place, created.text),
      tools: buildTools(tools.map(name => ({ name, version: undefined }))),
      subject: findSubject(facts),
      package_count,
    },
  }
}

/**
 * Documents often describe several packages, and choosing one would be a guess. A single package needs no
 * relationship.
 */
function findSubject({ described, packages, package_count }: SpdxFacts): SbomSubject | null {
  const [lone] = packages
  const chosen = package_count === 1 ? lone : findOnly(described, packages)
  if (!chosen) return null
  const { name, version, purl, sha256 } = chosen
  return buildSubject({ name, version, purl, sha256: sha256 ? checkSha256(sha256.place, sha256.text) : null })
}

function findOnly(described: ReadonlySet<string>, packages: readonly SpdxPackage[]): SpdxPackage | undefined {
  return described.size === 1 ? packages.find(({ id }) => id !== undefined && described.has(id)) : undefined
}

function fail({ file, place }: Place, sentence: string): never {
  throw new EvidenceProblem(file, place, sentence)
}
