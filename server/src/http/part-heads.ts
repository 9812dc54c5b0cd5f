// Reads the headers of form parts as they arrive, next to the form parser. The parser silently skips a part whose
// headers it does not understand, and waits forever for a part whose headers never end: evidence would be missing
// from the record, or the sender would never get a response.
const CLOSING = '--'
const NEW_LINE = '\r\n'
const BLANK_LINE = `${NEW_LINE}${NEW_LINE}`
const MAX_HEAD_BYTES = 16 * 1024
const NAME = /[;:\s]name\*?\s*=\s*(?:[\w-]*'[\w-]*')?"?([^";\r\n\p{Cc}]{1,100})/iu

export interface PartHeads {
  read(chunk: Buffer): void
  /** The name of each part so far, where it can be read; undefined for a part that seems to have none. */
  names(): (string | undefined)[]
  /** The value of a header of a part, by the number of the part from 0; undefined if it has none. */
  find(part: number, header: 'content-type' | 'content-encoding'): string | undefined
  /** The first part that ended before its headers did, or whose headers are too long. */
  cut(): { name: string | undefined } | undefined
}

/** Undefined if the content type has no boundary. */
export function makePartHeads(content_type: string): PartHeads | undefined {
  const [, quoted, plain] = /;\s*boundary=(?:"([^"]+)"|([^;\s]+))/i.exec(content_type) ?? []
  const boundary = quoted ?? plain
  if (boundary === undefined) return undefined
  const delimiter = Buffer.from(`${NEW_LINE}--${boundary}`)
  const decided_at = delimiter.length + CLOSING.length
  const names: (string | undefined)[] = []
  const texts: string[] = []
  // The first delimiter needs no line break before it.
  let rest = Buffer.from(NEW_LINE)
  let head: Buffer | undefined
  let cut: { name: string | undefined } | undefined
  const take = (bytes: Buffer) => {
    if (head === undefined || bytes.length === 0) return
    const known = head.length
    head = Buffer.concat([head, bytes.subarray(0, MAX_HEAD_BYTES)])
    const end = head.indexOf(BLANK_LINE, Math.max(0, known - BLANK_LINE.length + 1))
    if (end === -1 && head.length <= MAX_HEAD_BYTES) return
    close(end !== -1, head.subarray(0, end === -1 ? undefined : end))
  }
  const close = (is_whole: boolean, lines: Buffer) => {
    const name = parseName(lines)
    names.push(name)
    texts.push(lines.toString('latin1'))
    if (!is_whole) cut ??= { name }
    head = undefined
  }
  return {
    read: chunk => {
      const bytes = Buffer.concat([rest, chunk])
      let from = 0
      for (;;) {
        const found = bytes.indexOf(delimiter, from)
        if (found === -1 || found + decided_at > bytes.length) break
        take(bytes.subarray(from, found))
        if (head !== undefined) close(false, head)
        from = found + delimiter.length
        head = bytes.toString('latin1', from, found + decided_at) === CLOSING ? undefined : Buffer.alloc(0)
      }
      // A delimiter may continue in the next chunk.
      const until = Math.max(from, bytes.length - decided_at + 1)
      take(bytes.subarray(from, until))
      rest = bytes.subarray(until)
    },
    names: () => (head === undefined ? [...names] : [...names, parseName(Buffer.concat([head, rest]))]),
    find: (part, header) => findHeader(texts[part] ?? '', header),
    cut: () => cut,
  }
}

/** A header that occurs twice has both values joined, which nobody accepts. */
function findHeader(head: string, header: string): string | undefined {
  const lines = head.replaceAll(/\r\n[ \t]+/g, ' ').split(NEW_LINE)
  const values = lines.flatMap(line => {
    const colon = line.indexOf(':')
    return line.slice(0, colon).trim().toLowerCase() === header ? [line.slice(colon + 1).trim()] : []
  })
  return values.length === 0 ? undefined : values.join(', ')
}

function parseName(head: Buffer): string | undefined {
  return NAME.exec(head.toString('utf8'))?.[1]
}
