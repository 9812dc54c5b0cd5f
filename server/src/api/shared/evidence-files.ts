// The files of an attestation as readers get them: listed, and opened with their decompressed content.
import type { Readable } from 'node:stream'
import { pipeline } from 'node:stream'
import type { EvidenceFile } from '../../domain/evidence/files.ts'
import { makeDecoder } from '../../evidence/decoding.ts'
import type { EvidenceStore } from '../../evidence/evidence.ts'
import { verifyContent } from '../../evidence/verified.ts'
import { AppError, EvidenceDamaged } from '../../lib/errors.ts'

const NAMELESS = 'evidence'

interface RowWithFiles {
  /** Null in attestations of earlier versions, whose one file the columns name. */
  files: EvidenceFile[] | null
  evidence_sha256: string | null
  evidence_name: string | null
  evidence_bytes: number | null
}

/** In the order in which they were sent. */
export function listFiles(row: RowWithFiles): EvidenceFile[] {
  const { files, evidence_sha256: sha256, evidence_name, evidence_bytes } = row
  if (files !== null) return files
  if (sha256 === null) return []
  const bytes = evidence_bytes ?? 0
  return [
    {
      name: evidence_name ?? NAMELESS,
      media_type: 'application/octet-stream',
      bytes,
      sha256,
      content_encoding: null,
      stored_bytes: bytes,
      stored_sha256: sha256,
    },
  ]
}

export interface OpenedFile {
  name: string
  bytes: number
  content: Readable
}

/**
 * Undefined if the object is missing from the store. A file that this version of Node cannot decompress is opened as
 * it was sent, under a name that shows this.
 */
export async function openFile(
  evidence: EvidenceStore,
  org_id: string,
  file: EvidenceFile,
): Promise<OpenedFile | undefined> {
  const { name, bytes, sha256, content_encoding } = file
  const stored = await openStored(evidence, org_id, file)
  if (!stored || content_encoding === null) return stored
  const decoder = makeDecoder(content_encoding)
  if (!decoder) return { ...stored, name: `${name}${SUFFIX[content_encoding]}` }
  // `pipeline` requires the callback; the reader gets errors from the stream.
  pipeline(stored.content, decoder.stream, () => undefined)
  const explain = (failure: Error) =>
    failure instanceof AppError
      ? failure
      : new EvidenceDamaged(file.stored_sha256, `it cannot be decompressed (${failure.message})`)
  return { name, bytes, content: verifyContent(decoder.stream, sha256, explain) }
}

const SUFFIX = { gzip: '.gz', zstd: '.zst' } as const

/** The bytes as they were sent. */
export async function openStored(
  evidence: EvidenceStore,
  org_id: string,
  { name, stored_sha256 }: EvidenceFile,
): Promise<OpenedFile | undefined> {
  const stored = await evidence.open(org_id, stored_sha256)
  return stored && { name, ...stored }
}
