// Text from outside on its way into a sentence: one line, nothing in it that hides or turns around what stands beside it,
// and not longer than a reader bears.

/** Longest that a name is shown in a sentence. */
export const MAX_NAME_CHARACTERS = 120

const HALF_A_PAIR = /\p{Surrogate}/gu
/** Two of the format characters are part of how words are spelled; the others turn the direction or are not seen. */
const UNSEEN = /\p{Cc}|\p{Surrogate}|(?![\u200c\u200d])\p{Cf}/gu
const REPLACEMENT = '\ufffd'

export function toOneLine(text: string): string {
  return text.replaceAll(/\s+/g, ' ').replaceAll(UNSEEN, REPLACEMENT).trim()
}

/** Half a surrogate pair has no UTF-8, and no place in an address. */
export function toWellFormed(text: string): string {
  return text.replaceAll(HALF_A_PAIR, REPLACEMENT)
}

export function cut(text: string, most: number): string {
  if (text.length <= most) return text
  return `${text.slice(0, most - 1).replace(/[\ud800-\udbff]$/, '')}…`
}

export function formatName(text: string): string {
  return cut(toOneLine(text), MAX_NAME_CHARACTERS)
}
