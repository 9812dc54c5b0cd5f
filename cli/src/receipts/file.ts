// The file of receipts. It only grows: each receipt is appended with one write, so several processes can share it. It
// is read in parts, because it may be larger than the memory.
import { closeSync, fstatSync, mkdirSync, openSync, readSync, writeFileSync } from 'node:fs'
import { dirname } from 'node:path'
import {
  type BrokenLine,
  formatReceipt,
  type Kept,
  parseLine,
  parseReceipt,
  type Receipt,
} from './receipt.ts'

const PRIVATE_FOLDER = 0o700
const PRIVATE_FILE = 0o600
/** Some receipts: the one in question is nearly always among the newest. */
const TAIL_BYTES = 16 * 1024
const PART_BYTES = 1024 * 1024
const NEWLINE = 10

/** The last receipt that fits. */
export function findLast(path: string, fits: (receipt: Receipt) => boolean): Receipt | undefined {
  const file = openIfThere(path)
  if (file === undefined) return undefined
  try {
    for (const line of readBackwards(file)) {
      const receipt = parseReceipt(line)
      if (receipt !== undefined && fits(receipt)) return receipt
    }
    return undefined
  } finally {
    closeSync(file)
  }
}

function openIfThere(path: string): number | undefined {
  try {
    return openSync(path, 'r')
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code !== 'ENOENT') throw error
    return undefined
  }
}

function* readBackwards(file: number): Generator<string> {
  /** The end of a line whose beginning is still to be read. */
  let rest: Buffer = Buffer.alloc(0)
  for (let end = fstatSync(file).size; end > 0; ) {
    const start = Math.max(0, end - (rest.length === 0 ? TAIL_BYTES : PART_BYTES))
    const bytes = Buffer.concat([read(file, start, end - start), rest])
    const first = start === 0 ? 0 : bytes.indexOf(NEWLINE) + 1
    const isCut = start > 0 && first === 0
    if (!isCut) yield* bytes.toString('utf8', first).split('\n').reverse()
    rest = isCut ? bytes : bytes.subarray(0, first)
    end = start
  }
}

function read(file: number, start: number, length: number): Buffer {
  const bytes = Buffer.alloc(length)
  return bytes.subarray(0, readSync(file, bytes, 0, length, start))
}

/** What a file had when it was opened: others may append to it while it is read, more than once. */
export interface OpenReceipts {
  list(): Iterable<Kept | BrokenLine>
  close(): void
}

export function openReceipts(path: string): OpenReceipts {
  const file = openSync(path, 'r')
  const stats = fstatSync(file)
  if (stats.isFile()) return { list: () => readReceipts(file, stats.size), close: () => closeSync(file) }
  closeSync(file)
  // It would be empty when it is read again.
  throw new Error('it is not a plain file')
}

function* readReceipts(file: number, size: number): Generator<Kept | BrokenLine> {
  let line = 0
  for (const text of readForwards(file, size)) {
    line += 1
    if (text !== '') yield parseLine(text, line)
  }
}

function* readForwards(file: number, size: number): Generator<string> {
  let rest: Buffer = Buffer.alloc(0)
  for (let start = 0; start < size; start += PART_BYTES) {
    const bytes = Buffer.concat([rest, read(file, start, Math.min(PART_BYTES, size - start))])
    const end = bytes.lastIndexOf(NEWLINE)
    if (end !== -1) yield* bytes.toString('utf8', 0, end).split('\n')
    rest = bytes.subarray(end + 1)
  }
  yield rest.toString('utf8')
}

export function appendReceipt(path: string, receipt: Receipt): void {
  const file = openToAppend(path)
  try {
    const { size } = fstatSync(file)
    const isTorn = size > 0 && read(file, size - 1, 1)[0] !== NEWLINE
    // On a line of its own, even after one that was cut off by a kill or a full disk.
    writeFileSync(file, `${isTorn ? '\n' : ''}${formatReceipt(receipt)}`)
  } finally {
    closeSync(file)
  }
}

/** Whatever is written goes to the end, whoever else writes there. */
function openToAppend(path: string): number {
  try {
    return openSync(path, 'a+', PRIVATE_FILE)
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code !== 'ENOENT') throw error
    mkdirSync(dirname(path), { recursive: true, mode: PRIVATE_FOLDER })
    return openSync(path, 'a+', PRIVATE_FILE)
  }
}
