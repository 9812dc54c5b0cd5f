// Text from files: decodes it, and truncates it so that it can be stored and shown.
import { EvidenceProblem } from './problem.ts'

const MAX_SHOWN_CHARACTERS = 80
const UTF8_MARK = [0xef, 0xbb, 0xbf]

/** Decodes UTF-8 without its byte-order mark. */
export function decodeUtf8(file: string, bytes: Uint8Array): string {
  try {
    return new TextDecoder('utf-8', { fatal: true }).decode(bytes)
  } catch {
    // The decoder does not report the position, so decode line by line to find it.
    throw new EvidenceProblem(
      file,
      `line ${findBrokenLine(bytes)}`,
      'expected text in UTF-8, found bytes that are not UTF-8. Save the file as UTF-8.',
    )
  }
}

function findBrokenLine(bytes: Uint8Array): number {
  const decoder = new TextDecoder('utf-8', { fatal: true })
  let line = 1
  for (let start = 0; start < bytes.length; line++) {
    const found = bytes.indexOf(0x0a, start)
    const end = found === -1 ? bytes.length : found + 1
    try {
      decoder.decode(bytes.subarray(start, end))
    } catch {
      return line
    }
    start = end
  }
  return line
}

export const hasUtf8Mark = (bytes: Uint8Array): boolean => UTF8_MARK.every((byte, i) => bytes[i] === byte)

/** Replaces what a database cannot store: NUL and unpaired surrogates. */
function cleanText(text: string): string {
  return text.replaceAll('\0', '\ufffd').replaceAll(/\p{Surrogate}/gu, '\ufffd')
}

/** Cleans the text and truncates it to this many characters, marked with an ellipsis. */
export function cutText(text: string, max: number): string {
  if (text.length <= max) return cleanText(text)
  return `${cleanText(text.slice(0, max - 1).replace(/[\ud800-\udbff]$/, ''))}…`
}

/** Formats a value for an error message. */
export function describeValue(value: unknown): string {
  if (value === undefined) return 'nothing'
  if (value === null) return 'null'
  if (Array.isArray(value)) return 'a list'
  if (typeof value === 'object') return 'an object'
  return typeof value === 'string' ? quote(value) : String(value)
}

/** Text from a file, on one line and truncated. */
export const quote = (text: string): string =>
  `'${cutText(text, MAX_SHOWN_CHARACTERS).replaceAll(/\p{Cc}/gu, ' ')}'`
