// What the server says about single fields of a form, by the path of the field in the body: `targets[0].webhook`.

export type FieldErrors = Readonly<Record<string, string>>

export function readFieldErrors(error: Error | null): FieldErrors {
  const { errors = {} } = (error ?? {}) as { errors?: Record<string, unknown> }
  return Object.fromEntries(Object.entries(errors).map(([field, found]) => [field, simplify(String(found))]))
}

/** Of the field itself, or of the first of its items: the server writes both `emails[0]` and `emails.0`. */
export function findFieldError(errors: FieldErrors, field: string): string | undefined {
  const isOf = (path: string) => path === field || ['[', '.'].some(next => path.startsWith(field + next))
  return Object.entries(errors).find(([path]) => isOf(path))?.[1]
}

/** Patterns and counts say nothing to people; the description of the field says what is wanted. */
function simplify(sentence: string): string {
  if (sentence.startsWith('String should match pattern'))
    return 'This does not have the form that is described'
  if (/should have at least 1 (character|item)/.test(sentence)) return 'This is needed'
  return sentence.replace(/ \[input: .*\]$/s, '')
}
