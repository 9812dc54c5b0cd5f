// Draws a badge: a label on the left, the state in a word on the right. The word repeats the meaning of the colour,
// and the title repeats both for people who cannot see them.
import type { BadgeState } from '../../domain/badge/state.ts'
import { cut, toOneLine } from '../../domain/notification/plain-text.ts'
import { escapeHtml } from '../../lib/html.ts'

const MAX_LABEL_CHARACTERS = 48
const HEIGHT = 20
const PADDING = 7
/** `textLength` stretches or squeezes the text to this width, whatever fonts the reader has. */
const CHARACTER_WIDTH = 6.6
/** No letter of another script is wider than this many of ours. */
const WIDE = 1.8

/** White text on each has a contrast of at least 4.5. */
const COLOURS: Readonly<Record<BadgeState, string>> = {
  compliant: '#1a7f37',
  'non-compliant': '#b42318',
  stale: '#8a5a00',
  unknown: '#57606a',
}
const LABEL_COLOUR = '#343a40'

export function drawBadge(label: string, state: BadgeState): string {
  const shown = cut(toOneLine(label), MAX_LABEL_CHARACTERS)
  const [left, right] = [measure(shown), measure(state)]
  const width = left + right + 4 * PADDING
  const split = left + 2 * PADDING
  const title = escapeHtml(`${shown}: ${state}`)
  return [
    `<svg xmlns="http://www.w3.org/2000/svg" width="${width}" height="${HEIGHT}" viewBox="0 0 ${width} ${HEIGHT}" role="img" aria-label="${title}">`,
    `<title>${title}</title>`,
    `<rect width="${width}" height="${HEIGHT}" rx="3" fill="${COLOURS[state]}"/>`,
    `<path d="M3 0h${split - 3}v${HEIGHT}H3a3 3 0 0 1-3-3V3a3 3 0 0 1 3-3z" fill="${LABEL_COLOUR}"/>`,
    '<g fill="#fff" font-family="Verdana,DejaVu Sans,Geneva,sans-serif" font-size="11">',
    `<text x="${PADDING}" y="14" textLength="${left}">${escapeHtml(shown)}</text>`,
    `<text x="${split + PADDING}" y="14" textLength="${right}">${state}</text>`,
    '</g></svg>\n',
  ].join('')
}

function measure(text: string): number {
  const characters = [...text].reduce((sum, character) => sum + (character < '\u0250' ? 1 : WIDE), 0)
  return Math.ceil(characters * CHARACTER_WIDTH)
}

/** A Markdown line for a README: the picture, linked to the page. */
export function formatMarkdown(label: string, { url, html_url }: { url: string; html_url: string }): string {
  const shown = cut(toOneLine(label), MAX_LABEL_CHARACTERS)
  // A name in Markdown must not become a link or markup.
  const text = shown.replaceAll(/[\\`*_{}[\]<>()#+!|~&-]/g, String.raw`\$&`)
  return `[![${text}](${url})](${html_url})`
}
