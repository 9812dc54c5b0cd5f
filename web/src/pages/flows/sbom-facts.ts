// What an SBOM is about, for the drawer of its attestation.
import type { Schemas } from '../../parts/schemas.ts'
import { trailTexts as texts } from './texts-trail.ts'

/** Rows of names and values; none for other attestations. */
export function listSbomFacts({
  attestation_type,
  attestation_data,
}: Schemas['Attestation']): [string, string | undefined][] {
  if (attestation_type !== 'system:sbom') return []
  const { format, document } = toObject(attestation_data)
  const { subject, package_count, created_at, tools } = toObject(document)
  const { name, version, purl, sha256 } = toObject(subject)
  const known: [string, unknown][] = [
    [texts.sbom.format, format],
    [texts.sbom.subject, [name, version].filter(Boolean).join(' ')],
    [texts.sbom.purl, purl],
    [texts.sbom.fingerprint, sha256],
    [texts.sbom.packages, package_count],
    [texts.sbom.tools, Array.isArray(tools) ? tools.join(', ') : undefined],
    [texts.sbom.createdAt, created_at],
  ]
  return known.map(([label, value]) => [label, toText(value)])
}

const toObject = (value: unknown) => Object(value) as Record<string, unknown>
/** Reporters may send anything here. */
const toText = (value: unknown): string | undefined =>
  typeof value === 'string' || typeof value === 'number' ? String(value) : undefined
