// Reads XML as a stream of events: no document types, only the five predefined entities, nothing external,
// and limits on size, depth, elements and attributes.
import { SaxesParser } from 'saxes'
import type { EvidenceFile } from './evidence-file.ts'
import { EvidenceProblem } from './problem.ts'
import { hasUtf8Mark, quote } from './text.ts'

const MIB = 1024 * 1024
const MAX_XML_BYTES = 256 * MIB
const MAX_DEPTH = 100
const MAX_ELEMENTS = 20_000_000
const MAX_ATTRIBUTES = 200
/**
 * The limit for one text, comment, attribute or tag: the parser collects it as a whole, at many times its
 * size.
 */
const MAX_PIECE_CHARACTERS = 16 * MIB
const CHUNK_BYTES = 64 * 1024
const SMALL_CHUNK_BYTES = 1024
const MAX_BYTES_BEFORE_ROOT = 64 * 1024

/** Enough for the XML declaration, which names the encoding. */
const DECLARATION_BYTES = 200
const ENCODINGS: readonly string[] = ['utf-8', 'utf8', 'us-ascii', 'ascii', 'iso-8859-1', 'windows-1252']

export interface XmlElement {
  /** Without the namespace prefix. */
  name: string
  namespace: string
  attributes: ReadonlyMap<string, string>
  line: number
}

export interface XmlHandlers {
  /** `path` contains the names of the enclosing elements, starting at the root. */
  open?(element: XmlElement, path: readonly string[]): void
  /**
   * `path` contains the names of the enclosing elements. `text` is the element's own text, truncated to
   * `max_text`.
   */
  close?(name: string, path: readonly string[], text: string): void
}

export interface XmlOptions {
  /** Text beyond this many characters per element is dropped. */
  max_text: number
  /**
   * Whether `<!DOCTYPE root SYSTEM "…">` is accepted, as some tools write it. It is never fetched, and
   * declarations inside it are still refused.
   */
  accepts_doctype_reference: boolean
}

export function readXml(file: EvidenceFile, options: XmlOptions, handlers: XmlHandlers): void {
  ensureSize(file)
  const reader = makeReader(file, options, handlers)
  const decode = makeStrictDecode(file, reader)
  for (let start = 0; start < file.content.length; start += CHUNK_BYTES) {
    reader.write(decode(file.content.subarray(start, start + CHUNK_BYTES), true))
  }
  reader.write(decode(new Uint8Array(), false))
  reader.close()
}

/** The outermost element, without reading the rest. */
export function readXmlRoot(file: EvidenceFile): XmlElement {
  let root: XmlElement | undefined
  const start = { ...file, content: file.content.subarray(0, MAX_BYTES_BEFORE_ROOT) }
  const options = { max_text: 0, accepts_doctype_reference: true }
  const reader = makeReader(file, options, {
    open: element => {
      root ??= element
    },
  })
  const decode = makeStrictDecode(start, reader)
  try {
    for (let at = 0; at < start.content.length && root === undefined; at += SMALL_CHUNK_BYTES) {
      reader.write(decode(start.content.subarray(at, at + SMALL_CHUNK_BYTES), true))
    }
  } catch (error) {
    // An error after the root does not change its name.
    if (root === undefined) throw error
  }
  return root ?? failWithoutRoot(file)
}

function failWithoutRoot({ name }: EvidenceFile): never {
  throw new EvidenceProblem(name, undefined, 'expected an XML element.')
}

function ensureSize({ name, content }: EvidenceFile): void {
  if (content.length <= MAX_XML_BYTES) return
  const found = Math.ceil(content.length / MIB)
  throw new EvidenceProblem(
    name,
    undefined,
    `expected at most ${MAX_XML_BYTES / MIB} MiB of XML, found ${found} MiB.`,
  )
}

/** From the byte-order mark or the XML declaration; without both, UTF-8. */
function makeDecoder({ name, content }: EvidenceFile): InstanceType<typeof TextDecoder> {
  if (content[0] === 0xff && content[1] === 0xfe) return new TextDecoder('utf-16le', { fatal: true })
  if (content[0] === 0xfe && content[1] === 0xff) return new TextDecoder('utf-16be', { fatal: true })
  const start = Buffer.from(content.subarray(0, DECLARATION_BYTES)).toString('latin1')
  const declared = /^<\?xml[^>]*?\sencoding\s*=\s*["']([^"']*)["']/.exec(start)?.[1]?.toLowerCase()
  if (declared === undefined || hasUtf8Mark(content)) return new TextDecoder('utf-8', { fatal: true })
  if (!ENCODINGS.includes(declared)) {
    throw new EvidenceProblem(
      name,
      'line 1',
      `expected one of the encodings ${ENCODINGS.join(', ')}, or UTF-16 with a byte-order mark, found ${quote(declared)}.`,
    )
  }
  return new TextDecoder(declared, { fatal: true })
}

/** Decodes chunk by chunk; the last call has no bytes and `stream` false. */
function makeStrictDecode(file: EvidenceFile, { describePlace }: Reader) {
  const decoder = makeDecoder(file)
  return (bytes: Uint8Array, stream: boolean): string => {
    try {
      return decoder.decode(bytes, { stream })
    } catch {
      const sentence = `expected text in ${decoder.encoding}, found bytes that are not. Write the file in UTF-8.`
      throw new EvidenceProblem(file.name, describePlace(), sentence)
    }
  }
}

interface Reader {
  write(text: string): void
  close(): void
  describePlace(): string
}

function makeReader(file: EvidenceFile, options: XmlOptions, handlers: XmlHandlers): Reader {
  const parser = new SaxesParser({ xmlns: true })
  const path: string[] = []
  const describePlace = () => `line ${parser.line}, column ${parser.column + 1}`
  const fail = (sentence: string): never => {
    throw new EvidenceProblem(file.name, describePlace(), sentence)
  }
  parser.on('error', ({ message }) => {
    fail(`expected well-formed XML: ${message.replace(/^\d+:\d+: /, '').replace(/\.$/, '')}.`)
  })
  parser.on('doctype', doctype => {
    if (!options.accepts_doctype_reference) fail('a document type (<!DOCTYPE) is not accepted. Remove it.')
    if (doctype.includes('[')) fail('declarations in the document type are not accepted. Remove them.')
  })
  const { startPiece, ensureSmallPieces } = limitPieces(parser, fail)
  const texts: string[] = []
  parser.on('opentag', tag => {
    const found = Object.values(tag.attributes).map(({ name, value }) => [name, value] as const)
    const element = { name: tag.local, namespace: tag.uri, attributes: new Map(found), line: parser.line }
    handlers.open?.(element, path)
    if (path.length === MAX_DEPTH) fail(`expected XML that is nested at most ${MAX_DEPTH} levels deep.`)
    path.push(tag.local)
    texts.push('')
  })
  const addText = (text: string) => {
    startPiece()
    const innermost = texts.pop()
    if (innermost !== undefined) texts.push((innermost + text).slice(0, options.max_text))
  }
  parser.on('text', addText)
  parser.on('cdata', addText)
  parser.on('closetag', tag => {
    path.pop()
    handlers.close?.(tag.local, path, texts.pop() ?? '')
  })
  const write = (text: string) => {
    parser.write(text)
    ensureSmallPieces(text.length)
  }
  return { write, close: () => parser.close(), describePlace }
}

/** Limits what the parser collects and counts. */
function limitPieces(parser: SaxesParser<{ xmlns: true }>, fail: (sentence: string) => never) {
  let elements = 0
  let attributes = 0
  let characters = 0
  parser.on('opentagstart', () => {
    if (++elements > MAX_ELEMENTS) fail(`expected at most ${MAX_ELEMENTS} elements.`)
    attributes = 0
    characters = 0
  })
  parser.on('attribute', () => {
    if (++attributes > MAX_ATTRIBUTES) fail(`expected at most ${MAX_ATTRIBUTES} attributes of an element.`)
    characters = 0
  })
  const startPiece = () => {
    characters = 0
  }
  parser.on('comment', startPiece)
  parser.on('processinginstruction', startPiece)
  const ensureSmallPieces = (added: number): void => {
    characters += added
    if (elements === 0 && characters > MAX_BYTES_BEFORE_ROOT) {
      fail(`expected an element within the first ${MAX_BYTES_BEFORE_ROOT} characters.`)
    }
    if (characters > MAX_PIECE_CHARACTERS) {
      fail(`expected no text, comment or tag of more than ${MAX_PIECE_CHARACTERS} characters.`)
    }
  }
  return { startPiece, ensureSmallPieces }
}
