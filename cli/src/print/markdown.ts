// Markdown for the pages of CI systems and pull requests. Anyone who may record something can choose a stored
// text, so it never becomes markup, a link, a picture or another cell.
import { escapeControls } from './table.ts'

const ENTITIES: Readonly<Record<string, string>> = { '&': '&amp;', '<': '&lt;', '>': '&gt;' }

/** Every ASCII character that can have a meaning, also `:` and `.`, which make an address a link, and `@`. */
const MEANINGFUL = /[\\`*_{}[\]()#|!~:.@+\-=$^"']/g

export function escapeMarkdown(text: string): string {
  return escapeControls(text)
    .replaceAll(/[\n\t]+/g, ' ')
    .replaceAll(MEANINGFUL, '\\$&')
    .replaceAll(/[&<>]/g, character => ENTITIES[character] ?? '')
}

export function writeMarkdownTable(head: readonly string[], rows: readonly (readonly string[])[]): string {
  return [
    `| ${head.join(' | ')} |`,
    `|${'---|'.repeat(head.length)}`,
    ...rows.map(row => `| ${row.map(escapeMarkdown).join(' | ')} |`),
  ].join('\n')
}
