// Stages the evidence parts of a form: streamed to the evidence store, each with its own hash, within the limits for
// one file and for all together. A compressed file is stored as sent, and its content is hashed too.
import type { Readable } from 'node:stream'
import type { MultipartFile } from '@fastify/multipart'
import { LIMITS } from '../api/limits.ts'
import type { AttachedFile } from '../api/operation.ts'
import {
  type ContentEncoding,
  findExpansionProblem,
  findTotalProblem,
  parseContentEncoding,
  parseMediaType,
} from '../domain/evidence/files.ts'
import { ACCEPTED_ENCODINGS, type Decoder, makeDecoder } from '../evidence/decoding.ts'
import type { StagedEvidence } from '../evidence/evidence.ts'
import { measureContent } from '../evidence/measured.ts'
import { type AppError, invalid, tooLarge, unsupportedMediaType } from '../lib/errors.ts'
import { formatInput } from '../lib/sentences.ts'
import type { PartHeads } from './part-heads.ts'

const MAX_FILE_NAME_CHARACTERS = 255
const FILE_TOO_LARGE = `A file part is larger than ${LIMITS.evidence_file_bytes} bytes`
const TOO_MANY_FILES = `An attestation has at most ${LIMITS.evidence_files} files; send fewer, or an archive`

/** A failure of the store, not of the form: a full disk does not make a request bad. */
export class StoreFailure extends Error {}

interface FileStore {
  stage(name: string, content: Readable): Promise<StagedEvidence>
}

/** Stages one part after the other. `number` is the place of the part in the form. */
export function makeAttacher(heads: PartHeads | undefined, store: FileStore) {
  let files = 0
  let earlier_bytes = 0
  return async (part: MultipartFile, number: number): Promise<AttachedFile> => {
    files += 1
    if (files > LIMITS.evidence_files) throw tooLarge(TOO_MANY_FILES, { [part.fieldname]: TOO_MANY_FILES })
    const { fieldname } = part
    const content_encoding = readEncoding(heads?.find(number, 'content-encoding'))
    const { passed, measure } = measureContent(limitLength(part), {
      decoder: chooseDecoder(content_encoding),
      check: (sent, content) => refuseTooMuch(fieldname, { sent, content, all: earlier_bytes + content }),
      damaged: () => damaged(fieldname, content_encoding),
    })
    const { file: source } = part
    const staged = await stage(source, () => store.stage(toFileName(part), passed))
    // The limit may have been exceeded before the listener was attached.
    if (source.truncated) {
      await staged.discard()
      throw tooLarge(FILE_TOO_LARGE)
    }
    const content = measure() ?? staged
    earlier_bytes += content.bytes
    return {
      file: {
        name: staged.name,
        media_type: parseMediaType(heads?.find(number, 'content-type')),
        bytes: content.bytes,
        sha256: content.sha256,
        content_encoding,
        stored_bytes: staged.bytes,
        stored_sha256: staged.sha256,
      },
      keep: staged.keep,
      discard: staged.discard,
    }
  }
}

function limitLength({ file }: MultipartFile): Readable {
  file.once('limit', () => file.destroy(tooLarge(FILE_TOO_LARGE)))
  return file
}

async function stage(source: Readable, write: () => Promise<StagedEvidence>): Promise<StagedEvidence> {
  // The source may fail while it is read, or have failed before the listener was attached.
  let isSendersFault = source.errored !== null
  source.once('error', () => {
    isSendersFault = true
  })
  try {
    return await write()
  } catch (error) {
    throw isSendersFault ? error : new StoreFailure('staging failed', { cause: error })
  }
}

function readEncoding(header: string | undefined): ContentEncoding | null {
  const encoding = parseContentEncoding(header)
  if (encoding === null || (encoding && ACCEPTED_ENCODINGS.includes(encoding))) return encoding
  throw unsupportedMediaType(
    `The content encoding ${formatInput(header)} of a file is not accepted here; send ${ACCEPTED_ENCODINGS.join(' or ')}, or the file as it is`,
  )
}

function chooseDecoder(encoding: ContentEncoding | null): Decoder | undefined {
  return encoding === null ? undefined : makeDecoder(encoding)
}

function refuseTooMuch(
  part: string,
  { sent, content, all }: { sent: number; content: number; all: number },
): void {
  const problem = findExpansionProblem(sent, content) ?? findTotalProblem(all, LIMITS)
  if (problem !== undefined) throw tooLarge(problem, { [part]: problem })
}

function damaged(part: string, encoding: ContentEncoding | null): AppError {
  const expected = encoding === 'zstd' ? 'exactly one complete zstd frame' : 'a complete gzip stream'
  return invalid({ [part]: `The file is not ${expected}; nothing was stored` })
}

/** The sender's file name as text that can be stored and displayed. */
function toFileName({ filename, fieldname }: { filename?: string; fieldname: string }): string {
  const name = filename?.replaceAll(/\p{Cc}/gu, '_').slice(0, MAX_FILE_NAME_CHARACTERS)
  return name || fieldname
}
