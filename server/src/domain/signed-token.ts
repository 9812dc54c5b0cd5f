// Which signed tokens (JWTs) are refused whoever signed them, by what their header says.

const MAX_SHOWN_CHARACTERS = 100

/** A sentence for the log; undefined if nothing is wrong with the header. */
export function findHeaderProblem(header: Readonly<Record<string, unknown>>): string | undefined {
  const { crit, b64, typ, cty } = header
  // RFC 7515, 4.1.11: what must be understood and is not makes the token invalid. Nothing is understood here.
  if (crit !== undefined)
    return `its header has critical extensions (crit: ${show(crit)}), and none is supported`
  // RFC 7797, 7: its signature covers another text than the one that is read.
  if (b64 !== undefined && b64 !== true) return `its payload is not encoded (b64: ${show(b64)})`
  // RFC 8725, 3.11: an access token or a logout token of the same issuer has the same signature and similar claims.
  if (typ !== undefined && !isJwt(typ)) return `its type is ${show(typ)}, and should be JWT (typ)`
  // RFC 7519, 5.2.
  if (cty !== undefined && (typeof cty !== 'string' || isJwt(cty)))
    return `its content is another token (cty: ${show(cty)})`
  return undefined
}

/** RFC 7515, 4.1.9: media types ignore case, and `application/` may be omitted. */
function isJwt(type: unknown): boolean {
  return typeof type === 'string' && /^(?:application\/)?jwt$/i.test(type)
}

function show(value: unknown): string {
  return JSON.stringify(value).slice(0, MAX_SHOWN_CHARACTERS)
}
