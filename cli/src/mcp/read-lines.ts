// Splits a byte stream into lines. Drops lines that are too long, without holding them in memory.

const LINE_FEED = 10

/** `undefined` stands for a line that was too long. */
export async function* readLines(
  input: AsyncIterable<Buffer | string>,
  max_bytes: number,
): AsyncGenerator<Buffer | undefined> {
  let parts: Buffer[] = []
  let bytes = 0
  const take = (): Buffer | undefined => {
    const line = bytes > max_bytes ? undefined : Buffer.concat(parts)
    parts = []
    bytes = 0
    return line
  }
  const add = (part: Buffer) => {
    bytes += part.length
    if (bytes <= max_bytes) parts.push(part)
    else parts = []
  }
  for await (const chunk of input) {
    let rest = Buffer.from(chunk)
    for (let end = rest.indexOf(LINE_FEED); end !== -1; end = rest.indexOf(LINE_FEED)) {
      add(rest.subarray(0, end))
      yield take()
      rest = rest.subarray(end + 1)
    }
    add(rest)
  }
  if (bytes > 0) yield take()
}
