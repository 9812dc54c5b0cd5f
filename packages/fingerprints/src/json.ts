// JSON from untrusted files, registries and programs: every value is checked before use.

export type Values = Readonly<Record<string, unknown>>

/** An object, or undefined for anything else. */
export function parseObject(text: string): Values | undefined {
  try {
    return toObject(JSON.parse(text))
  } catch {
    // The caller reports what is wrong, and where.
    return undefined
  }
}

/** An array, or undefined for anything else. */
export function parseArray(text: string): readonly unknown[] | undefined {
  try {
    const value: unknown = JSON.parse(text)
    return Array.isArray(value) ? value : undefined
  } catch {
    // The caller reports what is wrong, and where.
    return undefined
  }
}

export function toObject(value: unknown): Values | undefined {
  return typeof value === 'object' && value !== null && !Array.isArray(value) ? (value as Values) : undefined
}

export function toText(value: unknown): string | undefined {
  return typeof value === 'string' && value !== '' ? value : undefined
}

export function toArray(value: unknown): readonly unknown[] {
  return Array.isArray(value) ? value : []
}
