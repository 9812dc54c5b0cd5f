// Reads an address. Not by `URL.canParse`: once it runs hot, Node 20 reads accented letters in it as something else, and
// says no to what `new URL` takes.

export function parseUrl(text: string, base?: string): URL | undefined {
  try {
    return new URL(text, base)
  } catch {
    return undefined
  }
}
