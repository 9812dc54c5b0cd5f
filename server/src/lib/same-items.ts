// Comparing lists whose order does not count.

/** Whether two lists hold the same, in any order. Neither has anything twice. */
export function hasSameItems(one: readonly string[], other: readonly string[]): boolean {
  return one.length === other.length && one.every(item => other.includes(item))
}
