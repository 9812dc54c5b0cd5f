// A JSON file with one long list, rendered while the rows of the list are read.

/** `chunks` are not empty. */
export async function* renderJsonList<Row>(
  head: Readonly<Record<string, string>>,
  list: string,
  chunks: AsyncIterable<Row[]>,
  toRecord: (row: Row) => object,
): AsyncGenerator<string> {
  const opening = JSON.stringify({ ...head, [list]: [] })
  // The opening without its final bracket and brace.
  yield opening.slice(0, -2)
  let separator = '\n'
  for await (const rows of chunks) {
    yield separator + rows.map(row => JSON.stringify(toRecord(row))).join(',\n')
    separator = ',\n'
  }
  yield '\n]}\n'
}
