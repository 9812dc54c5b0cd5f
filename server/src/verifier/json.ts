// Reads JSON from untrusted files and servers: every value is checked before it is used.

export type Values = Readonly<Record<string, unknown>>

export function toValues(value: unknown): Values {
  return typeof value === 'object' && value !== null ? (value as Values) : {}
}

/** An object, or undefined for anything else. */
export function parseJson(text: string): Values | undefined {
  try {
    const value: unknown = JSON.parse(text)
    return typeof value === 'object' && value !== null && !Array.isArray(value)
      ? (value as Values)
      : undefined
  } catch {
    // The caller reports what is wrong, and where.
    return undefined
  }
}
