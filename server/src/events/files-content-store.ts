// Selects the files of an attestation, for readers and for the check of the logs. Attestations of earlier versions
// have no file rows: their columns name their only file.

/** The files of an attestation, as in the leaf of its event; null if it has no rows here. */
export const selectFiles = (attestation: string): string => `(
  select jsonb_agg(jsonb_build_object('name', x.name, 'media_type', x.media_type, 'bytes', x.bytes, 'sha256', x.sha256,
    'content_encoding', x.content_encoding, 'stored_bytes', x.stored_bytes, 'stored_sha256', x.stored_sha256)
    order by x.position)
  from attestation_files x
  where x.org_id = ${attestation}.org_id and x.attestation_id = ${attestation}.attestation_id)`

/** The hash of the content of the first file, which may have been sent compressed. */
export const selectFirstContent = (attestation: string): string => `coalesce((
  select x.sha256 from attestation_files x
  where x.org_id = ${attestation}.org_id and x.attestation_id = ${attestation}.attestation_id and x.position = 1),
  ${attestation}.evidence_sha256)`
