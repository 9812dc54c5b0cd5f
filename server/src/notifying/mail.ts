// The mail about a notice: its subject, the plain text, and the same as HTML.
import type { Notice } from '../domain/notification/notice.ts'
import { cut } from '../domain/notification/plain-text.ts'
import { contentOf, type Fact, type Item, type MailContent } from './mail-content.ts'
import { htmlOf } from './mail-html.ts'

export const MOST_OF_SUBJECT = 150

export interface NoticeMail {
  /** One line. */
  subject: string
  text: string
  html: string
}

export function mailOf(notice: Notice, base_url: string): NoticeMail {
  const content = contentOf(notice, base_url)
  return { subject: cut(content.headline, MOST_OF_SUBJECT), text: textOf(content), html: htmlOf(content) }
}

function textOf(content: MailContent): string {
  const { headline, lead, items, rest, advice, action, footnote, settings } = content
  const paragraphs = [
    headline,
    ...(lead === headline ? [] : [lead]),
    ...items.map(itemText),
    ...(rest === null ? [] : [rest]),
    ...(advice === null ? [] : [advice]),
    `${action.label}: ${action.href}`,
    // The line by which mail programs know where a message ends.
    `-- \n${footnote}\n${settings.label}: ${settings.href}`,
  ]
  return `${paragraphs.join('\n\n')}\n`
}

function itemText({ title, standing, facts, points, rest }: Item, i: number): string {
  return [
    `${i + 1}. ${title}: ${standing}`,
    ...points.flatMap(({ text, remedy }) => [`   - ${text}`, `     What helps: ${remedy}`]),
    ...(rest === null ? [] : [`   - ${rest}`]),
    ...facts.map(factText),
  ].join('\n')
}

function factText({ label, text, href }: Fact): string {
  return `   ${label}: ${href === null || href === text ? text : `${text} ${href}`}`
}
