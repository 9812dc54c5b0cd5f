// The statement that stores the files of attestations.
import { toColumnsOfBatch } from '../../db/columns-of-rows.ts'
import { makeStep, type Step } from '../../db/database.ts'
import { defineStatement, floatColumn, intColumn, textColumn, uuid, uuidColumn } from '../../db/statement.ts'
import type { EvidenceFile } from '../../domain/evidence/files.ts'

const insertFiles = defineStatement(
  'attestations.insert_files',
  {
    org_id: uuid,
    attestation_id: uuidColumn,
    position: intColumn,
    name: textColumn,
    media_type: textColumn,
    bytes: floatColumn,
    sha256: textColumn,
    content_encoding: textColumn,
    stored_bytes: floatColumn,
    stored_sha256: textColumn,
  },
  {},
  `insert into attestation_files (org_id, attestation_id, position, name, media_type, bytes, sha256, content_encoding,
     stored_bytes, stored_sha256)
   select :org_id, i.attestation_id, i.position, i.name, i.media_type, i.bytes::bigint, i.sha256, i.content_encoding,
     i.stored_bytes::bigint, i.stored_sha256
   from unnest(:attestation_id::uuid[], :position::int[], :name::text[], :media_type::text[], :bytes::float8[],
     :sha256::text[], :content_encoding::text[], :stored_bytes::float8[], :stored_sha256::text[])
     as i(attestation_id, position, name, media_type, bytes, sha256, content_encoding, stored_bytes, stored_sha256)`,
)

const COLUMNS = {
  attestation_id: 'uuid',
  position: 'int',
  name: 'text',
  media_type: 'text',
  bytes: 'float',
  sha256: 'text',
  content_encoding: 'text',
  stored_bytes: 'float',
  stored_sha256: 'text',
} as const

interface WithFiles {
  attestation_id: string
  files: readonly EvidenceFile[]
}

/** No step if none of the attestations has a file. */
export function buildFileSteps(org_id: string, attestations: readonly WithFiles[]): Step[] {
  const rows = attestations.flatMap(({ attestation_id, files }) =>
    files.map((file, i) => ({ attestation_id, position: i + 1, ...file })),
  )
  return rows.length === 0 ? [] : [makeStep(insertFiles, { org_id, ...toColumnsOfBatch(COLUMNS, rows) })]
}
