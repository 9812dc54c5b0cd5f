// Fields as the specification lists them, each a path and a kind of value, checked in responses and requests.
import { expect } from 'vitest'

const isObject = (value: unknown) => typeof value === 'object' && value !== null && !Array.isArray(value)
const makeListCheck = (isItem: (item: unknown) => boolean) => (value: unknown) =>
  Array.isArray(value) && value.length > 0 && value.every(isItem)
const isText = (value: unknown) => typeof value === 'string'

/** A list `of` something must not be empty, or it would prove nothing. */
const KINDS = {
  'a string': isText,
  'a number': (value: unknown) => typeof value === 'number',
  'an integer': (value: unknown) => Number.isInteger(value),
  'a boolean': (value: unknown) => typeof value === 'boolean',
  'an object': isObject,
  null: (value: unknown) => value === null,
  'an array': (value: unknown) => Array.isArray(value),
  'an array of strings': makeListCheck(isText),
  'an array of integers': makeListCheck(Number.isInteger),
  'an array of objects': makeListCheck(isObject),
} as const
export type Kind = keyof typeof KINDS

/** Takes a path such as `artifacts[0].flows[0].git_commit`, as in errors. */
export function readValue(root: unknown, path: string): unknown {
  let value = root
  for (const step of path.split(/\.|\[|\]\.?/).filter(part => part !== '')) {
    value = (value as Record<string, unknown> | undefined)?.[step]
  }
  return value
}

export function expectKind(root: unknown, path: string, kind: Kind): void {
  const value = readValue(root, path)
  expect(KINDS[kind](value), `${path} should be ${kind}: ${JSON.stringify(value)}`).toBe(true)
}

/** A value of another kind, which the field must reject. */
export function makeWrongValue(kind: Kind): unknown {
  return kind === 'a string' ? 7 : 'seven'
}

/** One value of every other kind. */
export function listWrongValues(kind: Kind): unknown[] {
  return [7, 'seven', true, ['seven'], [7], { seven: 7 }].filter(value => !KINDS[kind](value))
}

/** A copy of a body with one field set. */
export function changeField<Body>(body: Body, path: string, value: unknown): Body {
  const copy = structuredClone(body)
  const steps = path.split(/\.|\[|\]\.?/).filter(part => part !== '')
  const last = steps.pop() ?? ''
  const holder = readValue(copy, steps.join('.')) as Record<string, unknown>
  if (value === undefined) delete holder[last]
  else holder[last] = value
  return copy
}
