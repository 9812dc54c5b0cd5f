// GET …/trail/{trail_name}/attestation/{attestation_id}/evidence: a file of an attestation, verified on read.
import { chooseFile } from '../../domain/evidence/files.ts'
import { notFound } from '../../lib/errors.ts'
import { parseWireId } from '../../lib/ids.ts'
import { Binary, Download, defineOperation } from '../operation.ts'
import { listFiles, openFile, openStored } from '../shared/evidence-files.ts'
import { findAttestation } from './store.ts'
import { EvidencePath, EvidenceQuery } from './wire.ts'

export const getEvidence = defineOperation(
  {
    id: 'getEvidence',
    method: 'GET',
    path: '/attestations/{org}/{flow_name}/trail/{trail_name}/attestation/{attestation_id}/evidence',
    tag: 'Attestations',
    summary: 'Download a file that was attached to an attestation',
    description:
      'The first file, or the one that `file` names. A file that was sent compressed is decompressed, unless `as` says otherwise',
    access: 'reader',
    visitors: 'public_read',
    audit: 'none: reads',
    params: EvidencePath,
    query: EvidenceQuery,
    returns: Binary,
    download: 'application/octet-stream',
    fails: [400, 403, 404],
  },
  async ({ params, query, org }, { db, evidence }) => {
    const id = parseWireId(params.attestation_id)
    const found = id && (await findAttestation(db, org.org_id, id))
    const isHere = found && found.flow_name === params.flow_name && found.trail_name === params.trail_name
    const files = isHere ? listFiles(found) : []
    const { attestation_id, trail_name } = params
    if (files.length === 0)
      throw notFound(`Attestation '${attestation_id}' has no evidence in trail '${trail_name}'`)
    const file = chooseFile(files, query.file)
    if (!file)
      throw notFound(
        `Attestation '${attestation_id}' has no file '${query.file}', but ${files.length} others`,
      )
    const opened = await (query.as === 'sent' ? openStored : openFile)(evidence, org.org_id, file)
    if (!opened)
      throw notFound(`The evidence of attestation '${attestation_id}' is missing from the evidence store`)
    return new Download(opened.name, opened.content, opened.bytes)
  },
)
