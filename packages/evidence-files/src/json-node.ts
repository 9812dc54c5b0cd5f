// A value in a JSON file with its path, so that every error can include the path.
import { EvidenceProblem } from './problem.ts'
import { describeValue } from './text.ts'

const MAX_ITEMS = 1_000_000

export interface JsonNode {
  file: string
  /** For example `$.runs[0].results`. */
  path: string
  /** undefined if the file has no value there. */
  value: unknown
}

export function failAt(node: JsonNode, expected: string): never {
  throw new EvidenceProblem(node.file, node.path, `expected ${expected}, found ${describeValue(node.value)}.`)
}

/** Whether the value is missing or null. */
export const isMissing = ({ value }: JsonNode): boolean => value === undefined || value === null

const isRecord = (value: unknown): value is Record<string, unknown> =>
  typeof value === 'object' && value !== null && !Array.isArray(value)

export const isObject = ({ value }: JsonNode): boolean => isRecord(value)

/** A field of an object; missing for any other value. */
export function getField(node: JsonNode, key: string): JsonNode {
  const { file, path, value } = node
  const found = isRecord(value) && Object.hasOwn(value, key) ? value[key] : undefined
  return { file, path: `${path}${formatKey(key)}`, value: found }
}

const formatKey = (key: string): string =>
  /^[A-Za-z_]\w*$/.test(key) ? `.${key}` : `[${JSON.stringify(key)}]`

/** A nested field. */
export const getDeepField = (node: JsonNode, ...keys: string[]): JsonNode =>
  keys.reduce((inner, key) => getField(inner, key), node)

export function expectObject(node: JsonNode, what: string): JsonNode {
  return isRecord(node.value) ? node : failAt(node, `${what} (an object)`)
}

/** The elements of a list. */
export function listItems(node: JsonNode, what: string): JsonNode[] {
  const { file, path, value } = node
  if (!Array.isArray(value)) return failAt(node, `${what} (a list)`)
  if (value.length > MAX_ITEMS) {
    throw new EvidenceProblem(file, path, `expected at most ${MAX_ITEMS} elements, found ${value.length}.`)
  }
  return value.map((item: unknown, i) => ({ file, path: `${path}[${i}]`, value: item }))
}

/** Like `elements`, but a missing list is empty. */
export const listOptionalItems = (node: JsonNode, what: string): JsonNode[] =>
  isMissing(node) ? [] : listItems(node, what)

export function readText(node: JsonNode, what: string): string {
  return typeof node.value === 'string' ? node.value : failAt(node, `${what} (text)`)
}

/** undefined if it is missing or empty; an error if it is not text. */
export function readOptionalText(node: JsonNode, what: string): string | undefined {
  return isMissing(node) ? undefined : readText(node, what) || undefined
}

/** A count: a non-negative integer. */
export function readCount(node: JsonNode, what: string): number {
  const { value } = node
  return typeof value === 'number' && Number.isSafeInteger(value) && value >= 0
    ? value
    : failAt(node, `${what} (an integer from 0 on)`)
}

export const readOptionalCount = (node: JsonNode, what: string): number =>
  isMissing(node) ? 0 : readCount(node, what)

/** undefined if it is missing; an error if it is not a finite number. */
export function readOptionalNumber(node: JsonNode, what: string): number | undefined {
  if (isMissing(node)) return undefined
  return typeof node.value === 'number' && Number.isFinite(node.value)
    ? node.value
    : failAt(node, `${what} (a number)`)
}

export function readOptionalBoolean(node: JsonNode, what: string): boolean | undefined {
  if (isMissing(node)) return undefined
  return typeof node.value === 'boolean' ? node.value : failAt(node, `${what} (true or false)`)
}
