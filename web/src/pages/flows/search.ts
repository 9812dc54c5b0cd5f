// Reading what stands after the question mark of an address: anything may be typed there.

/** The router reads `42` and `true` as values; a name may well be `42`. */
export function textOf(value: unknown): string | undefined {
  if (typeof value === 'number' || typeof value === 'boolean') return String(value)
  return typeof value === 'string' && value !== '' ? value : undefined
}

export function pageOf(value: unknown): number | undefined {
  return Number.isInteger(value) && Number(value) > 1 ? Number(value) : undefined
}

/** Once or several times. */
export function textsOf(value: unknown): string[] | undefined {
  const texts = (Array.isArray(value) ? value : [value]).flatMap(each => textOf(each) ?? [])
  return texts.length > 0 ? texts : undefined
}

export function oneOf<T extends string>(value: unknown, allowed: readonly T[]): T | undefined {
  return allowed.find(each => each === value)
}

type Defined<T> = { [K in keyof T]?: Exclude<T[K], undefined> }

/** Without the keys that have no value. */
export function defined<T extends object>(values: T): Defined<T> {
  return Object.fromEntries(Object.entries(values).filter(([, value]) => value !== undefined)) as Defined<T>
}
