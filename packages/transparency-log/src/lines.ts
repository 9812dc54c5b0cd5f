// Numbers and hashes in lines of text. Each value has exactly one representation, so that equal data is equal
// text.
import { ensure } from './problem.ts'
import { HASH_BYTES } from './tree.ts'

export function parseSize(text: string, what: string): number {
  ensure(/^(0|[1-9]\d*)$/.test(text), `${what} is not a decimal number without leading zeros: '${text}'`)
  const value = Number(text)
  ensure(Number.isSafeInteger(value), `${what} is too large: ${text}`)
  return value
}

export function parseBase64(text: string, what: string): Buffer {
  const bytes = Buffer.from(text, 'base64')
  ensure(bytes.toString('base64') === text, `${what} is not base64: '${text}'`)
  return bytes
}

export function parseHash(text: string, what: string): Buffer {
  const bytes = parseBase64(text, what)
  ensure(bytes.length === HASH_BYTES, `${what} has ${bytes.length} bytes instead of ${HASH_BYTES}`)
  return bytes
}
