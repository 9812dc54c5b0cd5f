// Renders a notice as a mail: subject, plain text and HTML with the same content.
import type { Notice } from '../domain/notification/notice.ts'
import { cut } from '../domain/notification/plain-text.ts'
import { buildContent, type Fact, type Item, type MailContent } from './mail-content.ts'
import { renderHtml } from './mail-html.ts'

export const MAX_SUBJECT_CHARACTERS = 150

export interface NoticeMail {
  /** One line. */
  subject: string
  text: string
  html: string
  /** The page that it is about. */
  link: string
}

export function renderMail(notice: Notice, base_url: string): NoticeMail {
  const content = buildContent(notice, base_url)
  return {
    subject: cut(content.headline, MAX_SUBJECT_CHARACTERS),
    text: renderText(content),
    html: renderHtml(content),
    link: content.action.href,
  }
}

function renderText(content: MailContent): string {
  const { headline, lead, items, rest, advice, action, footnote, settings } = content
  const paragraphs = [
    headline,
    ...(lead === headline ? [] : [lead]),
    ...items.map(renderItemText),
    ...(rest === null ? [] : [rest]),
    ...(advice === null ? [] : [advice]),
    `${action.label}: ${action.href}`,
    // The separator by which mail clients recognize the signature.
    `-- \n${footnote}\n${settings.label}: ${settings.href}`,
  ]
  return `${paragraphs.join('\n\n')}\n`
}

function renderItemText({ title, status, facts, points, rest }: Item, i: number): string {
  return [
    `${i + 1}. ${title}: ${status}`,
    ...points.flatMap(({ text, remedy }) => [`   - ${text}`, `     How to fix: ${remedy}`]),
    ...(rest === null ? [] : [`   - ${rest}`]),
    ...facts.map(renderFactText),
  ].join('\n')
}

function renderFactText({ label, text, href }: Fact): string {
  return `   ${label}: ${href === null || href === text ? text : `${text} ${href}`}`
}
