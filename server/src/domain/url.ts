// Parses a URL, like lib/url.ts, which the domain does not import.

export function parseUrl(text: string): URL | undefined {
  try {
    return new URL(text)
  } catch {
    return undefined
  }
}
