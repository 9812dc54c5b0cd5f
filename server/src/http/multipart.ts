// Multipart bodies: one JSON part and the file parts an operation declares, each within its limit. A part that is too
// long is refused, never cut; a part nobody asked for is refused too.
import type { FastifyRequest } from 'fastify'
import { LIMITS } from '../api/limits.ts'
import type { FormContract } from '../api/operation.ts'
import { AppError, invalid, tooLarge } from '../lib/errors.ts'
import { parseJson } from './json-gate.ts'

const MOST_PARTS = 20
// The form parser would mend bad UTF-8 in a text field and parse a JSON one itself, past our gate.
const AS_BYTES = { isPartAFile: () => true }

export interface FormBody {
  body: unknown
  files: Record<string, Buffer>
}

export async function readForm(request: FastifyRequest, form: FormContract): Promise<FormBody> {
  const limits = {
    fieldNameSize: 100,
    fileSize: LIMITS.multipart_file_part_bytes,
    files: MOST_PARTS,
    parts: MOST_PARTS,
    headerPairs: 50,
  }
  const seen = new Set<string>()
  const read: FormBody = { body: undefined, files: {} }
  try {
    for await (const part of request.files({ limits, ...AS_BYTES })) {
      const name = part.fieldname
      if (seen.has(name)) throw invalid({ [name]: 'The part was sent twice' })
      seen.add(name)
      if (form.file_parts.includes(name)) read.files[name] = await part.toBuffer()
      else if (name === form.json_part) read.body = jsonOf(name, await part.toBuffer())
      else throw invalid({ [name]: 'Extra inputs are not permitted' })
    }
  } catch (error) {
    throw asAppError(error)
  }
  if (read.body === undefined) throw invalid({ [form.json_part]: 'Field required [input: None]' })
  return read
}

function jsonOf(name: string, bytes: Buffer): unknown {
  if (bytes.length > LIMITS.multipart_json_part_bytes) {
    const sentence = `The part is larger than ${LIMITS.multipart_json_part_bytes} bytes`
    throw tooLarge(sentence, { [name]: sentence })
  }
  return parseJson(bytes, name)
}

function asAppError(error: unknown): unknown {
  if (error instanceof AppError) return error
  const code = (error as { code?: string }).code ?? ''
  if (code === 'FST_REQ_FILE_TOO_LARGE') return tooLarge('A file part is larger than allowed')
  if (code.startsWith('FST_') && code.endsWith('_LIMIT'))
    return tooLarge('The request has more parts than allowed')
  if (code === 'ECONNRESET') return error
  // What is left are the form parser's own complaints: a boundary that never comes, a broken header.
  return invalid({ body: 'The multipart body cannot be read' })
}
