import { describe, expect, it } from 'vitest'
import { expectProblem, openText } from './fixtures.testing.ts'
import { openEvidence } from './index.ts'
import { readXml, readXmlRoot } from './xml.ts'

const STRICT = { max_text: 100, accepts_doctype_reference: false }
const LAX = { ...STRICT, accepts_doctype_reference: true }
const MIB = 1024 * 1024

/** The events as text: `+path/name` and `-name "text"`. */
function listEvents(content: Uint8Array | string, options = STRICT): string[] {
  const events: string[] = []
  readXml(openEvidence('a.xml', Buffer.from(content)), options, {
    open: ({ name, attributes }, path) => {
      events.push(
        `+${[...path, name].join('/')}${[...attributes].map(([key, value]) => ` ${key}=${value}`).join('')}`,
      )
    },
    close: (name, _, text) => {
      events.push(`-${name} ${JSON.stringify(text)}`)
    },
  })
  return events
}

describe('XML', () => {
  it.each([
    ['<a/>', ['+a', '-a ""']],
    ['<a>1<b x="2"/>3</a>', ['+a', '+a/b x=2', '-b ""', '-a "13"']],
    ['<?xml version="1.0"?>\n<!-- no --><a>&lt;&#65;&amp;</a>', ['+a', '-a "<A&"']],
    ['<a><![CDATA[<b>]]></a>', ['+a', '-a "<b>"']],
    ['<p:a xmlns:p="urn:x"><p:b/></p:a>', ['+a xmlns:p=urn:x', '+a/b', '-b ""', '-a ""']],
    [`<a>${'x'.repeat(200)}</a>`, ['+a', `-a "${'x'.repeat(100)}"`]],
    ['\ufeff<a/>', ['+a', '-a ""']],
  ])('is read: %s', (text, events) => expect(listEvents(text)).toEqual(events))

  it.each([
    ['iso-8859-1', Buffer.from('<?xml version="1.0" encoding="ISO-8859-1"?><a>\u00e9</a>', 'latin1')],
    ['utf-16', Buffer.from('\ufeff<?xml version="1.0" encoding="utf-16"?><a>\u00e9</a>', 'utf16le')],
    ['utf-16, the other order', Buffer.from('\ufeff<a>\u00e9</a>', 'utf16le').swap16()],
    ['utf-8', Buffer.from('<?xml version="1.0" encoding="UTF-8"?><a>\u00e9</a>')],
  ])('is read in %s', (_, bytes) => expect(listEvents(bytes)).toEqual(['+a', '-a "\u00e9"']))

  it('is read in chunks that split characters', () => {
    const text = `<a>${'\u20ac'.repeat(100_000)}</a>`
    expect(listEvents(text, { ...STRICT, max_text: 1e6 })[1]).toBe(`-a "${'\u20ac'.repeat(100_000)}"`)
  })

  it('is read only up to the root to find its name', () => {
    expect(readXmlRoot(openText('a.xml', `<!-- x --><a b="1">${'</b>'.repeat(1000)}`))).toMatchObject({
      name: 'a',
    })
    expectProblem(() => readXmlRoot(openText('a.xml', '<!-- x -->')), 'a.xml: expected an XML element.')
  })
})

describe('hostile XML', () => {
  const laughs = `<!DOCTYPE a [<!ENTITY x "${'ha'.repeat(10)}"><!ENTITY y "&x;&x;">]><a>&y;</a>`
  it.each([
    [
      'a document type',
      '<!DOCTYPE a><a/>',
      STRICT,
      'a.xml, line 1, column 13: a document type (<!DOCTYPE) is not accepted.',
    ],
    ['an external file', '<!DOCTYPE a SYSTEM "file:///etc/passwd"><a/>', STRICT, 'is not accepted'],
    ['entities that expand', laughs, STRICT, 'a document type (<!DOCTYPE) is not accepted'],
    [
      'entities that expand, in a document type',
      laughs,
      LAX,
      'declarations in the document type are not accepted',
    ],
    [
      'an external entity',
      '<!DOCTYPE a [<!ENTITY x SYSTEM "file:///etc/passwd">]><a>&x;</a>',
      LAX,
      'declarations',
    ],
    ['an entity that nobody declares', '<a>&nbsp;</a>', LAX, 'expected well-formed XML: undefined entity'],
    ['a parameter entity', '<!DOCTYPE a [<!ENTITY % x "y"> %x;]><a/>', LAX, 'declarations'],
    [
      'an endless document type',
      `<!DOCTYPE a [${'"" '.repeat(100_000)}`,
      LAX,
      'expected an element within the first 65536',
    ],
    ['no end', '<a><b>', STRICT, 'expected well-formed XML: unclosed tag: b'],
    ['the wrong end', '<a>\n</b>', STRICT, 'a.xml, line 2, column 5: expected well-formed XML'],
    ['two roots', '<a/><b/>', STRICT, 'expected well-formed XML'],
    ['no element', '   ', STRICT, 'expected well-formed XML: document must contain a root element'],
    ['nothing', '', STRICT, 'expected well-formed XML'],
    ['a NUL', '<a>\0</a>', STRICT, 'expected well-formed XML: disallowed character'],
    ['an attribute twice', '<a b="1" b="2"/>', STRICT, 'expected well-formed XML: duplicate attribute'],
    ['a prefix without a namespace', '<x:a/>', STRICT, 'expected well-formed XML: unbound namespace prefix'],
    ['too deep', '<a>'.repeat(101), STRICT, 'expected XML that is nested at most 100 levels deep.'],
    ['a million levels', '<a>'.repeat(1_000_000), STRICT, 'nested at most 100'],
    [
      'many attributes',
      `<a ${Array.from({ length: 201 }, (_, i) => `a${i}="1"`).join(' ')}/>`,
      STRICT,
      'at most 200 attributes',
    ],
    [
      'text of 17 MiB',
      `<a>${'x'.repeat(17 * MIB)}</a>`,
      STRICT,
      'expected no text, comment or tag of more than 16777216',
    ],
    [
      'a comment of 17 MiB',
      `<a><!-- ${'- '.repeat(8.5 * MIB)} --></a>`,
      STRICT,
      'expected no text, comment or tag',
    ],
    [
      'an encoding that nobody uses',
      '<?xml version="1.0" encoding="utf-7"?><a/>',
      STRICT,
      'line 1: expected one of the encodings utf-8',
    ],
  ])('is refused: %s', (_, text, options, sentence) =>
    expectProblem(() => listEvents(text, options), sentence),
  )

  it('is refused if it does not match its encoding', () => {
    const bytes = Buffer.concat([Buffer.from('<a>\n'), Buffer.from([0xff, 0xfe, 0xff]), Buffer.from('</a>')])
    expectProblem(() => listEvents(bytes), 'expected text in utf-8, found bytes that are not.')
    expectProblem(() => listEvents(bytes.subarray(0, 5)), 'expected text in utf-8')
  })

  it('is refused above 256 MiB', () => {
    const file = { ...openText('a.xml', ''), content: Buffer.alloc(256 * MIB + 1) }
    expectProblem(() => readXml(file, STRICT, {}), 'a.xml: expected at most 256 MiB of XML, found 257 MiB.')
  })

  it('with a reference to a document type is accepted for tools that write one', () => {
    expect(listEvents('<!DOCTYPE a SYSTEM "http://192.0.2.1/a.dtd"><a/>', LAX)).toEqual(['+a', '-a ""'])
  })
})
