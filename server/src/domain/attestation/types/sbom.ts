// The type `sbom`: facts about a software bill of materials. The SBOM itself is the attachment.
import { Type } from 'typebox'
import { FINGERPRINT } from '../../names.ts'
import { about, Described, Open } from '../../schema.ts'
import { defineAttestationType } from '../define-type.ts'
import { MAX_NAME, TypeName } from '../fields.ts'

const EXAMPLE_SHA256 = '3f786850e387550fdab836ed7e6dc881de23001b6c0f3b4a5d6e7f8091a2b3c4'

export const sbom = defineAttestationType({
  name: 'sbom',
  is_system: true,
  subject: 'an SBOM',
  summary: 'Compliant when reported, unless it says that it is about another artifact',
  fields: {
    type_name: Described(TypeName('sbom'), 'Always `sbom`', 'sbom'),
    attestation_data: Open(
      'SbomData',
      {
        format: Type.String({
          minLength: 1,
          maxLength: MAX_NAME,
          ...about('Format and version of the SBOM', 'cyclonedx-1.6'),
        }),
        original_fingerprint: Type.String({
          pattern: FINGERPRINT,
          ...about('SHA-256 of the original SBOM file', EXAMPLE_SHA256),
        }),
        document: Type.Optional(
          Type.Unsafe<Record<string, unknown> | null>({
            type: ['object', 'null'],
            description: 'Metadata of the SBOM document: created_at, tools, subject, package_count',
          }),
        ),
      },
      'Facts about the SBOM; the SBOM file itself is the attachment',
    ),
  },
  evaluate: ({ attestation_data: { format, document }, artifact_fingerprint }) => {
    const subject = readSubject(document)
    const is_other =
      subject !== undefined && artifact_fingerprint !== undefined && subject !== artifact_fingerprint
    return is_other
      ? {
          is_compliant: false,
          expected: `an SBOM of the artifact ${artifact_fingerprint}`,
          found: `an SBOM of ${subject}`,
        }
      : { is_compliant: true, expected: 'an SBOM', found: `an SBOM in the format ${format}` }
  },
  listFileHashes: ({ attestation_data: { original_fingerprint, stored_fingerprint } }) => ({
    field: 'attestation_data.original_fingerprint',
    given: original_fingerprint,
    // Of the file as it was compressed.
    accepted: [original_fingerprint, ...(typeof stored_fingerprint === 'string' ? [stored_fingerprint] : [])],
  }),
  // Pages of a trail show annotations.
  annotations: {
    from: 'attestation_data',
    read: ({ attestation_data }) => ({
      sbom_format: attestation_data.format,
      sbom_sha256: attestation_data.original_fingerprint,
    }),
  },
  example: {
    attestation_name: 'sbom',
    type_name: 'sbom',
    attestation_data: {
      format: 'cyclonedx-1.6',
      original_fingerprint: EXAMPLE_SHA256,
      document: {
        created_at: '2026-03-03T09:00:00Z',
        tools: ['cdxgen 12.8.4'],
        subject: { name: 'backend', version: '1.4.0', purl: 'pkg:oci/backend@1.4.0' },
        package_count: 311,
      },
    },
    annotations: { sbom_format: 'cyclonedx-1.6', sbom_sha256: EXAMPLE_SHA256 },
  },
  command: {
    type_name: 'sbom',
    attestation_data: { format: 'YOUR_FORMAT', original_fingerprint: 'SHA256_OF_YOUR_SBOM' },
  },
  arguments: ['sbom', '--sbom-file', 'YOUR_SBOM.json'],
})

/** The SHA-256 of what the SBOM describes; undefined if it does not say. */
function readSubject(document: Record<string, unknown> | null | undefined): string | undefined {
  const { sha256 } = Object(document?.subject) as Record<string, unknown>
  return typeof sha256 === 'string' && new RegExp(FINGERPRINT).test(sha256) ? sha256 : undefined
}
