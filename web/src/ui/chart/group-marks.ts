// Combines events at nearly the same time into one mark, so that marks do not overlap.

/** A mark takes about 17 pixels, and a phone has room for 16 of them. */
const MAX_MARKS = 16

export interface Marked<T> {
  /** Counts from 1. */
  number: number
  at: number
  items: T[]
}

/** `items`: oldest first. */
export function groupMarks<T>(
  items: readonly T[],
  getTime: (item: T) => number,
  { from, to }: { from: number; to: number },
): Marked<T>[] {
  const apart = (to - from) / MAX_MARKS
  const groups: Marked<T>[] = []
  for (const item of items) {
    const last = groups.at(-1)
    if (last && getTime(item) - last.at < apart) last.items.push(item)
    else groups.push({ number: groups.length + 1, at: getTime(item), items: [item] })
  }
  return groups
}
