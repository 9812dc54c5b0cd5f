// Reads multipart bodies: one JSON part and the file parts that an operation declares, each within its limit. A part
// that is too long is rejected, never truncated; so is an undeclared part.
import type { Readable } from 'node:stream'
import type { MultipartFile } from '@fastify/multipart'
import type { FastifyRequest } from 'fastify'
import { LIMITS } from '../api/limits.ts'
import type { AttachedFile, FormContract } from '../api/operation.ts'
import type { StagedEvidence } from '../evidence/evidence.ts'
import { AppError, invalid, tooLarge } from '../lib/errors.ts'
import { makeAttacher, StoreFailure } from './attached-files.ts'
import { parseJson } from './json-gate.ts'
import { makePartHeads, type PartHeads } from './part-heads.ts'

const MAX_PARTS = 20
const TOO_LARGE = `A file part is larger than ${LIMITS.multipart_file_part_bytes} bytes`
const UNREADABLE =
  'The part cannot be read: a part needs `Content-Disposition: form-data; name="..."`, without line breaks in its names'
// The form parser would replace bad UTF-8 in a text field and parse a JSON field itself, bypassing our JSON parser.
const AS_BYTES = { isPartAFile: () => true }

export interface FormBody {
  body: unknown
  files: Record<string, Buffer>
  attachments: AttachedFile[]
}

export interface FormReader {
  /** Called as soon as the JSON part is read: if it is invalid, the files after it are not read. */
  checkJson(body: unknown): void
  stage(name: string, content: Readable): Promise<StagedEvidence>
}

export async function readForm(
  request: FastifyRequest,
  form: FormContract,
  reader: FormReader,
): Promise<FormBody> {
  const read: FormBody = { body: undefined, files: {}, attachments: [] }
  const heads = makePartHeads(request.headers['content-type'] ?? '')
  const attach = makeAttacher(heads, reader)
  const seen: string[] = []
  try {
    for await (const part of readParts(request, heads, { limits: buildLimits(form), ...AS_BYTES })) {
      const name = part.fieldname
      if (!name) throw invalid({ body: 'A part has no name' })
      if (name !== form.evidence_part && seen.includes(name))
        throw invalid({ [name]: 'The part was sent twice' })
      seen.push(name)
      if (name === form.evidence_part) read.attachments.push(await attach(part, seen.length - 1))
      else if (form.file_parts.includes(name)) read.files[name] = await readWhole(part)
      else if (name !== form.json_part) throw invalid({ [name]: 'Extra inputs are not permitted' })
      else {
        read.body = parseJsonPart(name, await readWhole(part))
        reader.checkJson(read.body)
      }
    }
    refuseUnread(heads?.names() ?? [], seen)
    if (read.body === undefined && form.json_is_optional) read.body = {}
    if (read.body === undefined) throw invalid({ [form.json_part]: 'Field required [input: None]' })
  } catch (error) {
    await Promise.all(read.attachments.map(file => file.discard()))
    // Otherwise a sender that is still writing would wait for a reader and never see the response.
    request.raw.unpipe()
    request.raw.resume()
    throw toFormError(error)
  }
  return read
}

/** The parser has one limit for all parts; parts that are read into memory have their own. */
function buildLimits({ evidence_part }: FormContract) {
  const hasEvidence = evidence_part !== undefined
  const parts = hasEvidence ? LIMITS.evidence_files + MAX_PARTS : MAX_PARTS
  return {
    fieldNameSize: 100,
    fileSize: hasEvidence ? LIMITS.evidence_file_bytes : LIMITS.multipart_file_part_bytes,
    files: parts,
    parts,
    headerPairs: 50,
  }
}

async function readWhole({ file }: MultipartFile): Promise<Buffer> {
  const chunks: Buffer[] = []
  let bytes = 0
  for await (const chunk of file) {
    bytes += chunk.length
    if (bytes > LIMITS.multipart_file_part_bytes) throw tooLarge(TOO_LARGE)
    chunks.push(chunk)
  }
  if (file.truncated) throw tooLarge(TOO_LARGE)
  return Buffer.concat(chunks)
}

/** Yields the parts in turn. Without this check the parser would wait forever for a part whose headers never end. */
async function* readParts(
  request: FastifyRequest,
  heads: PartHeads | undefined,
  options: Parameters<FastifyRequest['files']>[0],
): AsyncGenerator<MultipartFile> {
  const cut = new Promise<never>((_, reject) => {
    // Attached in the same turn in which the parser starts reading, so that both see every chunk.
    request.raw.on('data', (chunk: Buffer) => {
      heads?.read(chunk)
      const unfinished = heads?.cut()
      if (unfinished) reject(unreadable(unfinished.name))
    })
  })
  // It may reject while nothing awaits it.
  cut.catch(() => undefined)
  const parts = request.files(options)
  for (;;) {
    const next = await Promise.race([parts.next(), cut])
    if (next.done) return
    yield next.value
  }
}

/** An unread part may be the evidence. */
function refuseUnread(sent: (string | undefined)[], read: readonly string[]): void {
  if (sent.length === read.length) return
  const left = [...read]
  throw unreadable(
    sent.find(name => {
      const at = name === undefined ? -1 : left.indexOf(name)
      if (at !== -1) left.splice(at, 1)
      return at === -1
    }),
  )
}

function unreadable(name: string | undefined): AppError {
  return invalid({ [name ?? 'body']: UNREADABLE })
}

function parseJsonPart(name: string, bytes: Buffer): unknown {
  if (bytes.length > LIMITS.multipart_json_part_bytes) {
    const sentence = `The part is larger than ${LIMITS.multipart_json_part_bytes} bytes`
    throw tooLarge(sentence, { [name]: sentence })
  }
  return parseJson(bytes, name)
}

function toFormError(error: unknown): unknown {
  if (error instanceof AppError) return error
  if (error instanceof StoreFailure) return error.cause
  const code = (error as { code?: string }).code ?? ''
  if (code === 'FST_REQ_FILE_TOO_LARGE') return tooLarge(TOO_LARGE)
  if (code.startsWith('FST_') && code.endsWith('_LIMIT'))
    return tooLarge('The request has more parts than allowed')
  if (code === 'ECONNRESET') return error
  // The rest are errors of the form parser: a missing boundary, a broken header.
  return invalid({ body: 'The multipart body cannot be read' })
}
