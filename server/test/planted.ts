// Planted secrets, and a search for them in plain text and in every common encoding.

interface Planted {
  name: string
  secret: string
  /** Labels of the responses and mails that are allowed to have it. */
  allowed: ReadonlySet<string>
}

/** Readable content, with a label. */
export interface Place {
  label: string
  content: string
}

export interface Vault {
  readonly planted: readonly Planted[]
  plant(name: string, secret: string, ...allowed: string[]): string
  /** One line for each secret found where it is not allowed. */
  findLeaks(places: readonly Place[]): string[]
}

export function makeVault(): Vault {
  const planted: Planted[] = []
  return {
    planted,
    plant: (name, secret, ...allowed) => {
      if (secret.length < 20) throw new Error(`too short to look for: ${name} '${secret}'`)
      planted.push({ name, secret, allowed: new Set(allowed) })
      return secret
    },
    findLeaks: places => {
      const leaks: string[] = []
      for (const { name, secret, allowed } of planted) {
        const forms = Object.entries(listEncodings(secret))
        for (const { label, content } of places) {
          if (allowed.has(label)) continue
          const found = forms.find(([, form]) => content.includes(form))
          if (found) leaks.push(`${name} as ${found[0]} in ${label}`)
        }
      }
      return leaks
    },
  }
}

/** The secret part of a token. The prefix is shown in lists. */
export function getSecretPart(token: string): string {
  return token.startsWith('wb_') ? token.slice(token.lastIndexOf('_') + 1) : token
}

/** The encodings of a secret. Base64 depends on the offset modulo three, so the characters at the ends are left out. */
export function listEncodings(token: string): Record<string, string> {
  const secret = getSecretPart(token)
  const bytes = Buffer.from(secret)
  const hex = bytes.toString('hex')
  const forms: Record<string, string> = {
    text: secret,
    JSON: JSON.stringify(secret).slice(1, -1),
    hex,
    'upper-case hex': hex.toUpperCase(),
    'a URL': encodeURIComponent(secret),
    'percent signs': hex.toUpperCase().replaceAll(/../g, '%$&'),
  }
  for (const offset of [0, 1, 2]) {
    const shifted = Buffer.concat([Buffer.alloc(offset), bytes])
    const sure = { from: offset === 0 ? 0 : 4, to: Math.floor(shifted.length / 3) * 4 }
    forms[`Base64 at ${offset}`] = shifted.toString('base64').slice(sure.from, sure.to)
    forms[`URL-safe Base64 at ${offset}`] = shifted.toString('base64url').slice(sure.from, sure.to)
  }
  return forms
}
