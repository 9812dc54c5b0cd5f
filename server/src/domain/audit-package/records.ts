// Reads the JSON of audit packages: records that are compared, bodies of leaves, and the contents they commit to.
import { formatJson } from './seal.ts'

export type Values = Readonly<Record<string, unknown>>

export const toValues = (value: unknown): Values =>
  typeof value === 'object' && value !== null && !Array.isArray(value) ? (value as Values) : {}

export const toList = (value: unknown): Values[] => (Array.isArray(value) ? value.map(toValues) : [])

/** Undefined for anything but an object. */
export function parseValues(text: string | undefined): Values | undefined {
  const value = parse(text)
  return typeof value === 'object' && value !== null && !Array.isArray(value) ? (value as Values) : undefined
}

/** Only as packages write it: with a key twice in an object, other readers would see something else. */
export function parseRecord(text: string): Values | undefined {
  const record = parseValues(text)
  return record && formatJson(record) === text ? record : undefined
}

export function parseRecords(text: string): Values[] | undefined {
  const list = parse(text)
  return Array.isArray(list) && formatJson(list) === text ? list.map(toValues) : undefined
}

/** Undefined for what is not JSON. */
export function parse(text: string | undefined): unknown {
  try {
    return text === undefined ? undefined : JSON.parse(text)
  } catch {
    // The caller reports what is not JSON.
    return undefined
  }
}
