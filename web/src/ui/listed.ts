// Lists in a sentence: `a`, `a and b`, `a, b and c`, and no more of them than somebody reads.

const all = new Intl.ListFormat('en-GB')

export const listed = (items: readonly string[]) => all.format(items)

/** `a, b, c and 97 more`. */
export function listedUpTo(most: number, items: readonly string[]): string {
  const left = items.length - most
  return listed(left > 0 ? [...items.slice(0, most), `${left} more`] : items)
}
