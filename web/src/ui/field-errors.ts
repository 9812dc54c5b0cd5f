// The server's errors about single form fields, keyed by the path of the field in the body:
// `targets[0].webhook`.
import { uiTexts as texts } from './texts.ts'

export function readFieldErrors(error: Error | null): Readonly<Record<string, string>> {
  const { errors = {} } = (error ?? {}) as { errors?: Record<string, unknown> }
  return Object.fromEntries(Object.entries(errors).map(([field, found]) => [field, simplify(String(found))]))
}

/** Replaces patterns and counts, which mean nothing to most people. */
function simplify(sentence: string): string {
  if (sentence.startsWith("String should match pattern '^https:")) return texts.fields.httpsUrl
  if (sentence.startsWith('String should match pattern')) return texts.fields.wrongFormat
  if (/should have at least 1 (character|item)/.test(sentence)) return texts.fields.required
  return sentence.replace(/ \[input: .*\]$/s, '')
}
