// The first non-whitespace character of a file, which distinguishes XML, JSON and plain text.
import type { EvidenceFile } from './evidence-file.ts'
import { hasUtf8Mark } from './text.ts'

const MAX_SPACE_BYTES = 64 * 1024

/** An empty text if the file is blank, or begins with too much whitespace. */
export function findFirstCharacter({ content }: EvidenceFile): string {
  // UTF-16: only XML may be encoded in it. The second byte is the interesting one.
  if (content[0] === 0xff && content[1] === 0xfe) return String.fromCharCode(content[2] ?? 0x20).trim()
  if (content[0] === 0xfe && content[1] === 0xff) return String.fromCharCode(content[3] ?? 0x20).trim()
  const start = hasUtf8Mark(content) ? 3 : 0
  const text = Buffer.from(content.subarray(start, start + MAX_SPACE_BYTES)).toString('latin1')
  return /[^ \t\r\n]/.exec(text)?.[0] ?? ''
}
