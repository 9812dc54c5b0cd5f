// Lists in a sentence: `a`, `a and b`, `a, b and c`, and no more of them than somebody reads.

const all = new Intl.ListFormat('en-GB')

export const formatList = (items: readonly string[]) => all.format(items)

/** `a, b, c and 97 more`. */
export function formatListUpTo(max: number, items: readonly string[]): string {
  const left = items.length - max
  return formatList(left > 0 ? [...items.slice(0, max), `${left} more`] : items)
}
