// Makes untrusted text safe in a chat message: it is shown, never interpreted. Escaping entities is not enough,
// because the format also reads formatting, emoji, mentions and URLs from plain text and has no escapes for them.
// Invisible separators do not help, because some clients treat them as word boundaries. So the few characters that
// could start something are replaced by look-alikes.
import { cut, toOneLine } from './plain-text.ts'

const LOOK_ALIKES: Readonly<Record<string, string>> = { '*': '∗', _: '＿', '~': '∼', '`': 'ˋ' }
const COLON = '꞉'
const AT = '＠'

/** For sentences. Use it in the middle of a line only: at the beginning an escaped `>` would still quote. */
export function escapeSentence(text: string, max: number): string {
  const line = cut(toOneLine(text), max)
    // An underscore inside a word formats nothing, and names often contain them.
    .replaceAll(/(?<![a-z0-9])_|_(?![a-z0-9])|[*~`]/gi, character => LOOK_ALIKES[character] ?? character)
    .replaceAll(/:(?=\/\/|[\w+'-]+:)/g, COLON)
    .replaceAll(/(?<![a-z0-9])@|@(?=(?:here|channel|all|everyone)\b)/gi, AT)
  return escapeEntities(line)
}

/** For names, between backticks: nothing is interpreted there, so names can be copied as they are. */
export function formatCode(text: string, max: number): string {
  const name = cut(toOneLine(text), max).replaceAll('`', LOOK_ALIKES['`'] ?? '')
  return `\`${escapeEntities(name === '' ? '(no name)' : name)}\``
}

/** The address must be one of ours: it is encoded and therefore cannot end the link early. */
export function formatLink(address: string, label: string): string {
  return `<${escapeEntities(address)}|${label}>`
}

/** As many whole lines as fit, then an ellipsis if there are more. No line is cut, so that no entity is cut either. */
export function fitLines(lines: readonly string[], max: number): string {
  const end = '…'
  let text = ''
  for (const [i, line] of lines.entries()) {
    const longer = i === 0 ? line : `${text}\n${line}`
    const isLast = i === lines.length - 1
    if (longer.length > max - (isLast ? 0 : end.length + 1)) return text === '' ? end : `${text}\n${end}`
    text = longer
  }
  return text
}

function escapeEntities(text: string): string {
  return text.replaceAll('&', '&amp;').replaceAll('<', '&lt;').replaceAll('>', '&gt;')
}
