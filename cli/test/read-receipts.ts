// Reads all receipts of a file, and the lines that are none.
import { openReceipts } from '../src/receipts/file.ts'
import type { BrokenLine, Kept } from '../src/receipts/receipt.ts'

export function readReceipts(path: string): { kept: Kept[]; broken: Omit<BrokenLine, 'receipt'>[] } {
  const receipts = openReceipts(path)
  const lines = [...receipts.list()]
  receipts.close()
  return {
    kept: lines.flatMap(each => (each.receipt === undefined ? [] : [each])),
    broken: lines.flatMap(({ line, ...each }) =>
      each.receipt === undefined && 'is_torn' in each ? [{ line, is_torn: each.is_torn }] : [],
    ),
  }
}
