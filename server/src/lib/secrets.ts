// Creates, recognizes and hashes API keys and other generated secrets. The format is
// `wb_<kind>_<id>_<secret><checksum>`. The checksum allows rejecting invalid keys without a database query, and the
// fixed format lets secret scanners find leaked keys. Only the SHA-256 of the whole key is ever stored.
import { createHash, randomBytes } from 'node:crypto'
import { crc32 } from 'node:zlib'

const ALPHABET = '0123456789ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz'
const ID_LENGTH = 12
const SECRET_LENGTH = 43 // 43 base62 digits hold 256 bits
const CHECKSUM_LENGTH = 6
const KEY_PATTERN =
  /^wb_(user|svc|ci|scim|ses|link|inv|addr|badge)_([0-9A-Za-z]{12})_([0-9A-Za-z]{43})([0-9A-Za-z]{6})$/
const IMPORTED_PATTERN = /^[\x21-\x7e]{20,512}$/

/**
 * Every token contains its purpose: `ses` is a session; `link`, `inv` and `addr` are in mails; `scim` is for provisioning;
 * `badge` is in the address of a picture.
 */
export type TokenKind = 'user' | 'svc' | 'ci' | 'scim' | 'ses' | 'link' | 'inv' | 'addr' | 'badge'
/** The kinds that are API keys. */
export type KeyKind = 'user' | 'svc' | 'ci'
const KEY_KINDS: ReadonlySet<string> = new Set<KeyKind>(['user', 'svc', 'ci'])

export interface NewToken {
  /** The whole secret: shown once, never stored. */
  key: string
  secret_hash: string
  /** Shown in lists, so that people can tell keys apart. */
  hint: string
}

export interface Secrets {
  createToken(kind: TokenKind): NewToken
  createPassword(): string
}

export const systemSecrets: Secrets = {
  createToken,
  createPassword: () => generateDigits(SECRET_LENGTH),
}

/** For salts and keys that are used as bytes. */
export function createSecretBytes(length: number): Buffer {
  return randomBytes(length)
}

function createToken(kind: TokenKind): NewToken {
  const body = `wb_${kind}_${generateDigits(ID_LENGTH)}_${generateDigits(SECRET_LENGTH)}`
  const key = body + computeChecksum(body)
  return { key, secret_hash: hashSecret(key), hint: toHint(key) }
}

/** Classifies a bearer token without the database. A token for another purpose is not a key. */
export function classifyToken(token: string): 'key' | 'imported' | 'junk' {
  if (!token.startsWith('wb_')) return IMPORTED_PATTERN.test(token) ? 'imported' : 'junk'
  const kind = parseTokenKind(token)
  return kind !== undefined && KEY_KINDS.has(kind) ? 'key' : 'junk'
}

/** Returns undefined if the token is not one of ours or is mistyped. */
export function parseTokenKind(token: string): TokenKind | undefined {
  const kind = KEY_PATTERN.exec(token)?.[1]
  const body = token.slice(0, -CHECKSUM_LENGTH)
  return kind !== undefined && computeChecksum(body) === token.slice(-CHECKSUM_LENGTH)
    ? (kind as TokenKind)
    : undefined
}

export function isImportableSecret(secret: string): boolean {
  return IMPORTED_PATTERN.test(secret) && classifyToken(secret) !== 'junk'
}

/** SHA-256 in hex. Slow hashes are for passwords; these secrets have 256 bits (OWASP ASVS 6.5.2). */
export function hashSecret(secret: string): string {
  return createHash('sha256').update(secret).digest('hex')
}

/** Removes our own tokens and credentials in URLs from text that is shown or stored. */
export function redactSecrets(text: string): string {
  return text
    .replaceAll(/(wb_[a-z]+_[0-9A-Za-z]{12}_)[0-9A-Za-z]{1,49}/g, '$1…')
    .replaceAll(/([a-z][a-z0-9+.-]{0,20}:\/\/+)([^/?#\s]*)@/gi, (whole, scheme: string, user: string) =>
      // `ssh://git@host` names an account; over HTTP even the name may be a token.
      /^http/i.test(scheme) || user.includes(':') ? scheme : whole,
    )
}

export function toHint(key: string): string {
  return KEY_PATTERN.test(key) ? key.slice(0, key.lastIndexOf('_')) : `${key.slice(0, 4)}…`
}

function computeChecksum(body: string): string {
  return toBase62(crc32(body), CHECKSUM_LENGTH)
}

function toBase62(value: number, length: number): string {
  let rest = value
  let digits = ''
  for (let i = 0; i < length; i++) {
    digits = ALPHABET.charAt(rest % 62) + digits
    rest = Math.floor(rest / 62)
  }
  return digits
}

function generateDigits(length: number): string {
  let digits = ''
  while (digits.length < length) {
    for (const byte of randomBytes(length)) {
      // 248 is the largest multiple of 62 in a byte; skipping larger values keeps every digit equally likely.
      if (byte < 248 && digits.length < length) digits += ALPHABET.charAt(byte % 62)
    }
  }
  return digits
}
