// Compares lists regardless of their order.

/** The lists must not have duplicates. */
export function hasSameItems(one: readonly string[], other: readonly string[]): boolean {
  return one.length === other.length && one.every(item => other.includes(item))
}
