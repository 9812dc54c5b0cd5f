// The common part of all SBOM formats: the facts about the document for the API's `sbom` attestation.
import { EvidenceProblem } from './problem.ts'
import { cutText, quote } from './text.ts'
import { isRfc3339 } from './timestamps.ts'

const MAX_TEXT = 1_000
const MAX_TOOLS = 100

export interface SbomSubject {
  name: string
  version: string | null
  purl: string | null
  sha256: string | null
}

export interface SbomDocument {
  /** RFC 3339, as in the SBOM. */
  created_at: string | null
  /** Name and version of each tool; null if the SBOM names none. */
  tools: string[] | null
  /** The subject of the SBOM; null if it does not name exactly one. */
  subject: SbomSubject | null
  /** Without files. */
  package_count: number
}

/** The format with its version, such as `cyclonedx-1.6`. */
export interface ReadSbom {
  format: string
  document: SbomDocument
}

/** A place in a file, for errors. */
export interface Place {
  file: string
  place: string
}

export function checkCreatedAt({ file, place }: Place, text: string | undefined): string | null {
  if (text === undefined || text === '') return null
  if (isRfc3339(text)) return text
  const sentence = `expected a time like 2026-01-02T03:04:05Z, found ${quote(text)}.`
  throw new EvidenceProblem(file, place, sentence)
}

export function checkSha256({ file, place }: Place, text: string | undefined): string | null {
  if (text === undefined || text === '') return null
  const sha256 = text.toLowerCase()
  if (/^[0-9a-f]{64}$/.test(sha256)) return sha256
  throw new EvidenceProblem(file, place, `expected a SHA-256 (64 hex digits), found ${quote(text)}.`)
}

export function buildTools(tools: Iterable<{ name: string | undefined; version: string | undefined }>) {
  const named = [...tools].flatMap(({ name, version }) =>
    name ? [cutText(version ? `${name} ${version}` : name, MAX_TEXT)] : [],
  )
  return named.length === 0 ? null : named.slice(0, MAX_TOOLS)
}

export function buildSubject(subject: {
  name: string | undefined
  version: string | undefined
  purl: string | undefined
  sha256: string | null
}): SbomSubject {
  const { name, version, purl, sha256 } = subject
  return {
    name: cutText(name ?? '', MAX_TEXT),
    version: version ? cutText(version, MAX_TEXT) : null,
    purl: purl ? cutText(purl, MAX_TEXT) : null,
    sha256,
  }
}
