// Parses URLs. Does not use `URL.canParse`: once optimized, Node 20 misreads accented letters in it and rejects what
// `new URL` accepts.

export function parseUrl(text: string, base?: string): URL | undefined {
  try {
    return new URL(text, base)
  } catch {
    return undefined
  }
}

/** Over HTTP or HTTPS, without a user name or password. */
export function isWebAddress(url: string): boolean {
  const parsed = parseUrl(url)
  return parsed !== undefined && /^https?:$/.test(parsed.protocol) && !url.includes('@')
}
