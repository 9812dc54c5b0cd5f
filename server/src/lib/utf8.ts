// Bytes to text, strictly: bad UTF-8 and NUL are refused instead of replaced, since PostgreSQL takes neither.
import { isUtf8 } from 'node:buffer'

export function parseUtf8(bytes: Buffer): string | undefined {
  if (!isUtf8(bytes) || bytes.includes(0)) return undefined
  return bytes.toString('utf8')
}
