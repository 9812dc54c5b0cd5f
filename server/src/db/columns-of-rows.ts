// Writes many rows as one array per column, for `unnest` in a statement. The arrays are in the binary format of
// PostgreSQL, in which texts need neither quotes nor escapes: both sides only copy them. The driver sends a Buffer as it
// is.
import { forEachInChunks } from '../lib/yield-to-event-loop.ts'

const CHUNK = 500
const FIRST_BYTES = 1024
/** The least space that most rows take: long buffers are then copied less often. */
const BYTES_PER_ROW = 64
const LENGTH_BYTES = 4
const HEADER_BYTES = 20
/** The most UTF-8 bytes for one unit of a JavaScript string. */
const BYTES_PER_UNIT = 3

const TYPE_IDS = { bool: 16, bytes: 17, int: 23, text: 25, json: 114, float: 701, uuid: 2950 }

/**
 * `bytes` are given in hexadecimal. `list` is for rows that each have a list of texts. It is sent as the text of an
 * array, because the lists have different lengths.
 */
export type ColumnKind = keyof typeof TYPE_IDS | 'list'
type Cell = string | number | boolean | null | readonly string[]

type Kinds<Column extends string> = Readonly<Record<Column, ColumnKind>>
type Rows<Column extends string> = readonly Readonly<Record<Column, Cell>>[]

/** One array per column, in the order of the rows. For any number of rows, in chunks. */
export async function toColumns<Column extends string>(
  kinds: Kinds<Column>,
  rows: Rows<NoInfer<Column>>,
): Promise<Record<Column, Buffer>> {
  const columns = makeArrays(kinds, rows.length)
  await forEachInChunks(rows, CHUNK, columns.add)
  return columns.finish()
}

/** The synchronous form, for the few rows of a batch. */
export function toColumnsOfBatch<Column extends string>(
  kinds: Kinds<Column>,
  rows: Rows<NoInfer<Column>>,
): Record<Column, Buffer> {
  const columns = makeArrays(kinds, rows.length)
  for (const row of rows) columns.add(row)
  return columns.finish()
}

function makeArrays<Column extends string>(kinds: Kinds<Column>, rows: number) {
  const columns = (Object.keys(kinds) as Column[]).map(name => ({
    name,
    array: makeArray(kinds[name], rows),
  }))
  return {
    add: (row: Readonly<Record<Column, Cell>>) => {
      for (const { name, array } of columns) array.add(row[name])
    },
    finish: () =>
      Object.fromEntries(columns.map(({ name, array }) => [name, array.finish()])) as Record<Column, Buffer>,
  }
}

function makeArray(kind: ColumnKind, rows: number) {
  let bytes = Buffer.allocUnsafe(FIRST_BYTES + rows * BYTES_PER_ROW)
  let end = HEADER_BYTES
  let count = 0
  let has_null = false
  const makeRoom = (more: number) => {
    if (end + more <= bytes.length) return
    const larger = Buffer.allocUnsafe(Math.max(bytes.length * 2, end + more))
    bytes.copy(larger, 0, 0, end)
    bytes = larger
  }
  const write = WRITERS[kind]
  return {
    add: (value: Cell) => {
      count += 1
      const text = typeof value === 'string' ? value : Array.isArray(value) ? toListText(value) : ''
      makeRoom(LENGTH_BYTES + BYTES_PER_UNIT * text.length + 16)
      if (value === null) has_null = true
      const length = value === null ? -1 : write(bytes, end + LENGTH_BYTES, text, value)
      bytes.writeInt32BE(length, end)
      end += LENGTH_BYTES + Math.max(length, 0)
    },
    finish: () => {
      const type_id = TYPE_IDS[kind === 'list' ? 'text' : kind]
      const dimensions = count === 0 ? 0 : 1
      for (const [i, field] of [dimensions, Number(has_null), type_id, count, 1].entries())
        bytes.writeInt32BE(field, i * LENGTH_BYTES)
      // An array without elements has no dimensions.
      return bytes.subarray(0, count === 0 ? HEADER_BYTES - 2 * LENGTH_BYTES : end)
    },
  }
}

/** Writes a value at a place and returns its length. */
type Write = (bytes: Buffer, at: number, text: string, value: Cell) => number

const writeText: Write = (bytes, at, text) => bytes.write(text, at)

const WRITERS: Record<ColumnKind, Write> = {
  text: writeText,
  json: writeText,
  list: writeText,
  bytes: (bytes, at, text) => bytes.write(text, at, 'hex'),
  bool: (bytes, at, _text, value) => bytes.writeUInt8(value === true ? 1 : 0, at) - at,
  int: (bytes, at, _text, value) => bytes.writeInt32BE(Number(value), at) - at,
  float: (bytes, at, _text, value) => bytes.writeDoubleBE(Number(value), at) - at,
  uuid: (bytes, at, text) => bytes.write(text.replaceAll('-', ''), at, 'hex'),
}

function toListText(values: readonly string[]): string {
  return `{${values.map(quote).join()}}`
}

function quote(text: string): string {
  return `"${text.replaceAll(/["\\]/g, '\\$&')}"`
}
