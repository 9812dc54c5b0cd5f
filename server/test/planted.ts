// Secrets that were planted, and how to look for them: in the clear and in every form that a program would give them.

export interface Planted {
  name: string
  secret: string
  /** Where it may be seen, each once: the labels of answers and mails. */
  allowed: ReadonlySet<string>
}

/** What somebody could read, with a label. */
export interface Place {
  label: string
  content: string
}

export interface Vault {
  readonly planted: readonly Planted[]
  plant(name: string, secret: string, ...allowed: string[]): string
  /** Every secret that is where it may not be, as one line each. */
  leaksIn(places: readonly Place[]): string[]
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
    leaksIn: places => {
      const leaks: string[] = []
      for (const { name, secret, allowed } of planted) {
        const forms = Object.entries(formsOf(secret))
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

/** The part of a token that is secret: what comes before it is shown in lists. */
export function secretPart(token: string): string {
  return token.startsWith('wb_') ? token.slice(token.lastIndexOf('_') + 1) : token
}

/** Ways to write a secret. In Base64 it looks different at each of three offsets, but for the characters at its ends. */
export function formsOf(token: string): Record<string, string> {
  const secret = secretPart(token)
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
