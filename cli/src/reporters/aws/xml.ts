// Reads flat XML responses from AWS. Elements with the same name are never nested there, and requests ask for
// URL encoding of arbitrary text.

const ENTITIES: Readonly<Record<string, string>> = { lt: '<', gt: '>', amp: '&', quot: '"', apos: "'" }

/** The content of each element with this name. */
export function readElements(xml: string, name: string): string[] {
  return [...xml.matchAll(new RegExp(`<${name}(?:\\s[^>]*)?>([^]*?)</${name}>`, 'g'))].map(
    ([, inside = '']) => inside,
  )
}

/** The text of the first element with this name. */
export function readText(xml: string, name: string): string | undefined {
  return readElements(xml, name)[0]?.replaceAll(/&(?:#(\d+)|#x([0-9a-fA-F]+)|(\w+));/g, decodeReference)
}

function decodeReference(whole: string, decimal?: string, hexadecimal?: string, name?: string): string {
  if (decimal !== undefined) return String.fromCodePoint(Number(decimal))
  if (hexadecimal !== undefined) return String.fromCodePoint(Number.parseInt(hexadecimal, 16))
  return ENTITIES[name ?? ''] ?? whole
}
