// Signs a token whose header and payload are any text: libraries refuse to make the ones that must be rejected.
import type { CryptoKey } from 'jose'

/** By RS256. */
export async function signRaw(header: string, payload: string, key: CryptoKey): Promise<string> {
  const input = [header, payload].map(text => Buffer.from(text).toString('base64url')).join('.')
  const signature = await crypto.subtle.sign('RSASSA-PKCS1-v1_5', key, Buffer.from(input))
  return `${input}.${Buffer.from(signature).toString('base64url')}`
}

/** What a header says beside algorithm and key, so that the token must be rejected although its signature verifies. */
export const ODD_HEADERS: readonly [string, string][] = [
  ['an unknown critical extension', '"crit":["exp"],"exp":1'],
  ['no critical extension in the list', '"crit":[]'],
  ['a payload that is not encoded', '"crit":["b64"],"b64":false'],
  ['the type of an access token', '"typ":"at+jwt"'],
  ['the type of a logout token', '"typ":"application/logout+jwt"'],
  ['another token as content', '"cty":"JWT"'],
  ['two types', '"typ":"at+jwt","typ":"JWT"'],
]
