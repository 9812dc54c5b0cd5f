// The result of a comparison of a file with leaves: what they prove, what only the operator says, and what contradicts
// them.
import { printJson } from '../log/print-json.ts'
import type { ProvenLeaf } from './proven-leaf.ts'
import type { Values } from './records.ts'

export interface Comparison {
  /** The leaves that prove everything but the following. */
  proved_by: readonly number[]
  /** Fields that no leaf has. */
  operator_only: readonly string[]
  /** Fields that differ from the leaf. */
  contradicted: readonly string[]
}

/** A file about which no leaf says anything. */
export const OPERATOR_ONLY: Comparison = { proved_by: [], operator_only: [], contradicted: [] }

const MS_PER_S = 1_000

export function compareFields(record: Values, proven: Values, leaf: ProvenLeaf): Comparison {
  const fields = [...new Set([...Object.keys(record), ...Object.keys(proven)])]
  const isProven = (field: string) => Object.hasOwn(proven, field)
  return {
    proved_by: [leaf.index],
    operator_only: fields.filter(field => !isProven(field)),
    contradicted: fields.filter(
      field => isProven(field) && !(Object.hasOwn(record, field) && isSame(record[field], proven[field])),
    ),
  }
}

export const isSame = (a: unknown, b: unknown): boolean => printJson(a) === printJson(b)

export const toSeconds = (time: string): number => Date.parse(time) / MS_PER_S

/** For people: what proves a file, and what does not. */
export function describeComparison({ proved_by, operator_only }: Comparison): string {
  if (proved_by.length === 0) return 'said by the operator only'
  const leaves = `proved by ${proved_by.length === 1 ? 'leaf' : 'leaves'} ${toRanges(proved_by)}`
  if (operator_only.length === 0) return leaves
  return `${leaves}; said by the operator only: ${operator_only.join(', ')}`
}

function toRanges(numbers: readonly number[]): string {
  const ranges: [number, number][] = []
  for (const number of numbers) {
    const last = ranges.at(-1)
    if (last && number <= last[1] + 1) last[1] = number
    else ranges.push([number, number])
  }
  return ranges.map(([first, last]) => (first === last ? `${first}` : `${first}–${last}`)).join(', ')
}
