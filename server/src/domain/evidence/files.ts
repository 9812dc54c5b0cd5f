// The files of an attestation: what is recorded of each, what a request may send, and how to choose one of them.

const CONTENT_ENCODINGS = ['gzip', 'zstd'] as const
export type ContentEncoding = (typeof CONTENT_ENCODINGS)[number]

export interface EvidenceFile {
  /** The sender's file name, which is only data. */
  name: string
  media_type: string
  /** Size of the content: the file as the sender has it on disk. */
  bytes: number
  sha256: string
  /** How the content was compressed when it was sent; null if it was not. */
  content_encoding: ContentEncoding | null
  /** Size of the object in the evidence store: the bytes as sent. */
  stored_bytes: number
  stored_sha256: string
}

/** Bounds for one request. All files of an attestation must fit into the subjects of one log leaf. */
export interface FileLimits {
  evidence_files: number
  /** For one file, as sent. */
  evidence_file_bytes: number
  /** For all files together, decompressed. */
  evidence_content_bytes: number
}

/** How many times larger decompression may make a file. Small files exceed this more often. */
export const MAX_RATIO = 200
const FREE_BYTES = 1024 * 1024

const DEFAULT_MEDIA_TYPE = 'application/octet-stream'
const MEDIA_TYPE = /^[a-z0-9][a-z0-9!#$&^_.+-]{0,62}\/[a-z0-9][a-z0-9!#$&^_.+-]{0,62}$/

/** The type that the sender states, without parameters. It is shown, and never used to serve the file. */
export function parseMediaType(header: string | undefined): string {
  const type = header?.split(';', 1)[0]?.trim().toLowerCase() ?? ''
  return MEDIA_TYPE.test(type) ? type : DEFAULT_MEDIA_TYPE
}

/** Null for uncompressed content, undefined for an unknown encoding. */
export function parseContentEncoding(header: string | undefined): ContentEncoding | null | undefined {
  const encoding = header?.trim().toLowerCase() ?? ''
  if (encoding === '' || encoding === 'identity') return null
  return CONTENT_ENCODINGS.find(known => known === encoding)
}

/** Explains why content that grew out of this many sent bytes is not decompressed further. */
export function findExpansionProblem(sent: number, content: number): string | undefined {
  if (content <= FREE_BYTES || content <= sent * MAX_RATIO) return undefined
  return `The content is more than ${MAX_RATIO} times as large as what was sent`
}

export function findTotalProblem(content: number, limits: FileLimits): string | undefined {
  if (content <= limits.evidence_content_bytes) return undefined
  return `The files have more than ${limits.evidence_content_bytes} bytes together, decompressed`
}

/** By position from 1, or by SHA-256 of the content or of the bytes sent. Without either, the first file. */
export function chooseFile<F extends Pick<EvidenceFile, 'sha256' | 'stored_sha256'>>(
  files: readonly F[],
  wanted: string | undefined,
): F | undefined {
  if (wanted === undefined) return files[0]
  if (/^[1-9]\d?$/.test(wanted)) return files[Number(wanted) - 1]
  return files.find(file => file.sha256 === wanted || file.stored_sha256 === wanted)
}

/**
 * Identifies a set of files, to recognize a repeated request. By content: a client may compress a file in one
 * attempt and not in the next, and another version of the client compresses to different bytes.
 */
export function identifyFiles(files: readonly EvidenceFile[]): unknown {
  const [first, ...more] = files
  if (!first) return null
  // The identity from when an attestation had one file: a client may repeat a request after an upgrade.
  if (more.length === 0) return first.sha256
  return files.map(({ sha256 }) => [sha256, null])
}
