// Maps a server error to a form field, and finds what a form can check without the server.
import { uiTexts as texts } from './texts.ts'

/**
 * The server names a field by its path in the request, such as `targets[0].emails[1]`; the field of the form is
 * `targets.0.emails`. Undefined if the form has no such value.
 */
export function findOwnField(values: object, path: string): string | undefined {
  let inside: unknown = values
  const field: string[] = []
  for (const step of splitPath(path)) {
    if (!hasFields(inside) || !Object.hasOwn(inside, step)) break
    inside = inside[step]
    field.push(step)
  }
  return field.length === 0 ? undefined : field.join('.')
}

/** In a form with files, all values are in one part. */
export const dropPart = (path: string): string => path.replace(/^data_json\.?/, '')

/** The required fields that are empty. */
export function findMissing<Values extends object>(
  values: Values,
  required: readonly (keyof Values & string)[],
): Record<string, string> {
  return Object.fromEntries(
    required.filter(field => isEmpty(values[field])).map(field => [field, texts.fields.required]),
  )
}

const splitPath = (path: string) => path.split(/[.[\]]+/).filter(step => step !== '')

/** A list of texts is one field, a list of objects is not. */
function hasFields(value: unknown): value is Record<string, unknown> {
  if (Array.isArray(value)) return value.every(isPlain)
  return isPlain(value)
}

const isPlain = (value: unknown) =>
  typeof value === 'object' && value !== null && Object.getPrototypeOf(value) === Object.prototype

function isEmpty(value: unknown): boolean {
  if (typeof value === 'string') return value.trim() === ''
  return value === undefined || value === null || (Array.isArray(value) && value.length === 0)
}
