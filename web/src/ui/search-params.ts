// Reads the query of an address. Anyone can type anything there, so values that make no sense are dropped.

export type RawSearch = Record<string, unknown>

/** The router parses `42` and `true` as values, but a name may be `42`. */
export function readText(value: unknown): string | undefined {
  if (typeof value === 'number' || typeof value === 'boolean') return String(value)
  return typeof value === 'string' && value !== '' ? value : undefined
}

/** Accepts one value or several. */
export function readTexts(value: unknown): string[] | undefined {
  const texts = (Array.isArray(value) ? value : [value]).flatMap(each => readText(each) ?? [])
  return texts.length > 0 ? texts : undefined
}

/** Undefined for the first page, which has no number in the address. */
export function readPage(value: unknown): number | undefined {
  const page = readCount(value)
  return page === 1 ? undefined : page
}

/** A positive integer. */
export function readCount(value: unknown): number | undefined {
  return Number.isInteger(value) && Number(value) > 0 ? Number(value) : undefined
}

/** In seconds since 1970. */
export function readTime(value: unknown): number | undefined {
  return typeof value === 'number' && Number.isFinite(value) && value >= 0 ? value : undefined
}

/** A day such as 2026-03-14, in the reader's time zone. */
export function readDay(value: unknown): string | undefined {
  const isDay = typeof value === 'string' && /^\d{4}-\d{2}-\d{2}$/.test(value)
  return isDay && !Number.isNaN(Date.parse(value)) ? value : undefined
}

/** Undefined unless the value is a boolean. */
export function readFlag(value: unknown): boolean | undefined {
  return typeof value === 'boolean' ? value : undefined
}

/** For options that are off by default. */
export function readSwitch(value: unknown): true | undefined {
  return value === true ? true : undefined
}

export function pickOne<const T>(value: unknown, allowed: readonly T[]): T | undefined {
  return allowed.find(each => each === value)
}

export function pickSome<const T extends string>(value: unknown, allowed: readonly T[]): T[] | undefined {
  const texts = readTexts(value)
  const some = allowed.filter(each => texts?.includes(each))
  return some.length > 0 ? some : undefined
}

export type Defined<T> = { [K in keyof T]?: Exclude<T[K], undefined> }

/** A partial change: undefined removes a key. */
export type Patch<T> = { [K in keyof T]?: T[K] | undefined }

/** Drops keys without a value: the address does not show them, and the types do not allow them. */
export function dropUndefined<T extends object>(values: T): Defined<T> {
  return Object.fromEntries(Object.entries(values).filter(([, value]) => value !== undefined)) as Defined<T>
}
