// Checks that keys pasted by an admin really are keys: a point beside the curve has the right length, but verifies
// nothing.
import { createPublicKey, type JsonWebKey } from 'node:crypto'
import type { Jwks } from '../domain/keyless/jwks.ts'

/** Field to sentence, for the keys that cannot be imported. */
export function listUnusableKeys({ keys }: Jwks): Record<string, string> {
  const problems: Record<string, string> = {}
  for (const [index, key] of keys.entries()) {
    try {
      createPublicKey({ key: key as JsonWebKey, format: 'jwk' })
    } catch {
      // The original reason is in OpenSSL's words, which help nobody.
      problems[`jwks.keys[${index}]`] = 'The numbers of this key do not make a public key'
    }
  }
  return problems
}
