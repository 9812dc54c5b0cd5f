// Writes Zstandard without compression, for Node versions that lack it.

/** One frame with a raw block for each content; at most 255 bytes in total. */
export function frameZstd(contents: readonly Uint8Array[]): Buffer {
  const blocks = contents.map((content, i) => {
    const header = Buffer.alloc(3)
    header.writeUIntLE((content.length << 3) | (i === contents.length - 1 ? 1 : 0), 0, 3)
    return Buffer.concat([header, content])
  })
  const bytes = contents.reduce((sum, { length }) => sum + length, 0)
  return Buffer.concat([Buffer.from([0x28, 0xb5, 0x2f, 0xfd, 0x20, bytes]), ...blocks])
}
