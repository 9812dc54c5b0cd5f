// Parses a PDF as far as tests need it: whether it is complete, its pages with their text, its links and its title.
import { inflateSync } from 'node:zlib'

export interface ReadPdf {
  pages: string[]
  /** The targets of its links. */
  links: string[]
  title: string
}

/** Throws if the cross-reference table is wrong or the page count does not match. */
export function readPdf(bytes: Buffer): ReadPdf {
  const text = bytes.toString('latin1')
  if (!text.startsWith('%PDF-1.') || !text.trimEnd().endsWith('%%EOF')) throw new Error('not a whole PDF')
  const objects = readObjects(text)
  const pages = [...objects.values()].filter(object => /\/Type \/Page\b(?!s)/.test(object))
  const counted = [...objects.values()].map(object => /\/Type \/Pages[\s\S]*\/Count (\d+)/.exec(object)?.[1])
  if (Number(counted.find(Boolean)) !== pages.length) throw new Error('the pages do not add up')
  return {
    pages: pages.map(page => readText(objects.get(Number(/\/Contents (\d+)/.exec(page)?.[1])) ?? '')),
    links: [...text.matchAll(/\/URI \(((?:[^()\\]|\\.)*)\)/g)].map(([, link = '']) =>
      link.replaceAll('\\', ''),
    ),
    title: objects.get(Number(/\/Title (\d+) 0 R/.exec(text)?.[1])) ?? '',
  }
}

function readObjects(text: string): Map<number, string> {
  const at = Number(/startxref\s+(\d+)\s+%%EOF/.exec(text)?.[1])
  const [, count = '0', table = ''] = /^xref\s+0 (\d+)\s+([\s\S]*?)trailer/.exec(text.slice(at)) ?? []
  const entries = table.trim().split(/\r?\n/).slice(1)
  if (entries.length !== Number(count) - 1) throw new Error('the table of objects is not whole')
  return new Map(
    entries.map((entry, index) => {
      const start = Number(entry.slice(0, 10))
      const head = `${index + 1} 0 obj\n`
      if (!text.startsWith(head, start)) throw new Error(`object ${index + 1} is not where the table says`)
      return [index + 1, text.slice(start + head.length, text.indexOf('\nendobj', start))]
    }),
  )
}

/** The text that a page draws, with the pieces of each line joined. */
function readText(content: string): string {
  const [, packed = ''] = /stream\n([\s\S]*)\nendstream/.exec(content) ?? []
  const drawn = /\/FlateDecode/.test(content)
    ? inflateSync(Buffer.from(packed, 'latin1')).toString('latin1')
    : packed
  return [...drawn.matchAll(/\[([^\]]*)\] TJ/g)]
    .map(([, pieces = '']) =>
      [...pieces.matchAll(/<([0-9a-f]*)>/g)].map(([, hex = '']) => decode(hex)).join(''),
    )
    .join('\n')
}

/** The characters from 0x80 on, with blanks for unassigned codes. */
const BEYOND_ASCII = '€ ‚ƒ„…†‡ˆ‰Š‹Œ Ž  ‘’“”•–—˜™š›œ žŸ'

const decode = (hex: string): string =>
  [...Buffer.from(hex, 'hex')].map(byte => BEYOND_ASCII[byte - 0x80] ?? String.fromCharCode(byte)).join('')
