// Counts the parts of a form as they arrive. The form parser passes over a part whose headers it does not understand and
// says nothing, and evidence that was sent would be missing from what is stored.
const CLOSING = '--'
const NEW_LINE = '\r\n'

export interface PartCounter {
  read(chunk: Buffer): void
  parts(): number
}

/** Undefined when the content type names no boundary. */
export function makePartCounter(content_type: string): PartCounter | undefined {
  const [, quoted, plain] = /;\s*boundary=(?:"([^"]+)"|([^;\s]+))/i.exec(content_type) ?? []
  const boundary = quoted ?? plain
  if (boundary === undefined) return undefined
  const delimiter = Buffer.from(`${NEW_LINE}--${boundary}`)
  const decided_at = delimiter.length + CLOSING.length
  // The first delimiter needs no new line before it.
  let rest = Buffer.from(NEW_LINE)
  let parts = 0
  return {
    read: chunk => {
      const bytes = Buffer.concat([rest, chunk])
      let from = 0
      for (;;) {
        const found = bytes.indexOf(delimiter, from)
        if (found === -1 || found + decided_at > bytes.length) break
        from = found + delimiter.length
        if (bytes.toString('latin1', from, found + decided_at) !== CLOSING) parts += 1
      }
      // A delimiter may go on in the next chunk.
      rest = bytes.subarray(Math.max(from, bytes.length - decided_at + 1))
    },
    parts: () => parts,
  }
}
