// Parses URLs. Does not use `URL.canParse`: once optimized, Node 20 misreads accented letters in it and rejects what
// `new URL` accepts.

export function parseUrl(text: string, base?: string): URL | undefined {
  try {
    return new URL(text, base)
  } catch {
    return undefined
  }
}
