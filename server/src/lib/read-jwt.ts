// Reads a signed token (JWT) without verifying it, so strictly that no other reader sees something else in it.
import { parseUtf8 } from './utf8.ts'

export interface Jwt {
  header: Record<string, unknown>
  claims: Record<string, unknown>
}

/** A sentence for text that is not such a token. */
export function readJwt(token: string): Jwt | string {
  const parts = token.split('.')
  if (parts.length === 5) return 'it is encrypted, and only signed tokens are accepted'
  if (parts.length !== 3) return 'it is not a signed token'
  const [header, claims] = parts.map(readObject)
  if (typeof header !== 'object') return `its header ${header}`
  if (typeof claims !== 'object') return `its payload ${claims}`
  return { header, claims }
}

function readObject(part: string): Record<string, unknown> | string {
  const bytes = Buffer.from(part, 'base64url')
  const text = bytes.toString('base64url') === part ? parseUtf8(bytes) : undefined
  if (text === undefined) return 'is not text in base64url'
  const value = parseJson(text)
  if (typeof value !== 'object' || value === null || Array.isArray(value)) return 'is not a JSON object'
  // RFC 7515, 4 and RFC 7519, 4: names must be unique. Readers differ in which of two they take.
  if (countNames(value) !== countColons(text)) return 'has the same name twice'
  return value as Record<string, unknown>
}

function parseJson(text: string): unknown {
  try {
    return JSON.parse(text)
  } catch {
    // Anything may be sent as a token.
    return undefined
  }
}

/** Outside of strings, JSON has one colon per name. */
function countColons(text: string): number {
  return text.replaceAll(/"(?:[^"\\]|\\.)*"/gs, '').split(':').length - 1
}

function countNames(root: object): number {
  let names = 0
  const open: unknown[] = [root]
  for (let value = open.pop(); value !== undefined; value = open.pop()) {
    if (typeof value !== 'object' || value === null) continue
    if (!Array.isArray(value)) names += Object.keys(value).length
    for (const inner of Object.values(value))
      if (typeof inner === 'object' && inner !== null) open.push(inner)
  }
  return names
}
