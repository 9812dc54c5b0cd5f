// Renders a mail as HTML. Mail clients drop style sheets, so the styles are inline. Text keeps the client's own color
// and stays readable on light and dark backgrounds. All content is escaped.
import { escapeHtml } from '../lib/html.ts'
import type { Fact, Item, MailContent, Tone } from './mail-content.ts'

/** White text on these colors is readable on light and dark backgrounds. */
const COLOURS: Readonly<Record<Tone, string>> = { good: '#1f7a3d', bad: '#c22f2f', neutral: '#5b6270' }
const BREAKS = 'overflow-wrap:anywhere;word-break:break-word'
const EDGE = '1px solid #8b8d98'
const LINK = 'color:inherit;text-decoration:underline'

export function renderHtml(content: MailContent): string {
  const { headline, lead, tone, items, rest, advice, action, footnote, settings } = content
  return `<!doctype html>
<html lang="en">
<head>
<meta charset="utf-8">
<meta name="viewport" content="width=device-width, initial-scale=1">
<meta name="color-scheme" content="light dark">
<meta name="supported-color-schemes" content="light dark">
<title>${escapeHtml(headline)}</title>
</head>
<body style="margin:0;padding:16px;font-family:system-ui,-apple-system,'Segoe UI',Roboto,sans-serif;font-size:16px;line-height:1.5">
<div style="max-width:640px;margin:0 auto;${BREAKS}">
<h1 style="margin:0 0 12px;padding-left:12px;border-left:6px solid ${COLOURS[tone]};font-size:20px;line-height:1.3">${escapeHtml(headline)}</h1>
${lead === headline ? '' : renderParagraph(lead)}${items.map(renderItem).join('')}${renderParagraph(rest)}${renderParagraph(advice)}<p style="margin:24px 0"><a href="${escapeHtml(action.href)}" style="display:inline-block;padding:10px 20px;border-radius:6px;background:#1d5fbf;color:#ffffff;font-weight:600;text-decoration:none">${escapeHtml(action.label)}</a></p>
<p style="margin:0;padding-top:12px;border-top:${EDGE};font-size:13px">${escapeHtml(footnote)}<br><a href="${escapeHtml(settings.href)}" style="${LINK}">${escapeHtml(settings.label)}</a></p>
</div>
</body>
</html>
`
}

function renderParagraph(text: string | null): string {
  return text === null ? '' : `<p style="margin:0 0 16px">${escapeHtml(text)}</p>\n`
}

function renderItem({ title, status, tone, facts, points, rest }: Item, i: number): string {
  const reasons = [
    ...points.map(
      ({ text, remedy }) =>
        `<li style="margin:0 0 8px">${escapeHtml(text)}<br><b>How to fix:</b> ${escapeHtml(remedy)}</li>\n`,
    ),
    ...(rest === null ? [] : [`<li style="margin:0 0 8px">${escapeHtml(rest)}</li>\n`]),
  ]
  const list =
    reasons.length === 0 ? '' : `<ul style="margin:8px 0;padding-left:20px">\n${reasons.join('')}</ul>\n`
  return `<div style="margin:0 0 16px;padding:12px;border:${EDGE};border-radius:8px">
<div style="font-weight:600">${i + 1}. ${escapeHtml(title)}</div>
<div style="margin:6px 0"><span style="display:inline-block;padding:1px 8px;border-radius:4px;background:${COLOURS[tone]};color:#ffffff;font-size:13px;font-weight:600">${escapeHtml(status)}</span></div>
${list}<table style="width:100%;border-collapse:collapse;font-size:14px">
${facts.map(renderFact).join('')}</table>
</div>
`
}

function renderFact({ label, text, href }: Fact): string {
  const value =
    href === null ? escapeHtml(text) : `<a href="${escapeHtml(href)}" style="${LINK}">${escapeHtml(text)}</a>`
  return `<tr><th scope="row" style="padding:2px 12px 2px 0;font-weight:400;text-align:left;white-space:nowrap;vertical-align:top">${escapeHtml(label)}</th><td style="width:100%;padding:2px 0;vertical-align:top;${BREAKS}">${value}</td></tr>\n`
}
