// Reads objects, lists and texts from JSON that claims to be OSCAL. A value of the wrong type is recorded under its
// path and reading continues, so that one response lists every error.
import { formatInput } from '../yaml/problems.ts'

export type Fields = Record<string, unknown>

export interface OscalReader {
  /** Path → sentence. */
  errors: Map<string, string>
}

/** Further errors are counted but not listed. */
const MAX_LISTED = 1_000

export function makeOscalReader(): OscalReader {
  return { errors: new Map() }
}

export function addError(reader: OscalReader, path: string, sentence: string, input?: string): void {
  if (reader.errors.size >= MAX_LISTED) return
  const shown = input === undefined ? '' : ` [input: ${formatInput(input)}]`
  if (!reader.errors.has(path)) reader.errors.set(path, `${sentence}${shown}`)
}

export function readFields(reader: OscalReader, value: unknown, path: string): Fields | undefined {
  if (typeof value === 'object' && value !== null && !Array.isArray(value)) return value as Fields
  addError(
    reader,
    path || 'catalog',
    value === undefined ? 'Field required' : 'Input should be a valid dictionary',
  )
  return undefined
}

/** The objects of a list, each with its path; empty if there is no list. */
export function readList(reader: OscalReader, value: unknown, path: string): [Fields, string][] {
  if (value === undefined) return []
  if (!Array.isArray(value)) {
    addError(reader, path, 'Input should be a valid list')
    return []
  }
  return value.flatMap((item, index): [Fields, string][] => {
    const place = `${path}[${index}]`
    const fields = readFields(reader, item, place)
    return fields ? [[fields, place]] : []
  })
}

export function readText(reader: OscalReader, value: unknown, path: string): string | undefined {
  if (value === undefined || typeof value === 'string') return value
  addError(reader, path, 'Input should be a valid string')
  return undefined
}
