// Encrypts stored secrets that are needed again and so cannot be hashed, with AES-256-GCM. A secret sealed for one
// purpose cannot be opened for another.
import { createCipheriv, createDecipheriv, createHash, createHmac, randomBytes } from 'node:crypto'

const NONCE_BYTES = 12
const TAG_BYTES = 16
const VERSION = 'v1'

export interface Sealer {
  seal(purpose: string, secret: string): string
  /** Returns undefined if the text was sealed with another key or for another purpose, or was changed. */
  open(purpose: string, sealed: string): string | undefined
  /** A hash that nobody can guess or check without the key, in hexadecimal; the same for the same text. */
  hash(purpose: string, text: string): string
}

export function makeSealer(secret_key: string): Sealer {
  return buildSealer(secret_key, () => randomBytes(NONCE_BYTES))
}

/**
 * Seals the same secret to the same text, so that two copies can be compared. A reader can see which secrets are
 * equal, so this is only for exports, with their own key.
 */
export function makeRepeatableSealer(secret_key: string): Sealer {
  const nonceKey = createHash('sha256').update(`waybill nonce ${secret_key}`).digest()
  return buildSealer(secret_key, (purpose, secret) =>
    createHmac('sha256', nonceKey)
      .update(JSON.stringify([purpose, secret]))
      .digest()
      .subarray(0, NONCE_BYTES),
  )
}

function buildSealer(secret_key: string, makeNonce: (purpose: string, secret: string) => Buffer): Sealer {
  const key = createHash('sha256').update(`waybill sealer ${secret_key}`).digest()
  // Identifies the key, so that a second key could be supported.
  const key_id = createHash('sha256').update(key).digest('hex').slice(0, 8)
  const hashKey = createHash('sha256').update(`waybill hash ${secret_key}`).digest()
  return {
    hash: (purpose, text) =>
      createHmac('sha256', hashKey)
        .update(JSON.stringify([purpose, text]))
        .digest('hex'),
    seal: (purpose, secret) => {
      const nonce = makeNonce(purpose, secret)
      const cipher = createCipheriv('aes-256-gcm', key, nonce).setAAD(Buffer.from(purpose))
      const body = Buffer.concat([cipher.update(secret, 'utf8'), cipher.final()])
      return [VERSION, key_id, Buffer.concat([nonce, cipher.getAuthTag(), body]).toString('base64url')].join(
        '.',
      )
    },
    open: (purpose, sealed) => {
      const [version, id, content = ''] = sealed.split('.')
      if (version !== VERSION || id !== key_id) return undefined
      const bytes = Buffer.from(content, 'base64url')
      const nonce = bytes.subarray(0, NONCE_BYTES)
      const tag = bytes.subarray(NONCE_BYTES, NONCE_BYTES + TAG_BYTES)
      try {
        const decipher = createDecipheriv('aes-256-gcm', key, nonce, { authTagLength: TAG_BYTES })
          .setAAD(Buffer.from(purpose))
          .setAuthTag(tag)
        const body = bytes.subarray(NONCE_BYTES + TAG_BYTES)
        return Buffer.concat([decipher.update(body), decipher.final()]).toString('utf8')
      } catch {
        // Changed, or sealed for another purpose.
        return undefined
      }
    },
  }
}
