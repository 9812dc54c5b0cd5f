// The public keys that an admin gives a trust rule, for issuers whose keys the service cannot fetch. Private and
// symmetric keys are rejected: whoever can read a rule must not be able to sign with what it contains.

/** Only signatures by a private key: anyone could make an unsigned token, or one signed with a shared secret. */
export const ALGORITHMS = ['RS256', 'ES256', 'EdDSA']

export type Jwk = Readonly<Record<string, unknown>>

export interface Jwks {
  readonly keys: readonly Jwk[]
}

export const MAX_KEYS = 10
const MAX_JWKS_CHARACTERS = 16_384

/** The members of private and symmetric keys (RFC 7518, 6). */
const SECRET_MEMBERS = ['d', 'p', 'q', 'dp', 'dq', 'qi', 'oth', 'k']

const RSA_BYTES = { min: 256, max: 1024 }

/** Field to sentence; empty if all keys can be used. */
export function listJwksProblems({ keys }: Jwks): Record<string, string> {
  const problems: Record<string, string> = {}
  if (JSON.stringify(keys).length > MAX_JWKS_CHARACTERS) {
    problems.jwks = `Input should have at most ${MAX_JWKS_CHARACTERS} characters`
  }
  for (const [index, key] of keys.entries()) {
    const isTwice = keys.findIndex(({ kid }) => kid === key.kid) < index
    const sentence = isTwice ? 'Another key has the same kid' : findKeyProblem(key)
    if (sentence !== undefined) problems[`jwks.keys[${index}]`] = sentence
  }
  return problems
}

/** The key that a token names, if it is one for the token's algorithm. */
export function findKey({ keys }: Jwks, { kid, alg }: { kid: string; alg: string }): Jwk | undefined {
  return keys.find(key => key.kid === kid && describeKey(key)[0] === alg)
}

const X_OF_P256 = 'axfR8uEsQkf4vOblY6RA8ncDfYEt6zOg9KE5RdiYwpY'
const Y_OF_P256 = 'T-NC4v4af5uO5-tKfA-eFivOM1drMV7Oy7ZAaDe_UfU'
const X_OF_ED25519 = 'WGZmZmZmZmZmZmZmZmZmZmZmZmZmZmZmZmZmZmZmZmY'
/** As long as a number of 2,048 bits, the usual length. */
const N_OF_RSA = '_'.repeat(341).concat('w')

const STAND_INS: Readonly<Record<string, Jwk>> = {
  RS256: { kty: 'RSA', n: N_OF_RSA, e: 'AQAB' },
  ES256: { kty: 'EC', crv: 'P-256', x: X_OF_P256, y: Y_OF_P256 },
  EdDSA: { kty: 'OKP', crv: 'Ed25519', x: X_OF_ED25519 },
}

/** A key to verify a signature with in vain: anyone can make numbers such as these, so it must vouch for nothing. */
export function makeStandInKey({ kid, alg }: { kid: string; alg: string }): Jwk {
  return { ...STAND_INS[alg], kid }
}

function findKeyProblem(key: Jwk): string | undefined {
  if (key.kty === 'oct')
    return 'This is a symmetric key: whoever has it can sign. Give the public key of the issuer'
  if (SECRET_MEMBERS.some(member => Object.hasOwn(key, member))) {
    return 'This is a private key. Treat it as leaked, replace it at the issuer, and give only the public key here'
  }
  if (typeof key.kid !== 'string' || key.kid === '' || key.kid.length > 255)
    return 'A key needs a kid of 1 to 255 characters'
  if (key.use !== undefined && key.use !== 'sig') return 'The use of a key should be sig'
  const [alg, isComplete] = describeKey(key)
  if (alg === undefined) return 'A key should be RSA, EC with the curve P-256, or OKP with the curve Ed25519'
  if (key.alg !== undefined && key.alg !== alg) return `The algorithm of this key should be ${alg}`
  return isComplete ? undefined : `This is not a public key for ${alg}, or one that is too short or too long`
}

/** The algorithm of the key, and whether all its numbers are present. */
function describeKey({ kty, crv, n, e, x, y }: Jwk): [string | undefined, boolean] {
  if (kty === 'RSA') return ['RS256', hasBytes(n, RSA_BYTES.min, RSA_BYTES.max) && hasBytes(e, 1, 8)]
  if (kty === 'EC' && crv === 'P-256') return ['ES256', hasBytes(x, 32, 32) && hasBytes(y, 32, 32)]
  if (kty === 'OKP' && crv === 'Ed25519') return ['EdDSA', hasBytes(x, 32, 32)]
  return [undefined, false]
}

function hasBytes(value: unknown, min: number, max: number): boolean {
  if (typeof value !== 'string' || !/^[A-Za-z0-9_-]+$/.test(value)) return false
  const bytes = Math.floor((value.length * 3) / 4)
  return bytes >= min && bytes <= max
}
