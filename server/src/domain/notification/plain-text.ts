// Makes untrusted text safe to use in a sentence: one line, bounded in length, without characters that hide or
// reverse the text around them.

/** The maximum length of a name in a sentence. */
const MAX_NAME_CHARACTERS = 120

const LONE_SURROGATE = /\p{Surrogate}/gu
/** Two of the format characters (the joiners) are part of spelling; the others change direction or are invisible. */
const UNSAFE_CHARACTERS = /\p{Cc}|\p{Surrogate}|(?![\u200c\u200d])\p{Cf}/gu
const REPLACEMENT = '\ufffd'

export function toOneLine(text: string): string {
  return text.replaceAll(/\s+/g, ' ').replaceAll(UNSAFE_CHARACTERS, REPLACEMENT).trim()
}

/** A lone surrogate has no UTF-8 encoding and is not allowed in a URL. */
export function toWellFormed(text: string): string {
  return text.replaceAll(LONE_SURROGATE, REPLACEMENT)
}

export function cut(text: string, max: number): string {
  if (text.length <= max) return text
  return `${text.slice(0, max - 1).replace(/[\ud800-\udbff]$/, '')}…`
}

export function formatName(text: string): string {
  return cut(toOneLine(text), MAX_NAME_CHARACTERS)
}
