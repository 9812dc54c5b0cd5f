// Names the location of the evidence store, for messages to the operator. It loads nothing of the store itself, and
// the names contain no credentials.
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'

export interface EvidencePlace {
  name: string
  /** Undefined for a bucket. */
  folder: string | undefined
}

export function locateEvidence(settings: {
  evidence_url: string | undefined
  data_dir: string
}): EvidencePlace {
  if (settings.evidence_url === undefined) return nameFolder(join(settings.data_dir, 'evidence'))
  const url = new URL(settings.evidence_url)
  if (url.protocol === 'file:' && url.host === '') return nameFolder(fileURLToPath(url))
  return { name: `the bucket ${url.hostname} of WAYBILL_EVIDENCE_URL`, folder: undefined }
}

function nameFolder(folder: string): EvidencePlace {
  return { name: `the folder ${folder}`, folder }
}
