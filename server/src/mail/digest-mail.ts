// The daily digest of a recipient: what organizations sent beyond the limit, by organization.
import { escapeHtml } from '../lib/html.ts'
import type { Mail } from './mailer.ts'

/** Further organizations are counted, but not listed. */
const MOST_ORGS = 50

interface DigestLine {
  subject: string
  link: string
}

export interface DigestOfOrg {
  org: string
  /** Oldest first. */
  lines: readonly DigestLine[]
  /** How many messages are not listed. */
  more: number
}

export function buildDigestMail(to: string, orgs: readonly DigestOfOrg[]): Mail {
  const listed = orgs.slice(0, MOST_ORGS)
  const rest = orgs.slice(MOST_ORGS)
  const total = countMessages(orgs)
  const subject = `${formatCount(total, 'message')} held back today`
  const why = `Organizations have sent ${to} more than one address gets in a day. ${formatCount(total, 'message')} came after that:`
  const others =
    rest.length === 0
      ? []
      : [
          `And ${formatCount(countMessages(rest), 'message')} of ${formatCount(rest.length, 'other organization')}.`,
        ]
  return {
    to,
    from_org: { kind: 'digest', name: '', link: '' },
    subject,
    text: `${[why, ...listed.map(renderText), ...others].join('\n\n')}\n`,
    html: `<!doctype html>
<html lang="en">
<head><meta charset="utf-8"><meta name="color-scheme" content="light dark"><title>${escapeHtml(subject)}</title></head>
<body style="margin:0;padding:16px;font-family:system-ui,-apple-system,'Segoe UI',Roboto,sans-serif;font-size:16px;line-height:1.5">
<div style="max-width:640px;margin:0 auto;overflow-wrap:anywhere;word-break:break-word">
<p style="margin:0 0 16px">${escapeHtml(why)}</p>
${listed.map(renderHtml).join('')}${others.map(text => `<p>${escapeHtml(text)}</p>\n`).join('')}</div>
</body>
</html>
`,
  }
}

function countMessages(orgs: readonly DigestOfOrg[]): number {
  return orgs.reduce((sum, { lines, more }) => sum + lines.length + more, 0)
}

function formatCount(count: number, noun: string): string {
  return `${count} ${noun}${count === 1 ? '' : 's'}`
}

function describeMore(more: number): string[] {
  return more === 0 ? [] : [`and ${formatCount(more, 'more message')}`]
}

function renderText({ org, lines, more }: DigestOfOrg): string {
  const listed = lines.map(({ subject, link }) => `- ${subject}\n  ${link}`)
  return [org, ...listed, ...describeMore(more)].join('\n')
}

function renderHtml({ org, lines, more }: DigestOfOrg): string {
  const listed = lines.map(
    ({ subject, link }) =>
      `<li style="margin:0 0 8px"><a href="${escapeHtml(link)}" style="color:inherit">${escapeHtml(subject)}</a></li>\n`,
  )
  const rest = describeMore(more).map(text => `<li>${text}</li>\n`)
  return `<h2 style="margin:0 0 8px;font-size:18px">${escapeHtml(org)}</h2>
<ul style="margin:0 0 16px;padding-left:20px">
${[...listed, ...rest].join('')}</ul>
`
}
