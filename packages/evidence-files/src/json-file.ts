// Reads a whole JSON file, within limits on size and depth.
import type { EvidenceFile } from './evidence-file.ts'
import type { JsonNode } from './json-node.ts'
import { findJsonError } from './json-syntax.ts'
import { EvidenceProblem } from './problem.ts'
import { decodeUtf8 } from './text.ts'

const MIB = 1024 * 1024
const MAX_JSON_BYTES = 64 * MIB
const MAX_DEPTH = 200

const QUOTE = 0x22
const BACKSLASH = 0x5c
const LINE_FEED = 0x0a

export function readJson(file: EvidenceFile): JsonNode {
  if (file.content.length > MAX_JSON_BYTES) {
    const found = Math.ceil(file.content.length / MIB)
    throw new EvidenceProblem(
      file.name,
      undefined,
      `expected at most ${MAX_JSON_BYTES / MIB} MiB of JSON, found ${found} MiB. Split the report, or attach it as it is.`,
    )
  }
  ensureDepth(file)
  const text = decodeUtf8(file.name, file.content)
  try {
    return { file: file.name, path: '$', value: JSON.parse(text) }
  } catch {
    // On some Node versions, its message contains no position.
    const { line, column, expected } = findJsonError(text)
    throw new EvidenceProblem(file.name, `line ${line}, column ${column}`, `expected ${expected}.`)
  }
}

/** Checked on the bytes: every bracket outside of a string opens or closes a level, even in invalid JSON. */
function ensureDepth({ name, content }: EvidenceFile): void {
  let depth = 0
  let line = 1
  let in_string = false
  for (let i = 0; i < content.length; i++) {
    const byte = content[i]
    if (byte === LINE_FEED) line++
    if (byte === QUOTE) in_string = !in_string
    else if (in_string) {
      if (byte === BACKSLASH) i++
    } else if (byte === 0x7b || byte === 0x5b) {
      if (++depth > MAX_DEPTH)
        throw new EvidenceProblem(
          name,
          `line ${line}`,
          `expected JSON that is nested at most ${MAX_DEPTH} levels deep.`,
        )
    } else if (byte === 0x7d || byte === 0x5d) depth--
  }
}
