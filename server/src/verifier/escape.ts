// Texts from logs and packages can contain anything. A terminal would obey control characters in them.

const CONTROLS = /[\p{Cc}\p{Cf}\p{Co}\p{Cs}\p{Zl}\p{Zp}]/gu

/** One line, as plain text. */
export function escapeText(text: string): string {
  return text.replaceAll(CONTROLS, character => `\\u{${character.codePointAt(0)?.toString(16)}}`)
}

/** JSON that is safe to print, and that means the same. */
export function printSafeJson(value: unknown): string {
  return JSON.stringify(value, null, 2).replaceAll(CONTROLS, character =>
    character === '\n'
      ? character
      : [...Array(character.length).keys()]
          .map(i => `\\u${character.charCodeAt(i).toString(16).padStart(4, '0')}`)
          .join(''),
  )
}
