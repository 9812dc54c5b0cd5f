// An SBOM in any supported format, as the API's `sbom` attestation expects it. The file itself is the
// attachment.
import { readCycloneDxJson } from './cyclonedx-json.ts'
import { readCycloneDxXml } from './cyclonedx-xml.ts'
import type { Compression, EvidenceFile } from './evidence-file.ts'
import { findFirstCharacter } from './first-character.ts'
import { readJson } from './json-file.ts'
import { getField, isMissing } from './json-node.ts'
import { EvidenceProblem } from './problem.ts'
import type { ReadSbom, SbomDocument } from './sbom-document.ts'
import { readSpdxJson } from './spdx-json.ts'
import { readSpdxTagValue } from './spdx-tag-value.ts'

export interface SbomReport {
  type_name: 'sbom'
  attestation_data: {
    format: string
    /** SHA-256 of the uncompressed SBOM. */
    original_fingerprint: string
    document: SbomDocument
    /**
     * The compression of the attachment and the SHA-256 of the compressed file; omitted without compression.
     */
    compression?: Compression
    stored_fingerprint?: string
  }
  annotations: { sbom_format: string; sbom_sha256: string }
}

export function readSbom(file: EvidenceFile): SbomReport {
  const { format, document } = readAnyFormat(file)
  const { compression, content_digest, stored_digest } = file
  return {
    type_name: 'sbom',
    attestation_data: {
      format,
      original_fingerprint: content_digest.sha256,
      document,
      ...(compression === 'none' ? {} : { compression, stored_fingerprint: stored_digest.sha256 }),
    },
    annotations: { sbom_format: format, sbom_sha256: content_digest.sha256 },
  }
}

function readAnyFormat(file: EvidenceFile): ReadSbom {
  const first = findFirstCharacter(file)
  if (first === '<') return readCycloneDxXml(file)
  if (first !== '{') return readSpdxTagValue(file)
  const root = readJson(file)
  const is_cyclonedx = !isMissing(getField(root, 'bomFormat'))
  const is_spdx = !isMissing(getField(root, 'spdxVersion')) || !isMissing(getField(root, '@context'))
  if (is_cyclonedx && is_spdx) {
    throw new EvidenceProblem(
      file.name,
      '$',
      'expected either bomFormat (CycloneDX) or spdxVersion (SPDX), found both.',
    )
  }
  return is_spdx ? readSpdxJson(root) : readCycloneDxJson(root)
}
