// What the server says of a field, for the place where the field is.

export type FieldErrors = Readonly<Record<string, string>>

/** Of the field itself, or of the first of its items. */
export function errorAt(errors: FieldErrors, field: string): string | undefined {
  const found = Object.entries(errors).find(([path]) => path === field || path.startsWith(`${field}[`))
  return found && plain(found[1])
}

/** Patterns and counts say nothing to people; the description of the field says what is wanted. */
export function plain(sentence: string): string {
  if (sentence.startsWith('String should match pattern'))
    return 'This does not have the form that is described'
  if (/should have at least 1 (character|item)/.test(sentence)) return 'This is needed'
  return sentence.replace(/ \[input: .*\]$/s, '')
}
