// Decodes UTF-8 strictly: rejects invalid bytes and NUL instead of replacing them, because PostgreSQL accepts neither.
import { isUtf8 } from 'node:buffer'

export function parseUtf8(bytes: Buffer): string | undefined {
  if (!isUtf8(bytes) || bytes.includes(0)) return undefined
  return bytes.toString('utf8')
}
