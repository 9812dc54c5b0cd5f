// Reading what stands after the question mark of an address. Anything may be typed there: what makes no sense is left out.

export type Typed = Record<string, unknown>

/** The router reads `42` and `true` as values; a name may well be `42`. */
export function textOf(value: unknown): string | undefined {
  if (typeof value === 'number' || typeof value === 'boolean') return String(value)
  return typeof value === 'string' && value !== '' ? value : undefined
}

/** Once or several times. */
export function textsOf(value: unknown): string[] | undefined {
  const texts = (Array.isArray(value) ? value : [value]).flatMap(each => textOf(each) ?? [])
  return texts.length > 0 ? texts : undefined
}

/** The first page has no number in the address. */
export function pageOf(value: unknown): number | undefined {
  const page = countOf(value)
  return page === 1 ? undefined : page
}

/** One, two and so on. */
export function countOf(value: unknown): number | undefined {
  return Number.isInteger(value) && Number(value) > 0 ? Number(value) : undefined
}

/** In seconds since 1970. */
export function momentOf(value: unknown): number | undefined {
  return typeof value === 'number' && Number.isFinite(value) && value >= 0 ? value : undefined
}

/** As 2026-03-14, in the zone of the reader. */
export function dayOf(value: unknown): string | undefined {
  const isDay = typeof value === 'string' && /^\d{4}-\d{2}-\d{2}$/.test(value)
  return isDay && !Number.isNaN(Date.parse(value)) ? value : undefined
}

/** Yes, no, or not said. */
export function flagOf(value: unknown): boolean | undefined {
  return typeof value === 'boolean' ? value : undefined
}

/** For what is off unless it is said. */
export function onOf(value: unknown): true | undefined {
  return value === true ? true : undefined
}

export function oneOf<const T>(value: unknown, allowed: readonly T[]): T | undefined {
  return allowed.find(each => each === value)
}

export function someOf<const T extends string>(value: unknown, allowed: readonly T[]): T[] | undefined {
  const texts = textsOf(value)
  const some = allowed.filter(each => texts?.includes(each))
  return some.length > 0 ? some : undefined
}

export type Defined<T> = { [K in keyof T]?: Exclude<T[K], undefined> }

/** A change of some of it: undefined takes away. */
export type Changed<T> = { [K in keyof T]?: T[K] | undefined }

/** Without the keys that have no value: the address does not show them, and the types do not allow them. */
export function defined<T extends object>(values: T): Defined<T> {
  return Object.fromEntries(Object.entries(values).filter(([, value]) => value !== undefined)) as Defined<T>
}
