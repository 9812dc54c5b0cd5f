// Formats lists for sentences: `a`, `a and b`, `a, b and c`, or `a, b and 97 more`.
import { uiTexts as texts } from './texts.ts'

const list = new Intl.ListFormat('en-GB')

export const formatList = (items: readonly string[]) => list.format(items)

/** `a, b, c and 97 more`. */
export function formatListUpTo(max: number, items: readonly string[]): string {
  const left = items.length - max
  return formatList(left > 0 ? [...items.slice(0, max), texts.moreItems(left)] : items)
}
