// Text from outside inside of a chat message: shown as it is, never obeyed. Entities alone are not enough: the format also
// reads formatting, emoji, mentions and addresses out of plain text, and has no escapes for them. An invisible character
// between would not do, because chats take some of those for the border of a word. So the few characters that could start
// something give way to ones that look like them.
import { cut, toOneLine } from './plain-text.ts'

const LOOK_ALIKES: Readonly<Record<string, string>> = { '*': '∗', _: '＿', '~': '∼', '`': 'ˋ' }
const COLON = '꞉'
const AT = '＠'

/** For sentences. It may be in the middle of a line, not at its beginning, where an escaped `>` would still quote. */
export function escapeSentence(text: string, max: number): string {
  const harmless = cut(toOneLine(text), max)
    // Inside of a word an underscore formats nothing, and names are full of them.
    .replaceAll(/(?<![a-z0-9])_|_(?![a-z0-9])|[*~`]/gi, character => LOOK_ALIKES[character] ?? character)
    .replaceAll(/:(?=\/\/|[\w+'-]+:)/g, COLON)
    .replaceAll(/(?<![a-z0-9])@|@(?=(?:here|channel|all|everyone)\b)/gi, AT)
  return escapeEntities(harmless)
}

/** For names, between backticks: nothing is read out of them there, so they can be copied as they are. */
export function formatCode(text: string, max: number): string {
  const name = cut(toOneLine(text), max).replaceAll('`', LOOK_ALIKES['`'] ?? '')
  return `\`${escapeEntities(name === '' ? '(no name)' : name)}\``
}

/** The address must be one of ours: encoded, and therefore without what could end it. */
export function formatLink(address: string, label: string): string {
  return `<${escapeEntities(address)}|${label}>`
}

/** Lines as far as they fit; then a sign that there were more. Each is whole, so that no entity is cut in two. */
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
